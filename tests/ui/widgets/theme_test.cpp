// The tokens keep their contrast, and a tree that is not current loses its colour.
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "ui/widgets/state_shape.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QTest>

#include <cmath>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

double luminance(const QColor& color)
{
    const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QVector<QColor> surfacesOf(const Tokens& t)
{
    return {t.window, t.base, t.sunken, t.raised, t.selection};
}

} // namespace

class ThemeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void contrastHoldsOnEverySurface_data()
    {
        QTest::addColumn<Theme>("theme");
        QTest::newRow("light") << Theme::Light;
        QTest::newRow("dark") << Theme::Dark;
    }
    void contrastHoldsOnEverySurface()
    {
        QFETCH(Theme, theme);
        const Tokens& t = tokensOf(theme);
        for (const QColor& surface : surfacesOf(t)) {
            QVERIFY2(contrast(t.ink, surface) >= 10, qPrintable(surface.name()));
            for (const QColor& text :
                 {t.ink2, t.ink3, t.processing, t.completed, t.failed, t.unknown, t.warning, t.quiet})
                QVERIFY2(contrast(text, surface) >= 4.6,
                         qPrintable(u"%1 on %2: %3"_s.arg(text.name(), surface.name()).arg(contrast(text, surface))));
            QVERIFY2(contrast(t.control, surface) >= 3.1, qPrintable(surface.name()));
            QVERIFY2(contrast(t.focus, surface) >= 5.2, qPrintable(surface.name()));
        }
        QVERIFY(contrast(t.primaryText, t.primary) >= 10);
    }
    void theFontsAreTheOnesMeasured()
    {
        QCOMPARE(QFontInfo(faceFont(Face::Body)).family(), u"Lato"_s);
        QCOMPARE(QFontInfo(faceFont(Face::Mono)).family(), u"Hack"_s);
    }
    void digitsAreAsWideInEveryWeight()
    {
        const QString digits = u"0123456789"_s;
        const qreal regular = QFontMetricsF(faceFont(Face::Body)).horizontalAdvance(digits);
        for (const auto weight : {QFont::Medium, QFont::DemiBold, QFont::Bold})
            QVERIFY(std::abs(QFontMetricsF(faceFont(Face::Body, weight)).horizontalAdvance(digits) - regular) < 0.5);
    }
    void measuresFollowTheText()
    {
        auto& app = *static_cast<QApplication*>(QCoreApplication::instance());
        applyTheme(app, Theme::Light, 1.5);
        QCOMPARE(px(28), 42);
        applyTheme(app, Theme::Light);
        QCOMPARE(px(28), 28);
    }
    void aThemeSwitchIsTold()
    {
        auto& app = *static_cast<QApplication*>(QCoreApplication::instance());
        int told = 0;
        QObject scope;
        connect(&ThemeNotifier::instance(), &ThemeNotifier::themeChanged, &scope, [&told] { ++told; });
        applyTheme(app, Theme::Dark);
        QCOMPARE(app.palette().color(QPalette::Base), tokensOf(Theme::Dark).base);
        QCOMPARE(told, 1);
        applyTheme(app, Theme::Light);
    }
    void oldDataLosesItsColourInTheWholeTree()
    {
        QWidget page;
        auto* part = new QWidget(&page);
        QCOMPARE(tokensFor(part).unknown, tokensOf(Theme::Light).unknown);
        setCurrent(&page, false);
        QCOMPARE(tokensFor(part).unknown, tokensOf(Theme::Light).quiet);
        QCOMPARE(tokensFor(part).ink, tokensOf(Theme::Light).ink);
        setCurrent(&page, true);
        QCOMPARE(tokensFor(part).unknown, tokensOf(Theme::Light).unknown);
    }
    void everyShapeDiffersWithoutColour()
    {
        Tokens grey = tokensOf(Theme::Light);
        grey.processing = grey.completed = grey.failed = grey.unknown = grey.warning = grey.quiet = grey.ink;
        QVector<QImage> seen;
        for (int shape = 0; shape <= static_cast<int>(Shape::Waiting); ++shape) {
            const QImage image = shapePixmap(static_cast<Shape>(shape), Strength::Subject, 20, 1, grey).toImage();
            QVERIFY2(!seen.contains(image), qPrintable(wordOf(static_cast<Shape>(shape))));
            seen << image;
        }
    }
};

} // namespace tekil::ui

using tekil::ui::ThemeTest;
TEKIL_TEST(ThemeTest)
#include "theme_test.moc"
