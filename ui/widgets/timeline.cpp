// Rows of 20 px, joined by a line; idle stretches are one pill that opens.
#include "ui/widgets/timeline.h"

#include "ui/widgets/format.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

// Idle events are folded where they last or crowd; a second with two of them hides nothing worth hiding.
constexpr std::int64_t kLongIdleUs = 60'000'000;
constexpr int kManyIdle = 6;

int timeWidth()
{
    return QFontMetrics(faceFont(Face::Second)).horizontalAdvance(u"00:00:00.000"_s) + px(4);
}

class EventRow : public QWidget {
public:
    EventRow(const TimelineEvent& event, bool first, bool last) : m_event(event), m_first(first), m_last(last)
    {
        setFixedHeight(px(20));
        const QString time = formatter().timeOfDay(event.atUs);
        setAccessibleName(u"%1 %2 %3"_s.arg(time, event.text, event.note).trimmed());
        setToolTip(formatter().full(event.atUs) + u' ' + event.text);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        const int baseline = baselineOf(rect());
        painter.setFont(faceFont(Face::Second));
        painter.setPen(t.ink3);
        painter.drawText(QPoint(0, baseline), formatter().timeOfDay(m_event.atUs));

        const int size = px(14);
        const QRect sign(timeWidth() + px(6), (height() - size) / 2, size, size);
        paintLine(painter, sign, t);
        paintSign(painter, sign, t);

        const QFontMetricsF metrics(faceFont(Face::Second));
        const qreal note = metrics.horizontalAdvance(m_event.note);
        painter.drawText(QPointF(width() - note, baseline), m_event.note);
        const int left = sign.right() + px(8);
        const QString text = metrics.elidedText(m_event.text, Qt::ElideRight,
                                                width() - left - note - (note > 0 ? px(8) : 0));
        painter.setPen(m_event.state ? wordColorOf(*m_event.state, Strength::Subject, t) : t.ink);
        painter.drawText(QPoint(left, baseline), text);
    }

private:
    void paintLine(QPainter& painter, const QRect& sign, const Tokens& t) const
    {
        const int x = sign.center().x();
        const int gap = m_event.state || m_event.icon != Icon::None ? px(8) : px(4);
        if (!m_first)
            drawHairline(painter, QRectF(x, 0, 1, height() / 2.0 - gap), Qt::LeftEdge, t.control);
        if (!m_last)
            drawHairline(painter, QRectF(x, height() / 2.0 + gap, 1, height() / 2.0 - gap), Qt::LeftEdge, t.control);
    }
    void paintSign(QPainter& painter, const QRect& sign, const Tokens& t) const
    {
        if (m_event.state)
            return drawShape(painter, sign, *m_event.state, Strength::Subject, t);
        if (m_event.icon != Icon::None)
            return drawIcon(painter, sign, m_event.icon, t.ink2);
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.control, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(QPointF(sign.center().x() + 0.5, height() / 2.0), px(3), px(3));
        painter.restore();
    }

    TimelineEvent m_event;
    bool m_first, m_last;
};

class FoldPill : public QAbstractButton {
public:
    explicit FoldPill(const QString& words)
    {
        setText(words);
        setFocusPolicy(Qt::TabFocus);
        setFixedHeight(px(24));
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        setAccessibleName(words);
    }
    QSize sizeHint() const override
    {
        return {QFontMetrics(faceFont(Face::Second)).horizontalAdvance(text()) + px(36), px(24)};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF pill = QRectF(rect()).adjusted(0.5, 3.5, -0.5, -3.5);
        painter.setPen(QPen(t.line, 1));
        painter.setBrush(underMouse() ? t.hover : t.sunken);
        painter.drawRoundedRect(pill, px(4), px(4));
        drawIcon(painter, QRectF(px(6), (height() - px(12)) / 2.0, px(12), px(12)), Icon::ChevronRight, t.ink2);
        painter.setFont(faceFont(Face::Second));
        painter.setPen(t.ink2);
        painter.drawText(QPoint(px(24), baselineOf(rect())), text());
        if (hasFocus())
            drawRing(painter, rect(), px(2), px(4), t.focus);
    }
};

// The pill in the column of the words, on a dotted piece of the line.
class FoldRow : public QWidget {
public:
    explicit FoldRow(FoldPill* pill)
    {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(timeWidth() + px(6) + px(14) + px(6), 0, 0, 0);
        row->addWidget(pill);
        row->addStretch(1);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        const int x = timeWidth() + px(6) + px(14) / 2 - 1;
        for (int y = 0; y < height(); y += px(4))
            drawHairline(painter, QRectF(x, y, 1, px(2)), Qt::LeftEdge, t.control);
    }
};

} // namespace

Timeline::Timeline(QWidget* parent)
    : QWidget(parent), m_rows(new QVBoxLayout), m_chips(new QWidget), m_title(new Label({}, Face::Body, QFont::Bold))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(8));
    auto* head = new QHBoxLayout;
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_chips);
    column->addLayout(head);
    m_rows->setSpacing(0);
    column->addLayout(m_rows);
    m_title->setText(tr("Timeline"));
}

void Timeline::setGroups(const QVector<TimelineGroup>& groups)
{
    m_groups = groups;
    delete m_chips->layout();
    qDeleteAll(m_chips->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
    auto* row = new QHBoxLayout(m_chips);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(px(8));
    auto* only = new QButtonGroup(row);
    QVector<TimelineGroup> all{{QString(), tr("All")}};
    all += groups;
    for (const TimelineGroup& group : all) {
        auto* chip = new Chip(group.word);
        only->addButton(chip);
        row->addWidget(chip);
        chip->setChecked(group.id == m_group);
        connect(chip, &Chip::clicked, this, [this, id = group.id] { choose(id); });
    }
}

void Timeline::setEvents(const QVector<TimelineEvent>& events)
{
    m_events = events;
    rebuild();
}

void Timeline::choose(const QString& group)
{
    m_group = group;
    rebuild();
}

void Timeline::rebuild()
{
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater(); // a pill that was just pressed is among them
        delete item;
    }
    QVector<TimelineEvent> shown;
    for (const TimelineEvent& event : m_events)
        if (m_group.isEmpty() || event.group == m_group)
            shown << event;
    for (int at = 0; at < shown.size();) {
        int end = at;
        while (end < shown.size() && shown.at(end).idle)
            ++end;
        const bool worthFolding = end - at >= kManyIdle
                                  || (end - at >= 2 && shown.at(end - 1).atUs - shown.at(at).atUs >= kLongIdleUs);
        if (!worthFolding || m_unfolded.contains(shown.at(at).atUs)) {
            const int until = std::max(end, at + 1);
            for (; at < until; ++at)
                m_rows->addWidget(new EventRow(shown.at(at), at == 0, at + 1 == shown.size()));
            continue;
        }
        const std::int64_t key = shown.at(at).atUs;
        const QString idle = formatter().age(shown.at(end - 1).atUs - key);
        auto* pill = new FoldPill(tr("%1 idle, %n events folded", "how long, how many", end - at).arg(idle));
        m_rows->addWidget(new FoldRow(pill));
        connect(pill, &QAbstractButton::clicked, this, [this, key] {
            m_unfolded.insert(key);
            rebuild();
        });
        at = end;
    }
}

void Timeline::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        m_title->setText(tr("Timeline"));
        setGroups(m_groups);
        rebuild();
    }
}

} // namespace tekil::ui
