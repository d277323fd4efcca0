#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <QTest>
#include <memory>
#include <vector>

namespace tekil::test {

namespace {

std::vector<MakeTest>& registered()
{
    static std::vector<MakeTest> tests;
    return tests;
}

} // namespace

bool registerTest(MakeTest make)
{
    registered().push_back(make);
    return true;
}

// Weak, so that a ui test can bring a QApplication instead.
[[gnu::weak]] QCoreApplication* makeApplication(int& argc, char** argv)
{
    return new QCoreApplication(argc, argv);
}

int runAll(int argc, char** argv)
{
    const std::unique_ptr<QCoreApplication> app(makeApplication(argc, argv));
    int failed = 0;
    for (const MakeTest make : registered()) {
        const std::unique_ptr<QObject> test(make());
        failed += QTest::qExec(test.get(), argc, argv) == 0 ? 0 : 1;
    }
    if (registered().empty()) {
        qCritical("no test class is registered");
        return 1;
    }
    return failed;
}

} // namespace tekil::test

int main(int argc, char** argv)
{
    return tekil::test::runAll(argc, argv);
}
