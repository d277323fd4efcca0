// Translations are embedded; Qt's own come from its package.
#include "ui/shell/appearance.h"

#include <QApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QSettings>
#include <QTranslator>

// Outside any namespace, as Qt wants it.
static void initTekilResources()
{
    Q_INIT_RESOURCE(tekil);
}

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

struct Translators {
    QTranslator tekil;
    QTranslator qt;
};

Translators& translators()
{
    static auto* one = new Translators; // outlives every window
    return *one;
}

void install(Language language)
{
    initTekilResources();
    Translators& t = translators();
    QCoreApplication::removeTranslator(&t.tekil);
    QCoreApplication::removeTranslator(&t.qt);
    // English has a file too: it holds the plural forms.
    const QString code = language == Language::Turkish ? u"tr"_s : u"en"_s;
    if (t.tekil.load(u":/translations/tekil_%1.qm"_s.arg(code)))
        QCoreApplication::installTranslator(&t.tekil);
    if (t.qt.load(u"qtbase_%1"_s.arg(code), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&t.qt);
}

QApplication& application()
{
    return *static_cast<QApplication*>(QCoreApplication::instance());
}

QTimeZone zoneInSettings()
{
    return QSettings().value(u"appearance/utc"_s, false).toBool() ? QTimeZone::utc() : QTimeZone::systemTimeZone();
}

} // namespace

void applyAppearance(std::optional<Language> language)
{
    const QSettings settings;
    const QString kept = settings.value(u"appearance/language"_s).toString();
    const bool desktopTurkish = QLocale().language() == QLocale::Turkish;
    const Language chosen = language.value_or(
        kept == u"tr"_s || (kept.isEmpty() && desktopTurkish) ? Language::Turkish : Language::English);
    const QString theme = settings.value(u"appearance/theme"_s).toString();
    const Theme wanted = theme == u"dark"_s    ? Theme::Dark
                         : theme == u"light"_s ? Theme::Light
                                               : themeOfDesktop(QGuiApplication::palette());
    applyTheme(application(), wanted);
    setFormatter(Formatter(chosen, zoneInSettings()));
    install(chosen);
}

void setLanguage(Language language)
{
    QSettings().setValue(u"appearance/language"_s, language == Language::Turkish ? u"tr"_s : u"en"_s);
    setFormatter(Formatter(language, formatter().zone()));
    install(language);
}

void toggleTheme()
{
    const Theme next = currentTheme() == Theme::Light ? Theme::Dark : Theme::Light;
    QSettings().setValue(u"appearance/theme"_s, next == Theme::Dark ? u"dark"_s : u"light"_s);
    applyTheme(application(), next);
}

void toggleZone()
{
    const bool utc = formatter().zone() != QTimeZone::utc();
    QSettings().setValue(u"appearance/utc"_s, utc);
    setFormatter(Formatter(formatter().language(), zoneInSettings()));
}

} // namespace tekil::ui
