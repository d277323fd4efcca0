// The clock shows the server's time, in the reader's zone.
#include "ui/shell/top_bar.h"

#include "ui/shell/find_box.h"
#include "ui/widgets/format.h"
#include "ui/widgets/state_shape.h"

#include <QBoxLayout>
#include <QCoreApplication>
#include <QEvent>
#include <QFontMetrics>
#include <QPainter>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

struct RoleWords {
    Q_DECLARE_TR_FUNCTIONS(Roles)
};

// A hairline that stands between two parts of the bar.
class Divider : public QWidget {
public:
    explicit Divider(QWidget* parent) : QWidget(parent) { setFixedSize(px(25), px(20)); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        drawHairline(painter, QRect(width() / 2, 0, 1, height()), Qt::LeftEdge, tokensFor(this).lineStrong);
    }
};

} // namespace

QString roleWord(const QString& role)
{
    if (role == u"support"_s)
        return RoleWords::tr("Support");
    if (role == u"operations"_s)
        return RoleWords::tr("Operations");
    if (role == u"finance"_s)
        return RoleWords::tr("Finance");
    if (role == u"auditor"_s)
        return RoleWords::tr("Auditor");
    if (role == u"admin"_s)
        return RoleWords::tr("Admin");
    return role;
}

QString roleMeaning(const QString& role)
{
    if (role == u"support"_s)
        return RoleWords::tr("looks up, sees masked data");
    if (role == u"operations"_s)
        return RoleWords::tr("works unknown payments, requests");
    if (role == u"finance"_s)
        return RoleWords::tr("decides what others request");
    if (role == u"auditor"_s)
        return RoleWords::tr("reads all, verifies the books");
    if (role == u"admin"_s)
        return RoleWords::tr("sets up, decides nothing");
    return {};
}

PersonButton::PersonButton(QWidget* parent) : QAbstractButton(parent)
{
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void PersonButton::setPerson(const QString& login, const QString& role)
{
    m_login = login;
    m_role = role;
    setAccessibleName(tr("Signed in as %1, %2").arg(login, role));
    updateGeometry();
    update();
}

void PersonButton::setCompact(bool compact)
{
    m_compact = compact;
    updateGeometry();
    update();
}

QSize PersonButton::sizeHint() const
{
    int width = px(24) + QFontMetrics(faceFont(Face::Body, QFont::DemiBold)).horizontalAdvance(m_login) + px(28);
    if (!m_compact)
        width += px(8) + QFontMetrics(faceFont(Face::Body)).horizontalAdvance(m_role);
    return {width, px(28)};
}

void PersonButton::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || isDown()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isDown() ? t.lineStrong : t.hover);
        painter.drawRoundedRect(rect(), px(4), px(4));
    }
    const int size = px(16), middle = height() / 2;
    drawIcon(painter, QRect(px(2), middle - size / 2, size, size), Icon::Person, t.ink2);
    int x = px(24);
    const auto write = [&](const QFont& font, const QColor& color, const QString& text) {
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(QPoint(x, baselineOf(rect())), text);
        x += QFontMetrics(font).horizontalAdvance(text);
    };
    write(faceFont(Face::Body, QFont::DemiBold), t.ink, m_login);
    if (!m_compact) {
        x += px(8);
        write(faceFont(Face::Body), t.ink2, m_role);
    }
    drawIcon(painter, QRect(x + px(6), middle - size / 2, size, size), Icon::ChevronDown, t.ink2);
    if (hasFocus())
        drawRing(painter, rect(), px(2), px(4), t.focus);
}

LiveState::LiveState(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void LiveState::setState(const QString& word, bool isLive)
{
    if (word == m_word && isLive == m_live)
        return;
    m_word = word;
    m_live = isLive;
    setAccessibleName(tr("Connection: %1").arg(word));
    updateGeometry();
    update();
}

QSize LiveState::sizeHint() const
{
    return {px(20) + QFontMetrics(faceFont(Face::Body, QFont::Medium)).horizontalAdvance(m_word), px(28)};
}

void LiveState::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_live) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.ink2);
        painter.drawEllipse(QPointF(px(8), height() / 2.0), px(3.5), px(3.5));
    } else {
        const int size = px(14);
        drawShape(painter, QRect(px(1), (height() - size) / 2, size, size), Shape::Waiting, Strength::Subject, t);
    }
    painter.setFont(faceFont(Face::Body, QFont::Medium));
    painter.setPen(t.ink);
    painter.drawText(QPoint(px(20), baselineOf(rect())), m_word);
}

TopBar::TopBar(Session* session, Environment environment, const QString& place, QWidget* parent)
    : QWidget(parent), m_session(session), m_find(new FindBox(parent)),
      m_day(new Label({}, Face::Body, QFont::Normal, Ink::Second)), m_clock(new Label({}, Face::Body, QFont::DemiBold)),
      m_zone(new Label({}, Face::Body, QFont::Normal, Ink::Third)), m_live(new LiveState(this)),
      m_pause(new IconButton(Icon::Pause, {})), m_person(new PersonButton(this))
{
    setFixedHeight(px(45));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(16), 0, px(12), 0);
    row->setSpacing(px(8));
    auto* where = new QWidget; // as wide as the rail, so that the find field stands above the page
    where->setFixedWidth(px(192));
    auto* whereRow = new QHBoxLayout(where);
    whereRow->setContentsMargins(0, 0, 0, 0);
    whereRow->setSpacing(px(8));
    whereRow->addWidget(new EnvironmentTag(environment));
    auto* name = new Label(place, Face::Body);
    name->setElided(true);
    name->setToolTip(place);
    whereRow->addWidget(name, 1);
    row->addWidget(where);
    m_find->setMaximumWidth(px(440));
    m_find->setMinimumWidth(px(200));
    row->addWidget(m_find, 3);
    row->addStretch(1);
    row->addWidget(m_day);
    row->addWidget(m_clock);
    row->addWidget(m_zone);
    row->addWidget(new Divider(this));
    row->addWidget(m_live);
    row->addWidget(m_pause);
    row->addWidget(new Divider(this));
    row->addWidget(m_person);
    connect(session, &Session::stateChanged, this, &TopBar::showState);
    connect(m_pause, &IconButton::clicked, session, [session] { session->setPaused(!session->isPaused()); });
    connect(m_person, &QAbstractButton::clicked, this,
            [this] { Q_EMIT personMenuRequested(m_person->mapToGlobal(QPoint(0, m_person->height()))); });
    showState();
}

void TopBar::setCompact(bool compact)
{
    m_day->setVisible(!compact);
    m_person->setCompact(compact);
}

void TopBar::tick()
{
    const std::int64_t now = m_session->serverNowUs();
    const Formatter& words = formatter();
    m_day->setText(words.dayName(now));
    m_clock->setText(words.shortTime(now));
    m_zone->setText(words.offset(now) == u"+00"_s ? u"UTC"_s : words.offset(now));
}

void TopBar::showState()
{
    const ConnectionState& state = m_session->state();
    const bool paused = m_session->isPaused() && state.reads();
    switch (state.kind) {
    case ConnectionState::Kind::Live: m_live->setState(paused ? tr("Paused") : tr("Live"), !paused); break;
    case ConnectionState::Kind::Polling: m_live->setState(paused ? tr("Paused") : tr("Polling"), !paused); break;
    case ConnectionState::Kind::Connecting: m_live->setState(tr("Connecting"), false); break;
    case ConnectionState::Kind::Reconnecting: m_live->setState(tr("Reconnecting"), false); break;
    case ConnectionState::Kind::WrongSchema: m_live->setState(tr("Wrong version"), false); break;
    case ConnectionState::Kind::Refused: m_live->setState(tr("Signed out"), false); break;
    }
    m_pause->setVisible(state.reads());
    m_pause->setIcon(paused ? Icon::Play : Icon::Pause, paused ? tr("Go on") : tr("Pause"));
    m_person->setPerson(m_session->facts().login, roleWord(m_session->facts().role));
    tick();
}

void TopBar::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), t.window);
    drawHairline(painter, rect(), Qt::BottomEdge, t.lineStrong);
}

void TopBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        showState();
}

} // namespace tekil::ui
