// PROD is solid, TEST outlined, DEMO dashed: told apart without colour.
#include "ui/widgets/environment.h"

#include "ui/widgets/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

QString wordOf(Environment environment)
{
    switch (environment) {
    case Environment::Prod: return u"PROD"_s;
    case Environment::Test: return u"TEST"_s;
    case Environment::Demo: return u"DEMO"_s;
    }
    return {};
}

EnvironmentTag::EnvironmentTag(Environment environment, QWidget* parent) : QWidget(parent), m_environment(environment)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setEnvironment(environment);
}

void EnvironmentTag::setEnvironment(Environment environment)
{
    m_environment = environment;
    setAccessibleName(tr("Environment: %1").arg(wordOf(environment)));
    updateGeometry();
    update();
}

QSize EnvironmentTag::sizeHint() const
{
    return {QFontMetrics(faceFont(Face::Small, QFont::Bold)).horizontalAdvance(wordOf(m_environment)) + px(12), px(20)};
}

void EnvironmentTag::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool solid = m_environment == Environment::Prod;
    QPen pen(t.ink, 1.5);
    if (m_environment == Environment::Demo)
        pen.setDashPattern({3, 2});
    painter.setPen(solid ? QPen(Qt::NoPen) : pen);
    painter.setBrush(solid ? QBrush(t.primary) : QBrush(Qt::NoBrush));
    const QRectF box = solid ? QRectF(rect()) : QRectF(rect()).adjusted(1, 1, -1, -1);
    painter.drawRoundedRect(box, px(3), px(3));
    painter.setPen(solid ? t.primaryText : t.ink);
    painter.setFont(faceFont(Face::Small, QFont::Bold));
    painter.drawText(rect(), Qt::AlignCenter, wordOf(m_environment));
}

EnvironmentBand::EnvironmentBand(Environment environment, QWidget* parent) : QWidget(parent), m_environment(environment)
{
    setFixedHeight(px(3));
}

void EnvironmentBand::setEnvironment(Environment environment)
{
    m_environment = environment;
    update();
}

void EnvironmentBand::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    switch (m_environment) {
    case Environment::Prod: painter.fillRect(rect(), t.primary); break;
    case Environment::Test:
        drawHairline(painter, rect(), Qt::TopEdge, t.ink);
        drawHairline(painter, rect(), Qt::BottomEdge, t.ink);
        break;
    case Environment::Demo:
        for (int x = 0; x < width(); x += px(14))
            painter.fillRect(QRect(x, 0, px(8), height()), t.ink2);
        break;
    }
}

} // namespace tekil::ui
