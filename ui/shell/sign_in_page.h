// The first page of a window: who signs in to what. It keeps trying while a database cannot be reached.
#pragma once

#include "ui/db/session.h"
#include "ui/shell/embedded_engine.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/environment.h"

#include <QLineEdit>

#include <memory>

class QVBoxLayout;

namespace tekil::ui {

class MessageBand;
class StateDot;

// Where a window signs in to: an own workspace, or a database named on the command line or by hand.
struct SignInPlace {
    QString conninfo;                 // empty while the workspace is not ready
    QString name;                     // "pay-core@db1"; empty: the workspace on this computer
    Environment environment = Environment::Prod;
    QString demoLogins;               // a file, offered where it can be read
};

class SignInPage : public QWidget {
    Q_OBJECT
public:
    SignInPage(const SignInPlace& place, const QString& login, EmbeddedEngine* engine, QWidget* parent = nullptr);

    const SignInPlace& place() const { return m_place; }
    QString message() const;
    void clearPassword();

    QLineEdit* loginField() const { return m_login; }
    QLineEdit* passwordField() const { return m_password; }
    Button* signInButton() const { return m_signIn; }

Q_SIGNALS:
    void signedIn(tekil::ui::Session* session); // the receiver owns it

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct DemoPerson {
        QString login, password, role;
    };
    void buildSheet();
    QWidget* buildForm();
    void buildAside();
    void addPeople(QVBoxLayout* column);
    QVector<DemoPerson> readPeople() const;
    void trySignIn();
    void signIn(const QString& login, const QString& password);
    void onSessionState();
    void onEngine();
    void stop(const QString& sentence, const QString& whatToDo);
    void switchPlace();
    QString footText() const;
    void retranslate();

    SignInPlace m_place;
    EmbeddedEngine* m_engine;
    std::unique_ptr<Session> m_session;
    QWidget* m_sheet;
    QVBoxLayout* m_aside;
    MessageBand* m_band;
    Label *m_slogan, *m_workspaceLabel, *m_placeName, *m_loginLabel, *m_passwordLabel, *m_connectionLabel, *m_foot;
    EnvironmentTag* m_tag;
    QLineEdit *m_login, *m_password, *m_connection;
    Button *m_signIn, *m_other, *m_retry;
    StateDot* m_dot;
    bool m_elsewhere = false; // a connection is typed in
    QVector<DemoPerson> m_people;
};

} // namespace tekil::ui
