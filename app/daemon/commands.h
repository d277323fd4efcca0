// The commands of tekild. Each returns the exit code: 0 done, 1 failed with one clear line on stderr.
#pragma once

#include "app/daemon/target.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tekil::daemon {

// The roles of design section 2 that an instance may have.
inline constexpr std::array kRoles{"api",       "relay",   "worker",  "recovery",
                                   "reconcile", "actions", "metrics", "retention"};

struct RunOptions {
    std::string listen = "127.0.0.1:8080";
    std::string adminListen = "127.0.0.1:9090";
    std::vector<std::string> roles;
    std::chrono::milliseconds lease{30'000}; // from the configuration file only
    bool demo = false;
    std::string tlsCertificate, tlsKey; // files; both or none
    std::size_t maxConnections = 12'000;
    std::size_t maxConnectionsPerAddress = 0; // 0: no limit
    std::size_t maxInFlight = 16'000;
    std::chrono::milliseconds queueTarget{200};
};

int run(const TargetOptions& target, const RunOptions& options);
int migrate(const TargetOptions& target, bool json);
int verify(const TargetOptions& target, bool json);
int workspaceStatus(const TargetOptions& target, bool json);
int workspaceStop(const TargetOptions& target, bool json);
int workspaceBackup(const TargetOptions& target, const std::string& file, bool json);
int workspaceRestore(const TargetOptions& target, const std::string& file, bool replace, bool json);

struct AdminOptions {
    std::string name, currency, owner, kind = "customer", amount, id, url, capability, provider, login, role,
                                       passwordFile;
    std::string timeout = "5s", keyWindow = "24h", inquiryGrace = "30s";
    std::optional<std::string> limit;
    std::optional<std::int64_t> rate;
    std::int64_t account = 0;
    bool notFoundFinal = false;
};

int openAccount(const TargetOptions& target, const AdminOptions& options, bool json);
int creditAccount(const TargetOptions& target, const AdminOptions& options, bool json);
int addProvider(const TargetOptions& target, const AdminOptions& options, bool json);
int addMerchant(const TargetOptions& target, const AdminOptions& options, bool json);
int grantAccount(const TargetOptions& target, const AdminOptions& options, bool json);
int addOperator(const TargetOptions& target, const AdminOptions& options, bool json);

// Prints the one line that says why, and gives the exit code.
int fail(const Error& error);
// The same where it is the command line that is wrong.
int usage(const std::string& what);

} // namespace tekil::daemon
