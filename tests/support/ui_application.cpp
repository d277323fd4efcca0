// Makes the application of the ui tests: offscreen, themed, with settings in a directory that goes with the process.
#include "tests/support/ui_application.h"

#include "ui/widgets/theme.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

namespace tekil::test {

QCoreApplication* makeApplication(int& argc, char** argv)
{
    static const QTemporaryDir settings;
    auto* app = new QApplication(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("tekil-tests"));
    QCoreApplication::setApplicationName(QStringLiteral("tekil"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    ui::applyTheme(*app, ui::Theme::Light);
    return app;
}

QImage imageOf(QWidget& widget, qreal dpr)
{
    QImage image(widget.size() * dpr, QImage::Format_RGB32);
    image.setDevicePixelRatio(dpr);
    image.fill(widget.palette().color(QPalette::Window));
    widget.render(&image);
    return image;
}

int pixelsOf(const QImage& image, const QColor& color, const QRect& area)
{
    const QRect within = area.isNull() ? image.rect() : area.intersected(image.rect());
    int count = 0;
    for (int y = within.top(); y <= within.bottom(); ++y)
        for (int x = within.left(); x <= within.right(); ++x)
            count += image.pixel(x, y) == color.rgb() ? 1 : 0;
    return count;
}

} // namespace tekil::test
