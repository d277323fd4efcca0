// One line of 26 px.
#include "ui/widgets/status_line.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QProgressBar>

namespace tekil::ui {

StatusLine::StatusLine(QWidget* parent)
    : QWidget(parent), m_job(new QWidget(this)), m_jobText(new Label({}, Face::Second, QFont::Normal, Ink::Second)),
      m_progress(new QProgressBar), m_cancel(new IconButton(Icon::Close, tr("Cancel")))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 1, px(12), 0);
    row->addStretch(1);
    row->addWidget(m_job);
    auto* inner = new QHBoxLayout(m_job);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(m_jobText);
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(px(96), px(8));
    inner->addWidget(m_progress);
    inner->addWidget(m_cancel);
    m_job->hide();
    connect(m_cancel, &IconButton::clicked, this, &StatusLine::cancelJobRequested);
}

QSize StatusLine::sizeHint() const
{
    return {px(400), px(26)};
}

void StatusLine::setConnection(const QString& text, bool connected)
{
    m_connection = text;
    m_connected = connected;
    setAccessibleName(text);
    update();
}

void StatusLine::setParts(const QStringList& parts)
{
    m_parts = parts;
    setAccessibleDescription(parts.join(QStringView(u", ")));
    update();
}

void StatusLine::setJob(const QString& text, int percent)
{
    m_jobText->setText(text);
    m_progress->setRange(0, percent < 0 ? 0 : 100);
    m_progress->setValue(percent);
    m_progress->setAccessibleName(text);
    m_job->show();
}

void StatusLine::clearJob()
{
    m_job->hide();
}

void StatusLine::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(currentTheme());
    QPainter painter(this);
    painter.fillRect(rect(), t.window);
    drawHairline(painter, rect(), Qt::TopEdge, t.line);
    const int size = px(12);
    const QRect sign(px(16), (height() - size) / 2, size, size);
    if (m_connected)
        drawIcon(painter, sign, Icon::Dot, t.ink2);
    else
        drawShape(painter, sign, Shape::Waiting, Strength::Subject, t);
    int x = sign.right() + px(6);
    const int end = m_job->isVisible() ? m_job->x() - px(16) : width() - px(16);
    const auto write = [&](const QString& text, const QFont& font) {
        const QString shown = QFontMetrics(font).elidedText(text, Qt::ElideRight, std::max(0, end - x));
        painter.setFont(font);
        painter.setPen(t.ink2);
        painter.drawText(QPoint(x, baselineOf(rect())), shown);
        x += QFontMetrics(font).horizontalAdvance(shown);
    };
    write(m_connection, faceFont(Face::Second, m_connected ? QFont::Normal : QFont::DemiBold));
    for (const QString& part : m_parts) {
        if (x + px(64) > end)
            break; // the rest has no room; it is in the accessible description
        x += px(16);
        drawHairline(painter, QRect(x, px(6), 1, height() - px(12)), Qt::LeftEdge, t.lineStrong);
        x += px(16);
        write(part, faceFont(Face::Second));
    }
}

void StatusLine::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        m_cancel->setIcon(Icon::Close, tr("Cancel"));
    if (event->type() == QEvent::ApplicationFontChange)
        updateGeometry();
}

} // namespace tekil::ui
