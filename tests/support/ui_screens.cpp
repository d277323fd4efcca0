// Renders into images; the platform's own screen is not needed.
#include "tests/support/ui_screens.h"

#include "tests/support/ui_application.h"
#include "ui/shell/appearance.h"

#include <QApplication>
#include <QDir>
#include <QTest>

namespace tekil::test {

using namespace Qt::Literals::StringLiterals;

void shootScreens(QWidget& window, const QString& name)
{
    if (!qEnvironmentVariableIsSet("TEKIL_SCREENS"))
        return;
    const QDir folder(QStringLiteral(TEKIL_SCREENS_DIR));
    folder.mkpath(u"."_s);
    for (const ui::Theme theme : {ui::Theme::Light, ui::Theme::Dark})
        for (const ui::Language language : {ui::Language::English, ui::Language::Turkish}) {
            if (ui::currentTheme() != theme)
                ui::toggleTheme();
            ui::setLanguage(language);
            QTest::qWait(1200); // readers ask again after a change of language, and ages go on
            for (const int percent : {100, 200}) {
                const QString file = u"%1-%2-%3-%4.png"_s
                                         .arg(name, theme == ui::Theme::Light ? u"light"_s : u"dark"_s,
                                              language == ui::Language::English ? u"en"_s : u"tr"_s)
                                         .arg(percent);
                if (!imageOf(window, percent / 100.0).save(folder.filePath(file)))
                    qWarning("%s could not be written", qPrintable(folder.filePath(file)));
            }
        }
    ui::toggleTheme();
    ui::setLanguage(ui::Language::English);
}

} // namespace tekil::test
