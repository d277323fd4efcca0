// Fault points: what can be asked for, and that a place which nobody asked for does nothing.
#include "core/base/fault.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <set>

using namespace tekil;

class FaultTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { QVERIFY(fault::arm("").ok()); }

    void aPlaceThatNobodyAskedForDoesNothing()
    {
        QVERIFY(!fault::isArmed);
        for (const fault::Named& each : fault::kPoints)
            QVERIFY(!fault::at(each.point));
        QVERIFY(fault::arm("claim.before:fail").ok());
        QVERIFY(!fault::at(fault::ClaimAfter));
    }

    void aPlaceFailsOnceAtTheVisitThatWasNamed()
    {
        QVERIFY(fault::arm("finish.after:fail:3").ok());
        QVERIFY(!fault::at(fault::FinishAfter));
        QVERIFY(!fault::at(fault::FinishAfter));
        QVERIFY(fault::at(fault::FinishAfter));
        QVERIFY(!fault::at(fault::FinishAfter));
    }

    void namesAreDistinctAndEachCanBeAskedFor()
    {
        std::set<std::string_view> names;
        for (const fault::Named& each : fault::kPoints) {
            QVERIFY(names.insert(each.name).second);
            for (const char* action : {":crash", ":pause"})
                QVERIFY(fault::arm(std::string(each.name) + action).ok());
            QCOMPARE(fault::arm(std::string(each.name) + ":fail").ok(), each.canFail);
        }
    }

    void whatCannotBeReadIsRefusedAndNamed()
    {
        for (const char* text : {"nowhere:crash", "claim.before", "claim.before:", "claim.before:burn", "drain:fail",
                                 "claim.before:crash:0", "claim.before:crash:x", "claim.before:crash:1 ", ":crash"}) {
            const auto armed = fault::arm(text);
            QVERIFY2(!armed, text);
            QVERIFY(armed.error().code == ErrorCode::InvalidArgument);
            QVERIFY(armed.error().detail.find("claim.before") != std::string::npos); // the list
            QVERIFY(!fault::isArmed);
        }
    }

    void aCrashIsSigkill()
    {
        const pid_t child = ::fork();
        if (child == 0) {
            (void)fault::arm("drain:crash:2").ok();
            fault::at(fault::Drain);
            fault::at(fault::Drain);
            ::_exit(0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }

    void aPauseIsSigstop()
    {
        const pid_t child = ::fork();
        if (child == 0) {
            (void)fault::arm("drain:pause").ok();
            fault::at(fault::Drain);
            ::_exit(7);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, WUNTRACED), child);
        QVERIFY(WIFSTOPPED(status));
        ::kill(child, SIGCONT);
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
};

TEKIL_TEST(FaultTest)
#include "fault_test.moc"
