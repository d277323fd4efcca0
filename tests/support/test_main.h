// Registers test classes, so that one executable runs every class of its folder.
// Use: TEKIL_TEST(MoneyTest) after the class; the folder needs no main of its own.
#pragma once

#include <QObject>

namespace tekil::test {

using MakeTest = QObject* (*)();
bool registerTest(MakeTest make);

} // namespace tekil::test

#define TEKIL_TEST(Class)                                                                                              \
    [[maybe_unused]] static const bool registered##Class = tekil::test::registerTest(                                  \
        []() -> QObject* { return new Class; });
