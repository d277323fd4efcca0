// Pictures of a window for eyes to judge, into build/<preset>/screens: light and dark, English and Turkish, at 100 and
// 200 %.
#pragma once

#include <QString>
#include <QWidget>

namespace tekil::test {

// "overview-unknown" gives overview-unknown-light-en-100.png and seven more. Only where TEKIL_SCREENS is set, since it
// takes seconds. Leaves light and English behind.
void shootScreens(QWidget& window, const QString& name);

} // namespace tekil::test
