// A refused sign-in says which of the things that can be wrong is wrong, and keeps what was typed but the password.
#include "ui/shell/sign_in_page.h"

#include "core/base/clock.h"
#include "ui/shell/appearance.h"
#include "ui/shell/top_bar.h"
#include "ui/widgets/message_band.h"

#include <QApplication>
#include <QBoxLayout>
#include <QEvent>
#include <QFile>
#include <QFontMetrics>
#include <QPainter>
#include <QSettings>
#include <QTimer>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

// Filled: runs. Ring: on its way. Failed: the failed shape.
class StateDot : public QWidget {
public:
    enum class Kind : std::uint8_t { Runs, Waits, Failed };
    StateDot() { setFixedSize(px(16), px(16)); }
    void setKind(Kind kind)
    {
        m_kind = kind;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        if (m_kind == Kind::Failed)
            return drawShape(painter, rect().adjusted(1, 1, -1, -1), Shape::Failed, Strength::Subject, t);
        if (m_kind == Kind::Waits)
            return drawShape(painter, rect().adjusted(1, 1, -1, -1), Shape::Waiting, Strength::Subject, t);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.ink2);
        painter.drawEllipse(QPointF(px(5), height() / 2.0), px(3.5), px(3.5));
    }

private:
    Kind m_kind = Kind::Waits;
};

namespace {

class Mark : public QWidget {
public:
    Mark() { setFixedSize(px(28), px(28)); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.primary);
        painter.drawRoundedRect(rect(), px(5), px(5));
        painter.setPen(t.primaryText);
        painter.setFont(faceFont(Face::Title, QFont::Black));
        painter.drawText(rect(), Qt::AlignCenter, u"1"_s);
    }
};

class Sheet : public QWidget {
protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.lineStrong, 1));
        painter.setBrush(t.base);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), px(6), px(6));
        drawHairline(painter, QRect(px(400), 1, 1, height() - 2), Qt::LeftEdge, t.line);
    }
};

// One demo person: a row that signs in.
class PersonRow : public QAbstractButton {
public:
    PersonRow(const QString& login, const QString& meaning, const QString& role)
        : m_login(login), m_meaning(meaning), m_role(role)
    {
        setFixedHeight(px(48));
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setAccessibleName(u"%1, %2, %3"_s.arg(login, role, meaning));
        setText(login);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        if (underMouse() || isDown())
            painter.fillRect(rect(), isDown() ? t.lineStrong : t.hover);
        drawHairline(painter, rect(), Qt::BottomEdge, t.line);
        drawIcon(painter, QRect(px(8), height() / 2 - px(8), px(16), px(16)), Icon::Person, t.ink2);
        const QRect upper(0, px(5), width(), px(19)), lower(0, px(24), width(), px(19));
        write(painter, px(36), upper, faceFont(Face::Body, QFont::DemiBold), t.ink, m_login);
        write(painter, px(36), lower, faceFont(Face::Second), t.ink2, m_meaning);
        const QFont second = faceFont(Face::Second);
        write(painter, width() - px(32) - QFontMetrics(second).horizontalAdvance(m_role), rect(), second, t.ink2,
              m_role);
        drawIcon(painter, QRect(width() - px(24), height() / 2 - px(8), px(16), px(16)), Icon::ChevronRight, t.ink2);
        if (hasFocus())
            drawRing(painter, rect(), px(2), px(4), t.focus);
    }

private:
    static void write(QPainter& painter, int x, const QRect& line, const QFont& font, const QColor& color,
                      const QString& text)
    {
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(QPoint(x, baselineOf(line)), text);
    }

    QString m_login, m_meaning, m_role;
};

QLineEdit* formField()
{
    auto* field = new QLineEdit;
    field->setFixedHeight(px(32));
    return field;
}

void clearColumn(QVBoxLayout* column)
{
    while (QLayoutItem* item = column->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

SignInPage::SignInPage(const SignInPlace& place, const QString& login, EmbeddedEngine* engine, QWidget* parent)
    : QWidget(parent), m_place(place), m_engine(engine), m_sheet(new Sheet), m_aside(new QVBoxLayout),
      m_band(new MessageBand(MessageBand::Kind::Failed)),
      m_slogan(new Label({}, Face::Body, QFont::Normal, Ink::Second)),
      m_workspaceLabel(new Label({}, Face::Second, QFont::Normal, Ink::Second)), m_placeName(new Label({}, Face::Body)),
      m_loginLabel(new Label({}, Face::Second, QFont::Normal, Ink::Second)),
      m_passwordLabel(new Label({}, Face::Second, QFont::Normal, Ink::Second)),
      m_connectionLabel(new Label({}, Face::Second, QFont::Normal, Ink::Second)),
      m_foot(new Label({}, Face::Second, QFont::Normal, Ink::Second)), m_tag(new EnvironmentTag(place.environment)),
      m_login(formField()), m_password(formField()), m_connection(formField()), m_signIn(new Button({})),
      m_other(new Button({})), m_retry(new Button({})), m_dot(new StateDot)
{
    buildSheet();
    m_login->setText(login.isEmpty() ? QSettings().value(u"signIn/login"_s).toString() : login);
    m_password->setEchoMode(QLineEdit::Password);
    for (QLineEdit* field : {m_login, m_password, m_connection})
        connect(field, &QLineEdit::returnPressed, this, &SignInPage::trySignIn);
    connect(m_signIn, &Button::clicked, this, &SignInPage::trySignIn);
    connect(m_other, &Button::clicked, this, &SignInPage::switchPlace);
    if (engine) {
        connect(engine, &EmbeddedEngine::changed, this, &SignInPage::onEngine);
        connect(m_retry, &Button::clicked, engine, &EmbeddedEngine::retry);
    }
    // A refused file, or one that appears while the demo is being made.
    auto* look = new QTimer(this);
    connect(look, &QTimer::timeout, this, [this] {
        if (m_people.isEmpty() && QFile::exists(m_place.demoLogins))
            buildAside();
    });
    if (!place.demoLogins.isEmpty())
        look->start(1000);
    retranslate();
    onEngine();
}

void SignInPage::buildSheet()
{
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(px(16), px(16), px(16), px(16));
    whole->addStretch(1);
    m_sheet->setFixedWidth(px(880));
    auto* halves = new QHBoxLayout(m_sheet);
    halves->setContentsMargins(0, 0, 0, 0);
    halves->setSpacing(0);
    QWidget* form = buildForm();
    form->setFixedWidth(px(400));
    halves->addWidget(form);
    auto* aside = new QWidget;
    m_aside->setContentsMargins(px(32), px(36), px(32), px(28));
    m_aside->setSpacing(0);
    aside->setLayout(m_aside);
    halves->addWidget(aside, 1);
    whole->addWidget(m_sheet, 0, Qt::AlignHCenter);
    auto* foot = new QWidget;
    foot->setFixedWidth(px(880));
    auto* line = new QHBoxLayout(foot);
    line->setContentsMargins(0, px(8), 0, 0);
    line->setSpacing(px(4));
    line->addWidget(m_dot);
    m_foot->setElided(true);
    line->addWidget(m_foot, 1);
    m_retry->hide();
    line->addWidget(m_retry);
    for (const auto& [word, language] :
         {std::pair(u"English"_s, Language::English), std::pair(u"Türkçe"_s, Language::Turkish)}) {
        auto* choice = new Button(word);
        choice->setWeight(Button::Weight::Quiet);
        connect(choice, &Button::clicked, this, [language] { setLanguage(language); });
        line->addWidget(choice);
    }
    whole->addWidget(foot, 0, Qt::AlignHCenter);
    whole->addStretch(1);
}

QWidget* SignInPage::buildForm()
{
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(px(40), px(36), px(40), px(28));
    column->setSpacing(px(4));
    auto* brand = new QHBoxLayout;
    brand->setSpacing(px(12));
    brand->addWidget(new Mark);
    brand->addWidget(new Label(u"Tekil"_s, Face::Figure, QFont::Bold), 1);
    column->addLayout(brand);
    column->addSpacing(px(12));
    column->addWidget(m_slogan);
    column->addSpacing(px(22));
    column->addWidget(m_workspaceLabel);
    auto* place = new QHBoxLayout;
    place->setSpacing(px(8));
    place->addWidget(m_tag);
    m_placeName->setElided(true);
    place->addWidget(m_placeName, 1);
    column->addLayout(place);
    column->addWidget(m_connectionLabel);
    column->addWidget(m_connection);
    column->addSpacing(px(14));
    column->addWidget(m_loginLabel);
    column->addWidget(m_login);
    column->addSpacing(px(12));
    column->addWidget(m_passwordLabel);
    column->addWidget(m_password);
    column->addSpacing(px(8));
    column->addWidget(m_band);
    m_band->hide();
    column->addSpacing(px(4));
    m_signIn->setWeight(Button::Weight::Primary);
    m_signIn->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_signIn->setMinimumHeight(px(36));
    column->addWidget(m_signIn);
    column->addSpacing(px(12));
    column->addWidget(m_other, 0, Qt::AlignLeft);
    column->addStretch(1);
    m_connectionLabel->hide();
    m_connection->hide();
    for (const auto& [label, field] : {std::pair(m_loginLabel, m_login), std::pair(m_passwordLabel, m_password),
                                       std::pair(m_connectionLabel, m_connection)})
        label->setBuddy(field);
    return form;
}

// A line each: login, role and password, parted by tabs, as the demonstration writes them.
QVector<SignInPage::DemoPerson> SignInPage::readPeople() const
{
    QVector<DemoPerson> people;
    QFile file(m_place.demoLogins);
    if (m_elsewhere || m_place.demoLogins.isEmpty() || !file.open(QIODevice::ReadOnly))
        return people;
    const QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
    for (const QString& line : lines) {
        const QStringList parts = line.split(u'\t');
        if (parts.size() == 3)
            people << DemoPerson{.login = parts.at(0), .password = parts.at(2), .role = parts.at(1)};
    }
    return people;
}

void SignInPage::addPeople(QVBoxLayout* column)
{
    column->addWidget(new Label(tr("Sign in as a demo person"), Face::Block, QFont::Bold));
    column->addSpacing(px(4));
    column->addWidget(new Label(tr("Only in a demo workspace. Another person gets a window of their own."),
                                Face::Second, QFont::Normal, Ink::Second));
    column->addSpacing(px(10));
    for (const DemoPerson& person : m_people) {
        auto* row = new PersonRow(person.login, roleMeaning(person.role), roleWord(person.role));
        connect(row, &QAbstractButton::clicked, this, [this, person] { signIn(person.login, person.password); });
        column->addWidget(row);
    }
}

void SignInPage::buildAside()
{
    clearColumn(m_aside);
    m_people = readPeople();
    const auto paragraph = [this](const QString& text) {
        auto* label = new Label(text, Face::Second, QFont::Normal, Ink::Second);
        label->setWordWrap(true);
        m_aside->addWidget(label);
        m_aside->addSpacing(px(10));
    };
    if (!m_people.isEmpty()) {
        addPeople(m_aside);
        m_aside->addSpacing(px(12));
    } else {
        const bool local = m_engine && !m_elsewhere;
        m_aside->addWidget(new Label(local ? tr("A workspace on this computer") : tr("A database of your organisation"),
                                     Face::Block, QFont::Bold));
        m_aside->addSpacing(px(10));
        paragraph(local ? tr("Its database and its engine run here, as long as a window is open.")
                        : tr("Your login and its role are kept by PostgreSQL; this window keeps no password."));
        if (local)
            paragraph(tr("People are added by the owner of the workspace with tekild admin operator add."));
    }
    if (m_engine && !m_elsewhere)
        paragraph(
            tr("Whoever owns this computer's account can do everything in this workspace: rules for two people hold "
               "here against mistakes, on a server against people."));
    m_aside->addStretch(1);
}

void SignInPage::clearPassword()
{
    m_password->clear();
}

QString SignInPage::message() const
{
    return m_band->isVisibleTo(this) ? m_band->sentence() : QString();
}

void SignInPage::switchPlace()
{
    m_elsewhere = !m_elsewhere;
    m_connectionLabel->setVisible(m_elsewhere);
    m_connection->setVisible(m_elsewhere);
    m_tag->setEnvironment(m_elsewhere ? Environment::Prod : m_place.environment);
    retranslate();
    onEngine();
    (m_elsewhere ? m_connection : m_login)->setFocus();
}

void SignInPage::trySignIn()
{
    if (m_login->text().trimmed().isEmpty()) {
        stop(tr("Who signs in?"), tr("Write your login."));
        return m_login->setFocus();
    }
    signIn(m_login->text().trimmed(), m_password->text());
}

void SignInPage::signIn(const QString& login, const QString& password)
{
    const QString conninfo = m_elsewhere ? m_connection->text().trimmed() : m_place.conninfo;
    if (conninfo.isEmpty() && m_engine && !m_elsewhere)
        return stop(tr("The workspace is not ready yet."), tr("Wait until the line below says so."));
    m_band->hide();
    m_session = std::make_unique<Session>(Profile{conninfo, login}, password);
    connect(m_session.get(), &Session::stateChanged, this, &SignInPage::onSessionState);
    m_signIn->setText(tr("Signing in…"));
    m_signIn->setEnabled(false);
    m_session->open();
}

void SignInPage::stop(const QString& sentence, const QString& whatToDo)
{
    if (m_session) { // this may be its own signal: it goes when the signal is over
        m_session->disconnect(this);
        QMetaObject::invokeMethod(qApp, [old = m_session.release()] { delete old; }, Qt::QueuedConnection);
    }
    m_signIn->setEnabled(true);
    retranslate();
    m_band->setKind(MessageBand::Kind::Failed);
    m_band->setText(sentence, whatToDo);
    m_band->setToolTip(whatToDo);
    m_band->show();
}

void SignInPage::onSessionState()
{
    const ConnectionState state = m_session->state();
    switch (state.kind) {
    case ConnectionState::Kind::Connecting: return;
    case ConnectionState::Kind::Live:
    case ConnectionState::Kind::Polling: {
        if (m_elsewhere)
            m_place = {m_session->profile().conninfo, placeOf(m_session->profile()), Environment::Prod, {}};
        QSettings().setValue(u"signIn/login"_s, m_session->facts().login);
        Session* session = m_session.release();
        session->disconnect(this);
        clearPassword();
        m_band->hide();
        m_signIn->setEnabled(true);
        retranslate();
        Q_EMIT signedIn(session);
        return;
    }
    case ConnectionState::Kind::Reconnecting:
        m_band->setKind(MessageBand::Kind::Warning);
        m_band->setText(tr("The database does not answer."),
                        tr("It is tried again by itself, try %1.").arg(state.attempt + 1));
        m_band->setToolTip(state.detail);
        m_band->show();
        m_signIn->setEnabled(true);
        m_signIn->setText(tr("Try now"));
        return;
    case ConnectionState::Kind::WrongSchema:
        return stop(tr("This console and the database do not fit."),
                    tr("The database speaks version %1, this console %2. Update the older one.")
                        .arg(state.schemaFound)
                        .arg(kConsoleVersion));
    case ConnectionState::Kind::Refused: break;
    }
    switch (state.refusal) {
    case Refusal::BadPassword:
        stop(tr("Login or password is wrong."), tr("Write the password again."));
        m_password->clear();
        m_password->setFocus();
        return;
    case Refusal::NotAnOperator: return stop(tr("This login is no operator here."), tr("An admin can make it one."));
    case Refusal::Disabled: return stop(tr("This login is disabled."), tr("An admin can enable it."));
    case Refusal::NoContract:
        return stop(tr("This is no Tekil database."),
                    tr("Look at the database's name, or migrate it with tekild migrate."));
    case Refusal::Options: return stop(tr("The connection cannot be read."), state.detail);
    case Refusal::Other:
    case Refusal::None: return stop(tr("The server refused this sign-in."), state.detail);
    }
}

QString SignInPage::footText() const
{
    if (!m_engine || m_elsewhere)
        return m_elsewhere || m_place.name.isEmpty() ? tr("No engine runs here")
                                                     : tr("No engine runs here · %1").arg(m_place.name);
    const EngineStatus status = m_engine->status();
    QStringList parts;
    switch (status.phase) {
    case EngineStatus::Phase::Waiting: parts << tr("Another program is at work in the workspace"); break;
    case EngineStatus::Phase::Creating: parts << tr("The workspace is being made"); break;
    case EngineStatus::Phase::Starting: parts << tr("The workspace starts"); break;
    case EngineStatus::Phase::Migrating: parts << tr("The database is brought up to date"); break;
    case EngineStatus::Phase::Running: parts << tr("Engine running"); break;
    case EngineStatus::Phase::Joined: parts << tr("Joined: the engine runs in another program"); break;
    case EngineStatus::Phase::Draining: parts << tr("Engine drains"); break;
    case EngineStatus::Phase::Stopped: parts << tr("Engine stopped"); break;
    case EngineStatus::Phase::Failed: parts << tr("Engine does not run: %1").arg(status.problem); break;
    }
    if (status.serverMajor > 0)
        parts << u"PostgreSQL %1"_s.arg(status.serverMajor);
    if (status.schemaVersion > 0)
        parts << tr("schema %1").arg(status.schemaVersion);
    if (status.recovering)
        parts << tr("goes on after an unclean end: %1 under way, %2 unknown")
                     .arg(status.recoveringPayments)
                     .arg(status.recoveringUnknown);
    return parts.join(u" · "_s);
}

void SignInPage::onEngine()
{
    m_foot->setText(footText());
    m_foot->setToolTip(footText());
    if (!m_engine || m_elsewhere) {
        m_retry->hide();
        return m_dot->setKind(StateDot::Kind::Runs);
    }
    const EngineStatus status = m_engine->status();
    if (status.databaseReady)
        m_place.conninfo = status.conninfo;
    const bool failed = status.phase == EngineStatus::Phase::Failed;
    const bool runs = status.phase == EngineStatus::Phase::Running || status.phase == EngineStatus::Phase::Joined;
    m_retry->setVisible(failed);
    m_dot->setKind(failed ? StateDot::Kind::Failed : runs ? StateDot::Kind::Runs : StateDot::Kind::Waits);
}

void SignInPage::retranslate()
{
    m_slogan->setText(tr("One payment, one effect."));
    m_workspaceLabel->setText(m_engine && !m_elsewhere ? tr("Workspace") : tr("Database"));
    const QString local = m_place.environment == Environment::Demo ? tr("demo workspace on this computer")
                                                                   : tr("workspace on this computer");
    m_placeName->setText(m_elsewhere ? tr("another database") : m_place.name.isEmpty() ? local : m_place.name);
    if (m_engine)
        m_placeName->setToolTip(m_engine->directory());
    m_loginLabel->setText(tr("Login"));
    m_passwordLabel->setText(tr("Password"));
    m_connectionLabel->setText(tr("Connection"));
    m_connection->setPlaceholderText(tr("host=… dbname=… or service=…"));
    m_login->setAccessibleName(tr("Login"));
    m_password->setAccessibleName(tr("Password"));
    m_connection->setAccessibleName(tr("Connection"));
    m_signIn->setText(tr("Sign in"));
    m_other->setText(m_elsewhere ? tr("Back") : tr("Connect to another database…"));
    m_retry->setText(tr("Try again"));
    buildAside();
    m_foot->setText(footText());
}

void SignInPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void SignInPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    (m_login->text().isEmpty() ? m_login : m_password)->setFocus();
}

void SignInPage::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), tokensFor(this).window);
}

} // namespace tekil::ui
