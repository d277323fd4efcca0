// A message in the page, never a window: shape, one bold sentence, one line what to do, and the way out at the right.
#pragma once

#include "ui/widgets/controls.h"
#include "ui/widgets/state_shape.h"

#include <QWidget>

class QHBoxLayout;

namespace tekil::ui {

class MessageBand : public QWidget {
    Q_OBJECT
public:
    enum class Kind : std::uint8_t { Warning, Failed, Unknown, Quiet, Pending };
    explicit MessageBand(Kind kind, QWidget* parent = nullptr);

    void setKind(Kind kind);
    void setText(const QString& sentence, const QString& whatToDo = {});
    Button* addButton(const QString& text, Button::Weight weight = Button::Weight::Plain);
    QString sentence() const { return m_sentence->text(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Tokens& looks() const;

    Kind m_kind;
    Label* m_sentence;
    Label* m_whatToDo;
    QHBoxLayout* m_row;
};

} // namespace tekil::ui
