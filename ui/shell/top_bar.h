// The top bar: which world and database, finding, the clock, whether data is live, and who is signed in.
#pragma once

#include "ui/db/session.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/environment.h"

class QMenu;

namespace tekil::ui {

class FindBox;

// Icon, name, role and an arrow: the person's menu.
class PersonButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit PersonButton(QWidget* parent);
    void setPerson(const QString& login, const QString& role);
    void setCompact(bool compact);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_login, m_role;
    bool m_compact = false;
};

// A dot and "Live", or a clock and "Reconnecting".
class LiveState : public QWidget {
    Q_OBJECT
public:
    explicit LiveState(QWidget* parent);
    void setState(const QString& word, bool isLive);
    QString word() const { return m_word; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_word;
    bool m_live = false;
};

class TopBar : public QWidget {
    Q_OBJECT
public:
    TopBar(Session* session, Environment environment, const QString& place, QWidget* parent);

    FindBox* findBox() const { return m_find; }
    PersonButton* person() const { return m_person; }
    LiveState* live() const { return m_live; }
    void setCompact(bool compact);
    void tick();

Q_SIGNALS:
    void personMenuRequested(const QPoint& at);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showState();

    Session* m_session;
    FindBox* m_find;
    Label *m_day, *m_clock, *m_zone;
    LiveState* m_live;
    IconButton* m_pause;
    PersonButton* m_person;
};

// "Operations" for "operations", in the reader's language.
QString roleWord(const QString& role);
// "works unknown payments, requests"
QString roleMeaning(const QString& role);

} // namespace tekil::ui
