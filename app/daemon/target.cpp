#include "app/daemon/target.h"

#include <spdlog/spdlog.h>

namespace tekil::daemon {

std::string workspaceDirectory(const TargetOptions& options)
{
    return options.workspace.empty() ? db::Workspace::defaultDirectory().string() : options.workspace;
}

Result<Target> Target::open(const TargetOptions& options, Missing missing)
{
    Target target;
    if (!options.dsn.empty()) {
        if (db::withoutPassword(options.dsn).hadPassword)
            spdlog::warn("a password in --dsn can be seen by others on this machine; use a service file or PGPASSFILE");
        target.m_dsn = options.dsn;
        return target;
    }
    if (missing == Missing::IsRefused)
        if (const auto there = db::Workspace::status(workspaceDirectory(options)); !there)
            return there.error();
    auto workspace = db::Workspace::open(workspaceDirectory(options));
    if (!workspace)
        return workspace.error();
    target.m_workspace.emplace(*std::move(workspace));
    if (target.m_workspace->report().uncleanEnd)
        spdlog::warn("the last end of this workspace was not in order: {}; its data is recovered",
                     target.m_workspace->report().uncleanWhat);
    if (!target.m_workspace->report().backupFile.empty())
        spdlog::info("the workspace as it was before its upgrade is saved in {}",
                     target.m_workspace->report().backupFile);
    return target;
}

std::string Target::dsn(std::string_view user) const
{
    return m_workspace ? m_workspace->dsn(user) : m_dsn;
}

Result<db::Connection> Target::connectAsOwner() const
{
    return db::Connection::open(dsn("tekil_owner"), {.applicationName = "tekild admin"});
}

Result<void> Target::close()
{
    return m_workspace ? m_workspace->close() : Result<void>();
}

} // namespace tekil::daemon
