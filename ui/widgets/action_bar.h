// The acts at the foot of a page or an inspector. What may not be done now stays visible, with the reason in words.
#pragma once

#include "ui/widgets/controls.h"

#include <QVector>
#include <QWidget>

namespace tekil::ui {

class ActionBar : public QWidget {
    Q_OBJECT
public:
    explicit ActionBar(QWidget* parent = nullptr);

    // `id` names the act in triggered(). Acts wrap onto further lines where the bar is narrow.
    Button* add(const QString& id, const QString& text, const QString& key = {}, bool startsLine = false);
    void setAllowed(const QString& id, bool allowed);
    void setReason(const QString& reason); // after a lock, under the acts; empty for none
    void setSelectionText(const QString& text); // "3 selected  14,120.00 TRY", before the acts
    Button* button(const QString& id) const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void triggered(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    int arrange(int width, bool apply) const;

    struct Act {
        QString id;
        Button* button;
        bool startsLine;
    };
    QVector<Act> m_acts;
    Label* m_selection;
    Label* m_reason;
};

} // namespace tekil::ui
