// Looks after a pause in typing; late answers of an older text are dropped.
#include "ui/shell/find_box.h"

#include "ui/widgets/field.h"

#include <QBoxLayout>
#include <QEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPointer>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kRow = 44;

} // namespace

FindResults::FindResults(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::NoFocus);
    setMouseTracking(true);
    hide();
}

void FindResults::setHits(const QVector<FindHit>& hits, const QString& notice)
{
    m_hits = hits;
    m_notice = notice;
    m_at = 0;
    setAccessibleName(hits.isEmpty() ? notice : tr("%n found", nullptr, count()));
    update();
}

void FindResults::step(int by)
{
    if (m_hits.isEmpty())
        return;
    m_at = (m_at + by + count()) % count();
    setAccessibleDescription(m_hits.at(m_at).title);
    update();
}

QString FindResults::chosen() const
{
    return m_hits.isEmpty() ? QString() : m_hits.at(m_at).id;
}

QSize FindResults::sizeHint() const
{
    return {px(460), m_hits.isEmpty() ? px(40) : count() * px(kRow) + px(8)};
}

int FindResults::rowAt(const QPoint& point) const
{
    const int row = (point.y() - px(4)) / px(kRow);
    return row >= 0 && row < count() ? row : -1;
}

void FindResults::mousePressEvent(QMouseEvent* event)
{
    const int row = rowAt(event->position().toPoint());
    if (row >= 0)
        Q_EMIT picked(m_hits.at(row).id);
}

void FindResults::mouseMoveEvent(QMouseEvent* event)
{
    const int row = rowAt(event->position().toPoint());
    if (row < 0 || row == m_at)
        return;
    m_at = row;
    update();
}

void FindResults::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), t.raised);
    for (const Qt::Edge edge : {Qt::TopEdge, Qt::BottomEdge, Qt::LeftEdge, Qt::RightEdge})
        drawHairline(painter, rect(), edge, t.control);
    if (m_hits.isEmpty()) {
        painter.setFont(faceFont(Face::Second));
        painter.setPen(t.ink);
        painter.drawText(rect().adjusted(px(12), 0, -px(12), 0), Qt::AlignVCenter,
                         QFontMetrics(painter.font()).elidedText(m_notice, Qt::ElideRight, width() - px(24)));
        return;
    }
    for (int i = 0; i < count(); ++i) {
        const QRect row(1, px(4) + i * px(kRow), width() - 2, px(kRow));
        if (i == m_at)
            painter.fillRect(row, t.selection);
        paintHit(painter, row, m_hits.at(i));
    }
}

void FindResults::paintHit(QPainter& painter, const QRect& row, const FindHit& hit) const
{
    const Tokens& t = tokensFor(this);
    const QRect upper(row.left() + px(12), row.top() + px(3), row.width() - px(24), px(19));
    const QRect lower = upper.translated(0, px(19));
    const int size = px(14);
    drawShape(painter, QRect(upper.left(), upper.center().y() - size / 2, size, size), hit.shape, Strength::List, t);
    const auto write = [&](const QRect& line, Face face, QFont::Weight weight, const QColor& color, const QString& text,
                           bool right, int space) {
        const QFont font = faceFont(face, weight);
        const QFontMetrics metrics(font);
        const QString shown = metrics.elidedText(text, Qt::ElideRight, space);
        painter.setFont(font);
        painter.setPen(color);
        const int x = right ? line.right() - metrics.horizontalAdvance(shown) : line.left() + px(22);
        painter.drawText(QPoint(x, baselineOf(line)), shown);
        return metrics.horizontalAdvance(shown);
    };
    const int amount = write(upper, Face::Body, QFont::Medium, t.ink, hit.amount, true, upper.width());
    write(upper, Face::Body, QFont::DemiBold, t.ink, hit.title, false, upper.width() - amount - px(34));
    const int by = write(lower, Face::Second, QFont::Normal, t.ink3, hit.by, true, lower.width());
    write(lower, Face::Second, QFont::Normal, t.ink2, hit.detail, false, lower.width() - by - px(34));
}

FindBox::FindBox(QWidget* parent)
    : QWidget(parent), m_field(new Field(Field::Kind::Find, {})), m_results(new FindResults(parent))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_field);
    m_field->installEventFilter(this);
    connect(m_field, &Field::settled, this, &FindBox::look);
    connect(m_results, &FindResults::picked, this, &FindBox::pick);
    retranslate();
}

void FindBox::focusFind()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void FindBox::look(const QString& text)
{
    const QString wanted = text.trimmed();
    if (wanted == m_looked)
        return;
    m_looked = wanted;
    m_results->hide();
    m_results->setHits({}, {});
    if (wanted.isEmpty() || !m_page)
        return;
    m_page->find(wanted, [box = QPointer<FindBox>(this), wanted](const FindAnswer& answer) {
        if (box)
            box->showAnswer(wanted, answer);
    });
}

void FindBox::showAnswer(const QString& text, const FindAnswer& answer)
{
    if (text != m_looked)
        return;
    const bool openFirst = std::exchange(m_openFirst, false);
    if (openFirst && answer.hits.size() == 1)
        return pick(answer.hits.front().id);
    m_results->setHits(answer.hits, !answer.problem.isEmpty()
                                        ? answer.problem
                                        : tr("No payment has “%1” as id, key or invoice.").arg(text));
    if (m_field->hasFocus())
        showResults();
}

void FindBox::showResults()
{
    const QPoint below = m_field->mapTo(m_results->parentWidget(), QPoint(0, m_field->height() + px(4)));
    m_results->setGeometry(QRect(below, QSize(std::max(m_field->width(), px(460)), m_results->sizeHint().height())));
    m_results->raise();
    m_results->show();
}

void FindBox::pick(const QString& id)
{
    m_results->hide();
    m_looked.clear();
    m_field->clear();
    if (!m_page)
        return;
    m_page->open(id);
    m_page->focusContent();
}

bool FindBox::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut)
        m_results->hide();
    if (event->type() == QEvent::FocusIn && m_results->count() > 0)
        showResults();
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
    case Qt::Key_Down: m_results->step(1); return true;
    case Qt::Key_Up: m_results->step(-1); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_field->text().trimmed() == m_looked && !m_results->chosen().isEmpty()) {
            pick(m_results->chosen());
            return true;
        }
        m_openFirst = true;
        break;
    case Qt::Key_Escape:
        if (m_results->isVisible()) {
            m_results->hide();
            return true;
        }
        if (m_field->text().isEmpty() && m_page) {
            m_page->focusContent();
            return true;
        }
        break;
    default: m_openFirst = false;
    }
    return QWidget::eventFilter(watched, event);
}

void FindBox::retranslate()
{
    m_field->setPlaceholderText(tr("Find payment, key, invoice"));
    m_field->setAccessibleName(tr("Find"));
    m_field->setTrailing(u"Ctrl+K"_s);
}

void FindBox::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

} // namespace tekil::ui
