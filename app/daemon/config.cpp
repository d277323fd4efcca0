#include "app/daemon/config.h"

#include "core/base/duration.h"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

namespace tekil::daemon {

namespace {

Error wrong(const std::string& file, const std::string& what)
{
    return Error{ErrorCode::InvalidArgument, file + ": " + what};
}

bool readText(const toml::node& node, std::string& target, bool keep)
{
    const auto value = node.value_exact<std::string>();
    if (value && !keep)
        target = *value;
    return value.has_value();
}

bool readRoles(const toml::node& node, std::vector<std::string>& roles, bool keep)
{
    const toml::array* array = node.as_array();
    if (!array)
        return false;
    std::vector<std::string> read;
    for (const toml::node& item : *array) {
        const auto role = item.value_exact<std::string>();
        if (!role)
            return false;
        read.push_back(*role);
    }
    if (!keep)
        roles = std::move(read);
    return true;
}

bool readCount(const toml::node& node, std::size_t least, std::size_t& target)
{
    constexpr std::int64_t kMost = 1'000'000;
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < static_cast<std::int64_t>(least) || *value > kMost)
        return false;
    target = static_cast<std::size_t>(*value);
    return true;
}

bool readTime(const toml::node& node, std::chrono::milliseconds& target)
{
    const auto text = node.value_exact<std::string>();
    const auto time = text ? readDuration(*text)
                           : Result<std::chrono::milliseconds>(Error{ErrorCode::InvalidArgument, ""});
    if (!time || *time <= std::chrono::milliseconds(0))
        return false;
    target = *time;
    return true;
}

// False: it is no limit. `fits` tells whether its value is one.
bool readLimit(const std::string& name, const toml::node& node, RunOptions& run, bool& fits)
{
    if (name == "max_connections")
        fits = readCount(node, 1, run.maxConnections);
    else if (name == "max_connections_per_address")
        fits = readCount(node, 0, run.maxConnectionsPerAddress);
    else if (name == "max_in_flight")
        fits = readCount(node, 1, run.maxInFlight);
    else if (name == "queue_target")
        fits = readTime(node, run.queueTarget);
    else
        return false;
    return true;
}

// Shorter, it could run out between two renewals; longer, nobody would take over what a dead engine left.
bool readLease(const toml::node& node, std::chrono::milliseconds& lease)
{
    using namespace std::chrono_literals;
    const auto text = node.value_exact<std::string>();
    const auto read = readDuration(text.value_or(""));
    if (!read || *read < 2s || *read > 10min)
        return false;
    lease = *read;
    return true;
}

Result<void> checkRoles(const std::string& file, const std::vector<std::string>& roles)
{
    std::string known;
    for (const char* role : kRoles)
        known += (known.empty() ? "" : ", ") + std::string(role);
    for (const std::string& role : roles)
        if (std::find(kRoles.begin(), kRoles.end(), role) == kRoles.end())
            return wrong(file, "\"" + role + "\" is not a role; the roles are " + known);
    return {};
}

} // namespace

Result<void> readConfig(const std::string& file, const std::function<bool(const char*)>& given, TargetOptions& target,
                        RunOptions& run)
{
    toml::table table;
    try {
        table = toml::parse_file(file);
    } catch (const toml::parse_error& error) {
        std::ostringstream where;
        where << "line " << error.source().begin.line << ": " << error.description();
        return wrong(file, where.str());
    }
    const bool hasTarget = !target.workspace.empty() || !target.dsn.empty();
    for (const auto& [key, node] : table) {
        const std::string name(key.str());
        bool fits = false;
        if (name == "workspace")
            fits = readText(node, target.workspace, hasTarget);
        else if (name == "dsn")
            fits = readText(node, target.dsn, hasTarget);
        else if (name == "listen")
            fits = readText(node, run.listen, given("--listen"));
        else if (name == "admin_listen")
            fits = readText(node, run.adminListen, given("--admin-listen"));
        else if (name == "roles")
            fits = readRoles(node, run.roles, given("--roles"));
        else if (name == "tls_certificate")
            fits = readText(node, run.tlsCertificate, given("--tls-certificate"));
        else if (name == "tls_key")
            fits = readText(node, run.tlsKey, given("--tls-key"));
        else if (name == "lease")
            fits = readLease(node, run.lease);
        else if (name == "demo")
            fits = node.value_exact<bool>().has_value();
        else if (!readLimit(name, node, run, fits))
            return wrong(file, "\"" + name + "\" is not an option of tekild run");
        if (!fits)
            return wrong(file, "\"" + name + "\" has a value that does not fit"
                                   + (name == "lease" ? ": write a duration from 2s to 10m" : ""));
        if (name == "demo")
            run.demo = run.demo || *node.value_exact<bool>();
    }
    if (run.tlsCertificate.empty() != run.tlsKey.empty())
        return wrong(file, "\"tls_certificate\" and \"tls_key\" belong together");
    if (!target.workspace.empty() && !target.dsn.empty())
        return wrong(file, "\"workspace\" and \"dsn\" exclude each other");
    return checkRoles(file, run.roles);
}

} // namespace tekil::daemon
