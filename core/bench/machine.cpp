#include "core/bench/machine.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tekil::bench {

namespace fs = std::filesystem;

namespace {

std::string contentOf(const fs::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::int64_t number(std::string_view text)
{
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// The words of /proc/PID/stat from the third on (state, parent, …): a name in parentheses may hold blanks.
std::vector<std::string> statOf(pid_t pid)
{
    const std::string text = contentOf("/proc/" + std::to_string(pid) + "/stat");
    std::vector<std::string> words;
    if (const std::size_t end = text.rfind(')'); end != std::string::npos) {
        std::istringstream rest(text.substr(end + 1));
        for (std::string word; rest >> word;)
            words.push_back(word);
    }
    return words;
}

// Places in statOf.
constexpr std::size_t kParent = 1;
constexpr std::size_t kUser = 11;
constexpr std::size_t kChildrenSystem = 14;

std::int64_t ticksOf(const std::vector<std::string>& stat, std::size_t count)
{
    std::int64_t ticks = 0;
    for (std::size_t i = 0; i < count && kUser + i < stat.size(); ++i)
        ticks += number(stat[kUser + i]);
    return ticks;
}

std::int64_t statusKiB(pid_t pid, std::string_view name)
{
    std::ifstream in("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(name))
            return number(std::string_view(line).substr(std::min(line.size(), line.find_first_of("0123456789"))));
    return 0;
}

} // namespace

std::chrono::milliseconds cpuOf(pid_t pid, bool family)
{
    if (pid <= 0)
        return std::chrono::milliseconds(0);
    const std::size_t own = 2;
    std::int64_t ticks = ticksOf(statOf(pid), family ? kChildrenSystem - kUser + 1 : own);
    std::error_code failed;
    for (auto entry = fs::directory_iterator("/proc", failed); family && !failed && entry != fs::directory_iterator();
         entry.increment(failed)) {
        const auto child = static_cast<pid_t>(number(entry->path().filename().string()));
        if (child <= 0)
            continue;
        const auto stat = statOf(child);
        if (stat.size() > kParent && number(stat[kParent]) == pid)
            ticks += ticksOf(stat, own);
    }
    return std::chrono::milliseconds(ticks * 1000 / sysconf(_SC_CLK_TCK));
}

pid_t parentOf(pid_t pid)
{
    const auto stat = statOf(pid);
    return stat.size() > kParent ? static_cast<pid_t>(number(stat[kParent])) : 0;
}

std::string commandOf(pid_t pid)
{
    std::string name = contentOf("/proc/" + std::to_string(pid) + "/comm");
    while (!name.empty() && name.back() == '\n')
        name.pop_back();
    return name;
}

std::int64_t residentKiB(pid_t pid)
{
    return statusKiB(pid, "VmRSS:");
}

std::int64_t peakResidentKiB(pid_t pid)
{
    return statusKiB(pid, "VmHWM:");
}

std::string loadAverage()
{
    std::istringstream in(contentOf("/proc/loadavg"));
    std::string one, five, fifteen;
    in >> one >> five >> fifteen;
    return one + " " + five + " " + fifteen;
}

int cores()
{
    return static_cast<int>(std::thread::hardware_concurrency());
}

std::int64_t memoryMiB()
{
    return sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024;
}

std::string fileSystemOf(const fs::path& directory)
{
    // The longest mount point that is a beginning of the path.
    std::error_code failed;
    const std::string path = fs::weakly_canonical(directory, failed).string() + "/";
    std::ifstream in("/proc/self/mounts");
    std::string best, type;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string device, point, kind;
        words >> device >> point >> kind;
        const std::string beginning = point == "/" ? point : point + "/";
        if (path.starts_with(beginning) && beginning.size() >= best.size()) {
            best = beginning;
            type = kind;
        }
    }
    return type;
}

Result<std::int64_t> fsyncUs(const fs::path& directory, int times)
{
    constexpr std::size_t kPage = 8192;
    const Error failed{ErrorCode::IoFailed, "fsync cannot be measured in " + directory.string()};
    std::string pattern = (directory / "fsync-XXXXXX").string();
    const int file = mkostemp(pattern.data(), O_CLOEXEC);
    if (file < 0)
        return failed;
    ::unlink(pattern.c_str());
    const std::vector<char> page(kPage, 'x');
    std::vector<std::int64_t> taken;
    bool good = true;
    for (int i = 0; i < times + 1 && good; ++i) {
        const auto before = std::chrono::steady_clock::now();
        good = pwrite(file, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size()) && fdatasync(file) == 0;
        const auto time = std::chrono::steady_clock::now() - before;
        if (i > 0) // the first one makes the file
            taken.push_back(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
    }
    ::close(file);
    if (!good || taken.empty())
        return failed;
    std::nth_element(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2), taken.end());
    return taken[taken.size() / 2];
}

std::size_t raiseOpenFiles()
{
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

} // namespace tekil::bench
