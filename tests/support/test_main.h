// Registers test classes, so that one executable runs every class of its folder.
// Use: TEKIL_TEST(MoneyTest) after the class; the folder needs no main of its own.
#pragma once

#include <QObject>
#include <QTest>

#include <string>

namespace tekil::test {

using MakeTest = QObject* (*)();
bool registerTest(MakeTest make);

} // namespace tekil::test

#define TEKIL_TEST(Class)                                                                                              \
    [[maybe_unused]] static const bool registered##Class = tekil::test::registerTest(                                  \
        []() -> QObject* { return new Class; });

// What a comparison prints where it fails; Qt knows no std::string.
template <>
inline char* QTest::toString(const std::string& text)
{
    return qstrdup(('"' + text + '"').c_str());
}
