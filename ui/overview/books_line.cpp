// One ruled line of 60 px.
#include "ui/overview/books_line.h"

#include "ui/widgets/format.h"
#include "ui/widgets/icons.h"

#include <QPainter>

namespace tekil::ui::overview {

BooksLine::BooksLine(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize BooksLine::sizeHint() const
{
    return {px(600), px(60)};
}

void BooksLine::setReading(const Reading& reading, std::int64_t nowUs)
{
    m_isRead = true;
    m_state = booksStateOf(reading, nowUs);
    m_headline = booksHeadline(m_state);
    m_detail = booksDetail(reading, nowUs);
    QStringList problems;
    for (const BooksProblem& problem : reading.problems)
        problems << problemText(problem);
    if (!problems.isEmpty())
        m_detail = problems.front()
                   + (problems.size() > 1 ? QStringLiteral(" +%1").arg(problems.size() - 1) : QString())
                   + QStringLiteral(" · ") + m_detail;
    m_totals = reading.books ? reading.books->totals : QVector<BooksTotal>();
    setAccessibleName(m_headline);
    setAccessibleDescription(m_detail);
    setToolTip(problems.isEmpty() ? m_detail : problems.join(QChar(u'\n')));
    update();
}

void BooksLine::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    const bool wrong = m_state == BooksState::Wrong;
    painter.fillRect(rect(), wrong ? t.tintFailed : t.base);
    drawHairline(painter, rect(), Qt::BottomEdge, t.line);
    if (!m_isRead)
        return;
    const int size = px(16), top = (height() - px(40)) / 2;
    const QRect sign(px(16), top + px(2), size, size);
    if (wrong)
        drawShape(painter, sign, Shape::Alarm1, Strength::Subject, t);
    else if (m_state == BooksState::Balance)
        drawIcon(painter, sign, Icon::Check, t.ink);
    else
        drawShape(painter, sign, Shape::Waiting, Strength::Subject, t);
    const int left = sign.right() + px(10);
    const QFont head = faceFont(Face::Block, QFont::Bold);
    painter.setFont(head);
    painter.setPen(wrong ? t.failed : t.ink);
    painter.drawText(QPoint(left, baselineOf(QRect(left, top, 1, px(20)))), m_headline);
    const QFontMetrics metrics(faceFont(Face::Second));
    // The words have their own third of the line, and all of it where there is an alarm to read.
    const int most = wrong || m_totals.isEmpty() ? width() - left - px(16) : std::max(width() * 34 / 100, px(330));
    painter.setFont(faceFont(Face::Second));
    painter.setPen(wrong ? t.ink : t.ink2);
    painter.drawText(QPoint(left, baselineOf(QRect(left, top + px(20), 1, px(20)))),
                     metrics.elidedText(m_detail, Qt::ElideRight, most));
    if (!wrong)
        paintTotals(painter, left + most + px(24));
}

void BooksLine::paintTotals(QPainter& painter, int left) const
{
    const Tokens& t = tokensFor(this);
    const int end = width() - px(16);
    for (qsizetype i = 0; i < m_totals.size(); ++i) {
        const int next = paintTotal(painter, left, end, m_totals.at(i), i == 0);
        if (next < 0) {
            painter.setFont(faceFont(Face::Second));
            painter.setPen(t.ink2);
            painter.drawText(QRect(left, 0, end - left, height()), Qt::AlignRight | Qt::AlignVCenter,
                             QStringLiteral("+%1").arg(m_totals.size() - i));
            return;
        }
        left = next;
    }
}

// Where the next one begins; less than zero where this one had no room.
int BooksLine::paintTotal(QPainter& painter, int left, int end, const BooksTotal& total, bool first) const
{
    const Tokens& t = tokensFor(this);
    const QFont label = faceFont(Face::Second), figure = faceFont(first ? Face::Block : Face::Body, QFont::DemiBold);
    const QString credit = totalText(total.credit, total.exponent), debit = totalText(total.debit, total.exponent);
    const QString both = total.credit == total.debit ? credit : credit + QStringLiteral(" ≠ ") + debit;
    const QString caption = first ? tr("Debits = credits", "the two sides of the books") + QStringLiteral(" · ")
                                        + total.currency
                                  : total.currency;
    const int width = std::max(QFontMetrics(label).horizontalAdvance(caption),
                               QFontMetrics(figure).horizontalAdvance(both));
    if (left + width > end)
        return -1;
    const int top = (height() - px(40)) / 2;
    if (!first)
        drawHairline(painter, QRect(left - px(16), top + px(4), 1, px(32)), Qt::LeftEdge, t.line);
    painter.setFont(label);
    painter.setPen(t.ink2);
    painter.drawText(QPoint(left, baselineOf(QRect(left, top, 1, px(20)))), caption);
    painter.setFont(figure);
    painter.setPen(t.ink);
    painter.drawText(QPoint(left, baselineOf(QRect(left, top + px(20), 1, px(20)))), both);
    return left + width + px(32);
}

} // namespace tekil::ui::overview
