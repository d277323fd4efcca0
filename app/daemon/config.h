// The configuration file of `tekild run`.
#pragma once

#include "app/daemon/commands.h"

#include <functional>
#include <string>

namespace tekil::daemon {

// Reads TOML with the members workspace, dsn, listen, admin_listen, roles (an array), demo, lease ("30s"),
// tls_certificate, tls_key, max_connections, max_connections_per_address, max_in_flight and queue_target ("200ms").
// What the command line gave (`given("--listen")`) stays. InvalidArgument names the line, or the member that is not
// known or has a wrong type.
Result<void> readConfig(const std::string& file, const std::function<bool(const char*)>& given, TargetOptions& target,
                        RunOptions& run);

} // namespace tekil::daemon
