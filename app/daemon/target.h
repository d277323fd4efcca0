// What a command works on: a local workspace, or a database named by its conninfo.
#pragma once

#include "core/db/workspace.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tekil::daemon {

struct TargetOptions {
    std::string workspace; // a directory; empty: the default one
    std::string dsn;       // a conninfo; wins over no workspace
};

class Target {
public:
    // Only what is asked to serve makes a workspace: a mistyped path must not become one.
    enum class Missing : std::uint8_t { IsRefused, IsCreated };
    static Result<Target> open(const TargetOptions& options, Missing missing = Missing::IsRefused);

    // The conninfo for a service's login; a --dsn is used as it was given.
    std::string dsn(std::string_view user) const;
    Result<db::Connection> connectAsOwner() const;
    const std::optional<db::Workspace>& workspace() const { return m_workspace; }
    std::optional<db::Workspace>& workspace() { return m_workspace; }
    // Leaves a workspace; the last user stops its server.
    Result<void> close();

private:
    std::optional<db::Workspace> m_workspace;
    std::string m_dsn;
};

std::string workspaceDirectory(const TargetOptions& options);

} // namespace tekil::daemon
