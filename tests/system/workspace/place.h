// A place for workspaces of a test's own, and the programs that are run on them.
#pragma once

#include "tests/support/engine_lab.h"

#include <QtGlobal>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

namespace tekil::test {

inline std::string contentOf(const std::filesystem::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline bool has(const std::string& text, const std::string& part)
{
    if (text.find(part) != std::string::npos)
        return true;
    qWarning("\"%s\" does not contain \"%s\"", text.c_str(), part.c_str());
    return false;
}

// One clear line, as a person reads it who has just called a program.
inline bool isOneLine(const std::string& errors)
{
    const bool holds = errors.starts_with("tekild: ") && std::count(errors.begin(), errors.end(), '\n') == 1;
    if (!holds)
        qWarning("not one clear line: %s", errors.c_str());
    return holds;
}

// Every file below, with its content and rights.
inline std::map<std::string, std::string> treeOf(const std::filesystem::path& directory)
{
    std::map<std::string, std::string> tree;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        struct stat about{};
        if (lstat(entry.path().c_str(), &about) != 0)
            continue;
        tree[entry.path().string()] = std::to_string(about.st_mode) + " " + std::to_string(about.st_uid) + " "
                                      + (entry.is_regular_file() ? contentOf(entry.path()) : "");
    }
    return tree;
}

inline int numberIn(const std::string& json, const std::string& member)
{
    const std::size_t at = json.find("\"" + member + "\":");
    return at == std::string::npos ? -1 : std::atoi(json.c_str() + at + member.size() + 3);
}

class Place {
public:
    Place()
    {
        std::string pattern = "/tmp/tekil-place-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr || chmod(pattern.c_str(), 0755) != 0)
            qFatal("no temporary directory");
        root = pattern;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place()
    {
        for (const std::string& workspace : m_used)
            tekild({"workspace", "stop", "--workspace", workspace});
        std::error_code ignored;
        std::filesystem::remove_all(root, ignored);
    }

    Ended tekild(Texts arguments, std::string* errors = nullptr, ProcessOptions options = {}) const
    {
        const std::filesystem::path log = root / ("stderr-" + freshKey());
        std::ofstream(log).close();
        chmod(log.c_str(), 0666);
        arguments.insert(arguments.begin(), std::string(TEKIL_BIN_DIR) + "/tekild");
        options.errorFile = log.string();
        Ended ended = runToEnd(arguments, options);
        if (errors != nullptr)
            *errors = contentOf(log);
        std::filesystem::remove(log);
        return ended;
    }
    std::unique_ptr<Engine> start(const std::filesystem::path& workspace, std::string* why = nullptr)
    {
        m_used.push_back(workspace.string());
        m_log = root / ("run-" + freshKey() + ".log");
        return Engine::start(
            {"--workspace", workspace.string(), "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, {}, m_log,
            why);
    }
    // `tekild run` to its end: for what must be refused.
    std::string refusal(const std::filesystem::path& workspace, const ProcessOptions& options = {}) const
    {
        std::string errors;
        const Ended ended = tekild(
            {"run", "--workspace", workspace.string(), "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"},
            &errors, options);
        return ended.exitCode == 1 && ended.output.empty()
                   ? errors
                   : "exit code " + std::to_string(ended.exitCode) + ": " + errors + ended.output;
    }
    std::string status(const std::filesystem::path& workspace) const
    {
        return tekild({"workspace", "status", "--json", "--workspace", workspace.string()}).output;
    }

    std::filesystem::path root;

private:
    Texts m_used;
    std::filesystem::path m_log;
};

inline std::string ownerDsn(std::string dsn)
{
    const std::string engine = "user=tekil_engine";
    return dsn.replace(dsn.find(engine), engine.size(), "user=tekil_owner");
}

// A statement as the workspace's owner; its first value.
inline std::string asOwner(const std::string& engineDsn, const std::string& sql)
{
    std::string output = runToEnd({"psql", ownerDsn(engineDsn), "-qAtc", sql}).output;
    return output.substr(0, output.find('\n'));
}

} // namespace tekil::test
