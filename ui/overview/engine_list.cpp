// Two lines an engine; what has no room is told by number.
#include "ui/overview/engine_list.h"

#include "ui/widgets/format.h"
#include "ui/widgets/icons.h"

#include <QPainter>

namespace tekil::ui::overview {

using namespace Qt::Literals::StringLiterals;

namespace {

QString nameOf(const EngineRow& engine)
{
    return u"%1 · %2 · %3"_s.arg(engine.program, engine.host).arg(engine.pid);
}

int rowHeight()
{
    return px(44);
}

int headHeight()
{
    return px(34);
}

} // namespace

EngineList::EngineList(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
}

QSize EngineList::sizeHint() const
{
    return {px(360), headHeight() + rowHeight() * 4};
}

QSize EngineList::minimumSizeHint() const
{
    return {px(280), headHeight() + rowHeight()};
}

void EngineList::setEngines(const QVector<EngineRow>& engines, std::int64_t nowUs)
{
    m_engines = engines;
    m_nowUs = nowUs;
    m_isRead = true;
    setAccessibleName(tr("Engines"));
    setAccessibleDescription(lines().join(u", "_s));
    update();
}

QStringList EngineList::lines() const
{
    QStringList all;
    for (const EngineRow& engine : m_engines)
        all << nameOf(engine) + u' ' + engineWord(engine.state) + u' ' + engineAge(engine, m_nowUs);
    return all;
}

void EngineList::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), t.base);
    painter.setFont(faceFont(Face::Body, QFont::Bold));
    painter.setPen(t.ink);
    painter.drawText(QPoint(px(16), baselineOf(QRect(0, px(4), 1, headHeight() - px(4)))), tr("Engines"));
    if (!m_isRead)
        return;
    if (m_engines.isEmpty()) {
        painter.setFont(faceFont(Face::Second));
        painter.setPen(t.ink2);
        painter.drawText(QRect(px(16), headHeight(), width() - px(32), px(40)), Qt::AlignLeft | Qt::TextWordWrap,
                         tr("No engine was at work here in the last day."));
        return;
    }
    const int room = std::max(1, (height() - headHeight()) / rowHeight());
    const bool all = m_engines.size() <= room;
    const int shown = all ? static_cast<int>(m_engines.size()) : room - 1;
    for (int i = 0; i < shown; ++i)
        paintRow(painter, QRect(0, headHeight() + i * rowHeight(), width(), rowHeight()), m_engines.at(i));
    if (all)
        return;
    painter.setFont(faceFont(Face::Second));
    painter.setPen(t.ink2);
    painter.drawText(QPoint(px(16), baselineOf(QRect(0, headHeight() + shown * rowHeight(), 1, px(24)))),
                     tr("%n more", nullptr, static_cast<int>(m_engines.size()) - shown));
}

void EngineList::paintRow(QPainter& painter, const QRect& row, const EngineRow& engine) const
{
    const Tokens& t = tokensFor(this);
    const bool alive = engine.state == EngineState::Running || engine.state == EngineState::Draining;
    const int size = px(14), left = px(16) + size + px(8), end = width() - px(16);
    const QRect first(0, row.top() + px(2), width(), px(20)), second = first.translated(0, px(18));
    const QRect sign(px(16), first.center().y() - size / 2, size, size);
    if (engine.state == EngineState::Silent)
        drawShape(painter, sign, Shape::Warning, Strength::Subject, t);
    else if (engine.state == EngineState::Draining)
        drawShape(painter, sign, Shape::Waiting, Strength::Subject, t);
    else
        drawIcon(painter, sign, alive ? Icon::Dot : Icon::Close, alive ? t.ink : t.ink3);
    const QString age = engineWord(engine.state) + u" · "_s + engineAge(engine, m_nowUs);
    const QFontMetrics metrics(faceFont(Face::Second));
    painter.setFont(faceFont(Face::Second));
    painter.setPen(alive ? t.ink2 : engine.state == EngineState::Silent ? t.ink : t.ink3);
    const int ageLeft = end - metrics.horizontalAdvance(age);
    painter.drawText(QPoint(ageLeft, baselineOf(first)), age);
    const QFont name = faceFont(Face::Body, alive ? QFont::Medium : QFont::Normal);
    painter.setFont(name);
    painter.setPen(alive || engine.state == EngineState::Silent ? t.ink : t.ink3);
    painter.drawText(QPoint(left, baselineOf(first)),
                     QFontMetrics(name).elidedText(nameOf(engine), Qt::ElideMiddle, ageLeft - left - px(12)));
    QStringList facts{tr("since %1", "when it was started").arg(momentText(engine.startedUs, m_nowUs)), engine.version};
    if (!engine.roles.isEmpty())
        facts << engine.roles;
    painter.setFont(faceFont(Face::Second));
    painter.setPen(alive ? t.ink2 : t.ink3);
    painter.drawText(QPoint(left, baselineOf(second)),
                     metrics.elidedText(facts.join(u" · "_s), Qt::ElideRight, end - left));
}

} // namespace tekil::ui::overview
