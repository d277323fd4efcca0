// Entries in lines of 20 px; debit and credit are words and signs, never colours.
#include "ui/widgets/entries_block.h"

#include "ui/widgets/format.h"

#include <QFontMetricsF>
#include <QPainter>

namespace tekil::ui {

EntriesBlock::EntriesBlock(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void EntriesBlock::setEntries(const QVector<EntryLine>& lines, const QString& note)
{
    m_lines = lines;
    m_note = note;
    QStringList words;
    for (const EntryLine& line : lines)
        words << line.account + QChar(u' ') + line.name + QChar(u' ')
                     + formatter().money(line.amount.minor, line.amount.exponent, line.amount.currency);
    setAccessibleName(tr("Entries"));
    setAccessibleDescription(words.join(QStringView(u"; ")));
    updateGeometry();
    update();
}

QVector<Amount> EntriesBlock::sums() const
{
    QVector<Amount> sums;
    for (const EntryLine& line : m_lines) {
        auto sum = std::find_if(sums.begin(), sums.end(),
                                [&](const Amount& a) { return a.currency == line.amount.currency; });
        if (sum == sums.end())
            sums << line.amount;
        else if (__builtin_add_overflow(sum->minor, line.amount.minor, &sum->minor))
            sums.erase(sum);
    }
    return sums;
}

QSize EntriesBlock::sizeHint() const
{
    const auto rows = 1 + m_lines.size() + sums().size();
    return {px(260), static_cast<int>(rows) * px(20) + px(4)};
}

void EntriesBlock::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    QRect row(0, 0, width(), px(20));
    const auto text = [&](const QFont& font, const QColor& color, qreal x, const QString& words) {
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(QPointF(x, baselineOf(row)), words);
    };
    const auto right = [&](const QFont& font, const QColor& color, qreal edge, const QString& words) {
        text(font, color, edge - QFontMetricsF(font).horizontalAdvance(words), words);
    };
    const QFont plain = faceFont(Face::Second), strong = faceFont(Face::Second, QFont::Bold);
    text(faceFont(Face::Body, QFont::Bold), t.ink, 0, tr("Entries"));
    right(plain, t.ink3, width(), m_note);
    const int amounts = width();
    qreal widest = 0;
    for (const EntryLine& line : m_lines)
        widest = std::max(widest, QFontMetricsF(plain).horizontalAdvance(
                                      formatter().amount(line.amount.minor, line.amount.exponent)));
    const qreal side = amounts - widest - px(56);
    for (const EntryLine& line : m_lines) {
        row.moveTop(row.top() + px(20));
        text(plain, t.ink2, 0, line.account);
        text(plain, t.ink, px(40), QFontMetricsF(plain).elidedText(line.name, Qt::ElideRight, side - px(44)));
        text(plain, t.ink2, side, line.amount.minor < 0 ? tr("debit") : tr("credit"));
        right(plain, t.ink, amounts, formatter().amount(line.amount.minor, line.amount.exponent));
    }
    for (const Amount& sum : sums()) {
        row.moveTop(row.top() + px(20));
        drawHairline(painter, QRectF(side, row.top(), width() - side, 1), Qt::TopEdge, t.lineStrong);
        text(plain, t.ink2, 0, tr("Sum"));
        text(plain, t.ink3, std::max<qreal>(px(40), QFontMetricsF(plain).horizontalAdvance(tr("Sum")) + px(8)),
             sum.currency);
        right(strong, t.ink, amounts, formatter().amount(sum.minor, sum.exponent));
    }
}

} // namespace tekil::ui
