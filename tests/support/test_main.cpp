#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <QTest>
#include <memory>
#include <string>
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
    // Qt's own handler comes back from a signal that it has told, and then the test aborts for ever.
    std::vector<char*> arguments(argv, argv + argc);
    std::string noHandler = "-nocrashhandler";
    arguments.push_back(noHandler.data());
    const QByteArray only = qgetenv("TEKIL_TEST_CLASS"); // one class, so that its functions can be named as arguments
    int failed = 0;
    for (const MakeTest make : registered()) {
        const std::unique_ptr<QObject> test(make());
        if (!only.isEmpty() && only != test->metaObject()->className())
            continue;
        failed += QTest::qExec(test.get(), static_cast<int>(arguments.size()), arguments.data()) == 0 ? 0 : 1;
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
