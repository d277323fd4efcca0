// The field paints its icon, its count and its way to clear into the line edit's margins.
#include "ui/widgets/field.h"

#include "ui/widgets/controls.h"
#include "ui/widgets/state_shape.h"
#include "ui/widgets/tekil_style.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>

namespace tekil::ui {

namespace {

constexpr int kPauseMs = 250;

} // namespace

Field::Field(Kind kind, const QString& accessibleName, QWidget* parent) : QLineEdit(parent), m_kind(kind)
{
    setAccessibleName(accessibleName);
    setFont(faceFont(kind == Kind::Filter ? Face::Mono : Face::Body));
    setFixedHeight(px(28));
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &Field::settle);
    connect(this, &QLineEdit::textEdited, this, [this] { m_pause.start(); });
    connect(this, &QLineEdit::textChanged, this, [this] { applyMargins(); });
    applyMargins();
}

QSize Field::sizeHint() const
{
    return {px(320), px(28)};
}

void Field::settle()
{
    m_pause.stop();
    Q_EMIT settled(text());
}

void Field::setTrailing(const QString& text)
{
    m_trailing = text;
    applyMargins();
    update();
}

void Field::setError(const QString& sentence)
{
    if (sentence == m_error)
        return;
    m_error = sentence;
    setProperty(kFieldError, !sentence.isEmpty());
    setAccessibleDescription(sentence);
    update();
    Q_EMIT errorChanged(sentence);
}

void Field::applyMargins()
{
    const int words = m_trailing.isEmpty()   ? 0
                      : m_kind == Kind::Find ? keyCapSize(m_trailing).width()
                                             : QFontMetrics(faceFont(Face::Second)).horizontalAdvance(m_trailing);
    const int clear = text().isEmpty() ? 0 : px(24);
    setTextMargins(px(26), 0, clear + (words > 0 ? words + px(6) : 0), 0);
}

QRect Field::clearRect() const
{
    if (text().isEmpty())
        return {};
    const int size = px(24);
    return {width() - size - px(2), (height() - size) / 2, size, size};
}

void Field::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    const int size = px(16);
    drawIcon(painter, QRect(px(8), (height() - size) / 2, size, size),
             m_kind == Kind::Find ? Icon::Search : Icon::Filter, isEnabled() ? t.ink2 : t.ink3);
    int right = width() - px(8);
    if (!text().isEmpty()) {
        const QRect clear = clearRect();
        drawIcon(painter, clear.adjusted(px(6), px(6), -px(6), -px(6)), Icon::Close, t.ink2);
        right = clear.left() - px(2);
    }
    if (m_trailing.isEmpty())
        return;
    if (m_kind == Kind::Find) {
        const QSize cap = keyCapSize(m_trailing);
        return drawKeyCap(painter, QRect(QPoint(right - cap.width(), (height() - cap.height()) / 2), cap), m_trailing,
                          t.ink2, t);
    }
    const QFont font = faceFont(Face::Second);
    painter.setFont(font);
    painter.setPen(t.ink3);
    painter.drawText(QPoint(right - QFontMetrics(font).horizontalAdvance(m_trailing), baselineOf(rect())), m_trailing);
}

void Field::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) {
        clear();
        return settle();
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        settle();
    QLineEdit::keyPressEvent(event);
}

void Field::mousePressEvent(QMouseEvent* event)
{
    if (clearRect().contains(event->position().toPoint())) {
        clear();
        return settle();
    }
    QLineEdit::mousePressEvent(event);
}

void Field::mouseMoveEvent(QMouseEvent* event)
{
    setCursor(clearRect().contains(event->position().toPoint()) ? Qt::ArrowCursor : Qt::IBeamCursor);
    QLineEdit::mouseMoveEvent(event);
}

void Field::changeEvent(QEvent* event)
{
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange) {
        setFont(faceFont(m_kind == Kind::Filter ? Face::Mono : Face::Body));
        setFixedHeight(px(28));
        applyMargins();
    }
}

FieldError::FieldError(Field* field, QWidget* parent) : QWidget(parent), m_field(field)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setVisible(!field->error().isEmpty());
    connect(field, &Field::errorChanged, this, [this](const QString& sentence) {
        setAccessibleName(sentence);
        setVisible(!sentence.isEmpty());
        update();
    });
}

QSize FieldError::sizeHint() const
{
    return {px(200), px(22)};
}

void FieldError::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(currentTheme());
    QPainter painter(this);
    const int size = px(14);
    drawShape(painter, QRect(0, (height() - size) / 2, size, size), Shape::Failed, Strength::Subject, t);
    const QFont font = faceFont(Face::Second);
    painter.setFont(font);
    painter.setPen(t.ink);
    const QString text = QFontMetrics(font).elidedText(m_field->error(), Qt::ElideRight, width() - px(22));
    painter.drawText(QPoint(px(22), baselineOf(rect())), text);
}

} // namespace tekil::ui
