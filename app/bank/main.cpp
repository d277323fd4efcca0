// tekil-bank: the simulated provider as a program of its own.
#include "core/base/json.h"
#include "core/http/loop.h"
#include "core/sandbox/bank.h"

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

using tekil::sandbox::Bank;
using tekil::sandbox::BankOptions;

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr std::chrono::seconds kDrain{5};

int run(const std::string& listen, const std::string& scriptFile)
{
    BankOptions options;
    options.listen = listen;
    if (!scriptFile.empty()) {
        std::ifstream file(scriptFile, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        if (!file) {
            spdlog::error("the script {} cannot be read", scriptFile);
            return kFailed;
        }
        options.script = text.str();
    }
    // Blocked before the loop's threads are made, so that only this one takes them.
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);

    tekil::http::Loop loop({"bank", 1, 0});
    const auto bank = Bank::start(loop, options);
    if (!bank) {
        spdlog::error("{}", bank.error().detail);
        return bank.error().code == tekil::ErrorCode::InvalidArgument ? kUsage : kFailed;
    }
    std::cout << tekil::JsonWriter().raw("ready", "true").member("http", (*bank)->url()).take() << std::endl;
    int signal = 0;
    sigwait(&ending, &signal);
    spdlog::info("ending on signal {}", signal);
    (*bank)->drain(kDrain);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    spdlog::set_default_logger(spdlog::stderr_color_mt("tekil-bank"));
    CLI::App app("A simulated payment provider over HTTP, scriptable, for demos and tests.", "tekil-bank");
    std::string listen = "127.0.0.1:0";
    std::string script;
    app.add_option("--listen", listen, "address and port; port 0 takes any free one")->capture_default_str();
    app.add_option("--script", script, "what to do wrong, as JSON (see app/bank/README.md)");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsage;
    }
    return run(listen, script);
}
