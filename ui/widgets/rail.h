// The navigation rail: icon, word and badge; folded it is 56 px wide. The chosen item runs into the page.
#pragma once

#include "ui/widgets/controls.h"
#include "ui/widgets/icons.h"

#include <QVector>
#include <QWidget>

namespace tekil::ui {

class Rail : public QWidget {
    Q_OBJECT
public:
    struct Item {
        QString id;
        QString word;
        Icon icon = Icon::None;
        BadgeKind badgeKind = BadgeKind::Outlined;
        bool startsGroup = false; // a hairline stands before it
    };

    explicit Rail(QWidget* parent = nullptr);
    void setItems(const QVector<Item>& items); // again after a change of language
    void setChosen(const QString& id);         // emits nothing
    QString chosen() const { return m_chosen; }
    void setBadge(const QString& id, int count); // 0: none
    void setFolded(bool folded);
    bool isFolded() const { return m_folded; }
    QSize sizeHint() const override;

Q_SIGNALS:
    void activated(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void arrange();

    QVector<Item> m_items;
    QVector<QAbstractButton*> m_buttons;
    QHash<QString, int> m_badges;
    QString m_chosen;
    bool m_folded = false;
};

} // namespace tekil::ui
