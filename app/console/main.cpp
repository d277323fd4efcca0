// tekil: the console. Without --connect it brings a local workspace with it, and an engine in it.
#include "app/console/console_engine.h"
#include "app/console/display.h"
#include "ui/overview/overview_page.h"
#include "ui/payments/payments_page.h"
#include "ui/shell/appearance.h"
#include "ui/shell/desk.h"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QSettings>
#include <QSocketNotifier>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <clocale>
#include <csignal>

namespace {

using namespace tekil;
using namespace Qt::Literals::StringLiterals;
using namespace std::chrono_literals;

struct Options {
    std::string workspace, connect, login, open, language;
    bool demo = false;
};

// Nothing where the options were taken; else the exit code.
std::optional<int> readOptions(int argc, char** argv, Options& options)
{
    CLI::App app(
        "The console of Tekil, a payment and reconciliation engine. Without --connect it uses a local workspace,\n"
        "which it creates and runs itself.",
        "tekil");
    app.set_version_flag("--version", "tekil " TEKIL_VERSION);
    auto* workspace
        = app.add_option("--workspace", options.workspace, "Directory of the local workspace")->type_name("DIR");
    auto* connect = app.add_option("--connect", options.connect,
                                   "A database elsewhere: libpq key words, URI or service=…")
                        ->type_name("CONNINFO");
    app.add_option("--login", options.login, "Who signs in")->type_name("NAME");
    auto* demo = app.add_flag("--demo", options.demo, "Adds a simulated bank with faults, people and live traffic");
    app.add_option("--open", options.open, "Opens this payment after the sign-in")->type_name("ID");
    app.add_option("--lang", options.language, "Language of this run")
        ->check(CLI::IsMember({"en", "tr"}))
        ->type_name("en|tr");
    connect->excludes(workspace)->excludes(demo);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return std::nullopt;
}

std::optional<ui::Language> languageOf(const std::string& code)
{
    if (code.empty())
        return std::nullopt;
    return code == "tr" ? ui::Language::Turkish : ui::Language::English;
}

// SIGTERM and SIGINT end the console as closing its last window does.
void endAtSignals(ui::Desk& desk, const sigset_t& signals)
{
    const int fd = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    auto* notifier = new QSocketNotifier(fd, QSocketNotifier::Read, &desk);
    QObject::connect(notifier, &QSocketNotifier::activated, &desk, [fd, &desk] {
        signalfd_siginfo info{};
        if (::read(fd, &info, sizeof info) > 0)
            desk.end();
    });
}

ui::SignInPlace placeOf(const Options& options, const std::filesystem::path& directory)
{
    ui::SignInPlace place;
    if (!options.connect.empty()) {
        place.conninfo = QString::fromStdString(options.connect);
        place.name = ui::placeOf({place.conninfo, {}});
        place.environment = ui::Environment::Prod;
        return place;
    }
    const std::filesystem::path logins = directory / "demo-logins";
    place.demoLogins = QString::fromStdString(logins.string());
    place.environment = options.demo || std::filesystem::exists(logins) ? ui::Environment::Demo : ui::Environment::Test;
    return place;
}

int runDesk(const Options& options, const sigset_t& signals)
{
    ui::applyAppearance(languageOf(options.language));
    const std::filesystem::path directory = options.workspace.empty() ? db::Workspace::defaultDirectory()
                                                                      : std::filesystem::absolute(options.workspace);
    std::unique_ptr<console::ConsoleEngine> engine;
    if (options.connect.empty())
        engine = std::make_unique<console::ConsoleEngine>(directory, options.demo);

    ui::DeskOptions desk{placeOf(options, directory), QString::fromStdString(options.login),
                         QString::fromStdString(options.open)};
    if (desk.login.isEmpty())
        desk.login = ui::loginIn(desk.place.conninfo);
    ui::Desk shown(desk, engine.get(), [](ui::Session* session) {
        return QVector<ui::DeskPage*>{new ui::overview::OverviewPage(session), new ui::payments::PaymentsPage(session)};
    });
    endAtSignals(shown, signals);
    QObject::connect(&shown, &ui::Desk::finished, qApp, &QCoreApplication::quit, Qt::QueuedConnection);
    shown.openWindow();
    if (engine)
        engine->start();
    const int code = QApplication::exec();
    ui::waitForThreads(6s);
    return code;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    if (const std::optional<int> code = readOptions(argc, argv, options))
        return *code;
    if (const std::optional<std::string> missing = console::missingDisplay()) {
        std::fprintf(stderr, "tekil: %s\n", missing->c_str());
        return 1;
    }
    if (!options.connect.empty()) {
        if (const auto readable = ui::driverOptions({QString::fromStdString(options.connect), {}}, {}, {}); !readable) {
            std::fprintf(stderr, "tekil: --connect cannot be read: %s\n", readable.error().detail.c_str());
            return 2;
        }
    }
    // Before any thread is started, so that no thread but the notifier's gets them.
    sigset_t signals;
    sigemptyset(&signals);
    for (const int one : {SIGTERM, SIGINT, SIGHUP})
        sigaddset(&signals, one);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    spdlog::set_default_logger(spdlog::stderr_logger_mt("console"));

    int qtArguments = 1;
    QApplication app(qtArguments, argv);
    std::setlocale(LC_NUMERIC, "C");
    QCoreApplication::setOrganizationName(u"tekil"_s);
    QCoreApplication::setApplicationName(u"tekil"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(TEKIL_VERSION));
    QGuiApplication::setDesktopFileName(u"tekil"_s);
    QGuiApplication::setQuitOnLastWindowClosed(false);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    return runDesk(options, signals);
}
