// A field with an icon before the text: for finding (with its key) and for filters (in Hack, with what they match).
#pragma once

#include "ui/widgets/icons.h"

#include <QLineEdit>
#include <QTimer>

namespace tekil::ui {

class Field : public QLineEdit {
    Q_OBJECT
public:
    enum class Kind : std::uint8_t { Find, Filter };
    Field(Kind kind, const QString& accessibleName, QWidget* parent = nullptr);

    void setTrailing(const QString& text); // "2,418 match", at the right; the key cap's word for Find
    void setError(const QString& sentence); // empty: none. The sentence stands in a FieldError below
    QString error() const { return m_error; }

    QSize sizeHint() const override;

Q_SIGNALS:
    void settled(const QString& text); // 250 ms after the last key, or at Enter
    void errorChanged(const QString& sentence);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QRect clearRect() const;
    void applyMargins();
    void settle();

    Kind m_kind;
    QString m_trailing;
    QString m_error;
    QTimer m_pause;
};

// The line under a field that says what is wrong with it: shape and words, nothing when there is no error.
class FieldError : public QWidget {
    Q_OBJECT
public:
    explicit FieldError(Field* field, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Field* m_field;
};

} // namespace tekil::ui
