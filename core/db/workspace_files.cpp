#include "core/db/workspace_files.h"

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/db/workspace.h"

#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace tekil::db {

namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;
constexpr const char* kUncleanFile = "last-unclean-end.json";
constexpr std::uintmax_t kLeastSpace = 200ULL * 1000 * 1000;
constexpr std::size_t kLongestSocketPath = 107 - std::string_view("/.s.PGSQL.5432").size();
constexpr std::size_t kSmallFile = 1024 * 1024;

std::string errorText(int number)
{
    char buffer[128];
    return strerror_r(number, buffer, sizeof buffer);
}

Error ioError(const std::string& what, int number)
{
    return {ErrorCode::IoFailed, what + ": " + errorText(number)};
}

Error refused(std::string detail)
{
    return {ErrorCode::Refused, std::move(detail)};
}

class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    int get() const { return m_fd; }

private:
    int m_fd;
};

Result<std::string> readAll(const fs::path& file, Part part = Part::Beginning)
{
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (in.get() < 0)
        return ioError("cannot read " + file.string(), errno);
    if (part == Part::End) // a shorter file stays at its beginning
        lseek(in.get(), -static_cast<off_t>(kSmallFile), SEEK_END);
    std::string out;
    char buffer[4096];
    ssize_t got = 0;
    while (out.size() < kSmallFile && (got = read(in.get(), buffer, sizeof buffer)) > 0)
        out.append(buffer, static_cast<std::size_t>(got));
    return got < 0 ? Result<std::string>(ioError("cannot read " + file.string(), errno)) : Result(std::move(out));
}

Result<void> syncDirectory(const fs::path& directory)
{
    const Descriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0 || fsync(fd.get()) != 0)
        return ioError("cannot write " + directory.string(), errno);
    return {};
}

// The number after "key": in a marker.
std::optional<int> numberAfter(std::string_view text, std::string_view key)
{
    const std::size_t at = text.find("\"" + std::string(key) + "\":");
    if (at == std::string_view::npos)
        return std::nullopt;
    const char* const begin = text.data() + at + key.size() + 3;
    int value = 0;
    const auto [end, problem] = std::from_chars(begin, text.data() + text.size(), value);
    return problem == std::errc() ? std::optional(value) : std::nullopt;
}

bool holdsOpen(int pid, const fs::path& file)
{
    std::error_code failed;
    fs::directory_iterator descriptors("/proc/" + std::to_string(pid) + "/fd", failed);
    if (failed)
        return true; // not ours to look into: the inode has to do
    for (const fs::directory_entry& entry : descriptors)
        if (fs::read_symlink(entry.path(), failed) == file)
            return true;
    return false;
}

std::string programOf(int pid)
{
    std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(in, name);
    return name.empty() ? "another program" : name;
}

fs::path runtimeBase()
{
    if (geteuid() == 0) {
        if (mkdir("/run/tekil", 0755) == 0 || errno == EEXIST)
            return "/run/tekil";
        return "/tmp";
    }
    const char* const set = std::getenv("XDG_RUNTIME_DIR");
    struct stat about{};
    if (set != nullptr && *set == '/' && stat(set, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid())
        return set;
    return "/tmp";
}

} // namespace

Result<FileLock> FileLock::open(const fs::path& file)
{
    FileLock lock;
    lock.m_fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock.m_fd < 0)
        return ioError("cannot open " + file.string(), errno);
    return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}

FileLock::~FileLock()
{
    release();
}

bool FileLock::tryExclusive()
{
    return flock(m_fd, LOCK_EX | LOCK_NB) == 0;
}

bool FileLock::tryShared()
{
    return flock(m_fd, LOCK_SH | LOCK_NB) == 0;
}

void FileLock::release()
{
    if (m_fd >= 0)
        ::close(m_fd);
    m_fd = -1;
}

std::vector<LockHolder> otherHolders(const fs::path& file)
{
    struct stat about{};
    if (stat(file.c_str(), &about) != 0)
        return {};
    const std::string inode = ":" + std::to_string(about.st_ino);
    std::error_code ignored;
    const fs::path full = fs::canonical(file, ignored);
    std::vector<LockHolder> out;
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream in(line);
        std::string number, kind, advisory, mode, place;
        int pid = 0;
        in >> number >> kind >> advisory >> mode >> pid >> place;
        if (kind == "FLOCK" && place.ends_with(inode) && pid > 0 && pid != getpid() && holdsOpen(pid, full))
            out.push_back({pid, programOf(pid)});
    }
    return out;
}

namespace {

// One look; `hasLock` tells whether the directory holds the lock of a workspace.
Result<DirectoryKind> lookAt(const fs::path& directory, bool& hasLock)
{
    hasLock = false;
    std::error_code failed;
    const fs::file_status status = fs::status(directory, failed);
    if (status.type() == fs::file_type::not_found)
        return DirectoryKind::Missing;
    if (failed)
        return refused("cannot look at " + directory.string() + ": " + failed.message());
    if (status.type() != fs::file_type::directory)
        return DirectoryKind::Foreign;
    bool creating = false;
    bool other = false;
    fs::directory_iterator entries(directory, failed);
    if (failed)
        return refused("cannot look into " + directory.string() + ": " + failed.message());
    for (const fs::directory_entry& entry : entries) {
        const std::string name = entry.path().filename().string();
        if (name == kMarkerFile)
            return DirectoryKind::Ours;
        creating = creating || name == kCreatingFile;
        hasLock = hasLock || name == kLockFile;
        other = other || (name != kLockFile && name != kUsersFile);
    }
    if (creating)
        return DirectoryKind::Unfinished;
    return other ? DirectoryKind::Foreign : DirectoryKind::Empty;
}

} // namespace

Result<DirectoryKind> kindOf(const fs::path& directory)
{
    // A look that falls on the instant in which another process renames its marker sees no marker at all.
    constexpr int kLooks = 5;
    constexpr std::chrono::milliseconds kBetween{20};
    bool hasLock = false;
    Result<DirectoryKind> kind = lookAt(directory, hasLock);
    for (int look = 1; look < kLooks && kind && *kind == DirectoryKind::Foreign && hasLock; ++look) {
        std::this_thread::sleep_for(kBetween);
        kind = lookAt(directory, hasLock);
    }
    return kind;
}

Result<Account> ownerOf(const fs::path& directory, DirectoryKind kind)
{
    struct stat about{};
    const bool exists = kind != DirectoryKind::Missing && stat(directory.c_str(), &about) == 0;
    if (exists && geteuid() != 0 && about.st_uid != geteuid()) {
        const Result<Account> owner = accountOf(about.st_uid);
        return refused(directory.string() + " belongs to " + (owner ? owner->name : std::to_string(about.st_uid))
                       + ": run this as that account, or name another directory with --workspace");
    }
    if (geteuid() != 0)
        return accountOf(geteuid());
    if (exists && about.st_uid != 0)
        return accountOf(about.st_uid);
    if (kind == DirectoryKind::Ours || kind == DirectoryKind::Unfinished)
        return refused(directory.string()
                       + " belongs to root, and PostgreSQL does not run as root: give it to the "
                         "account that is to run it (chown -R postgres "
                       + directory.string() + ")");
    Result<Account> postgres = accountNamed("postgres");
    if (!postgres)
        return refused("PostgreSQL does not run as root, and this system has no account postgres: install the package "
                       "postgresql-15, or run this as another account");
    return postgres;
}

Result<void> makeDirectory(const fs::path& directory, const Account& account)
{
    std::error_code failed;
    const fs::path parent = directory.parent_path();
    fs::create_directories(parent, failed);
    if (failed)
        return refused("cannot create " + parent.string() + ": " + failed.message());
    if (const auto closed = firstUnreachable(account, parent))
        return refused("the account " + account.name + ", which runs PostgreSQL, cannot enter " + closed->string()
                       + ": allow it (chmod o+x " + closed->string() + "), or name another directory with --workspace");
    const fs::space_info space = fs::space(parent, failed);
    if (!failed && space.available < kLeastSpace)
        return refused("the disk of " + parent.string()
                       + " has less than 200 MB free: make room, or name a directory "
                         "on another disk with --workspace");
    if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return refused("cannot create a directory in " + parent.string() + ": " + errorText(errno));
    struct stat about{};
    if (lstat(directory.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == 0 && account.uid != 0
        && lchown(directory.c_str(), account.uid, account.gid) != 0)
        return ioError("cannot give " + directory.string() + " to " + account.name, errno);
    const FilesAs as(account);
    if (chmod(directory.c_str(), 0700) != 0)
        return ioError("cannot use " + directory.string(), errno);
    return {};
}

Result<void> removeUnfinished(const fs::path& directory)
{
    std::error_code failed;
    fs::remove(directory / "backups", failed); // only where it is empty: a backup is nobody's to take away
    for (const char* const name :
         {kRestoringDirectory, "data", "log", kCreatingFile}) { // the marker last: until then it is provably ours
        fs::remove_all(directory / name, failed);
        if (failed)
            return Error{ErrorCode::IoFailed, "cannot remove " + (directory / name).string() + ": " + failed.message()};
    }
    return syncDirectory(directory);
}

Result<void> writeMarker(const fs::path& directory, int postgresMajor)
{
    return replaceFile(directory / kCreatingFile, "{\"format\":" + std::to_string(kFormat)
                                                      + ",\"postgresMajor\":" + std::to_string(postgresMajor) + "}\n");
}

Result<void> completeMarker(const fs::path& directory)
{
    if (rename((directory / kCreatingFile).c_str(), (directory / kMarkerFile).c_str()) != 0)
        return ioError("cannot write " + (directory / kMarkerFile).string(), errno);
    return syncDirectory(directory);
}

Result<void> checkMarker(const fs::path& directory)
{
    const fs::path file = directory / kMarkerFile;
    Result<std::string> text = readAll(file);
    if (!text)
        return text.error();
    const std::optional<int> format = numberAfter(*text, "format");
    if (!format)
        return refused(file.string() + " cannot be read: restore it, or name another directory with --workspace");
    if (*format > kFormat)
        return Error{ErrorCode::SchemaMismatch, directory.string() + " was made by a newer Tekil (format "
                                                    + std::to_string(*format) + "): start it with that one"};
    return {};
}

Result<void> recordSchema(const fs::path& directory, int postgresMajor, int schema)
{
    if (recordedSchema(directory) == schema)
        return {};
    return replaceFile(directory / kMarkerFile, "{\"format\":" + std::to_string(kFormat)
                                                    + ",\"postgresMajor\":" + std::to_string(postgresMajor)
                                                    + ",\"schema\":" + std::to_string(schema) + "}\n");
}

std::optional<int> recordedSchema(const fs::path& directory)
{
    const Result<std::string> text = readAll(directory / kMarkerFile);
    return text ? numberAfter(*text, "schema") : std::nullopt;
}

void recordUncleanEnd(const fs::path& directory, const std::string& what)
{
    // A disk that is full is no reason to stay down: the log has the same line.
    [[maybe_unused]] const Result<void> written = replaceFile(
        directory / kUncleanFile,
        JsonWriter().member("foundAt", rfc3339(wallClockUs())).member("what", what).take() + "\n");
}

std::optional<UncleanEnd> lastUncleanEnd(const fs::path& directory)
{
    const Result<std::string> text = readAll(directory / kUncleanFile);
    const Result<JsonValue> json = text ? parseJson(*text) : Result<JsonValue>(text.error());
    if (!json || !json->isObject())
        return std::nullopt;
    const JsonValue* const at = json->find("foundAt");
    const JsonValue* const what = json->find("what");
    return at != nullptr && what != nullptr ? std::optional(UncleanEnd{at->text, what->text}) : std::nullopt;
}

Result<void> exchange(const fs::path& one, const fs::path& other)
{
    const auto error = [&] { return ioError("cannot exchange " + one.string() + " and " + other.string(), errno); };
    if (renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0)
        return syncDirectory(one.parent_path());
    if (errno != EINVAL && errno != ENOSYS)
        return error();
    const fs::path between = other.string() + ".between";
    if (rename(one.c_str(), between.c_str()) != 0)
        return error();
    if (rename(other.c_str(), one.c_str()) != 0) {
        const int number = errno;
        rename(between.c_str(), one.c_str());
        errno = number;
        return error();
    }
    if (rename(between.c_str(), other.c_str()) != 0)
        return error();
    return syncDirectory(one.parent_path());
}

Result<void> renameToNew(const fs::path& from, const fs::path& to)
{
    int failed = renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) { // a link is never put over a file either
        failed = link(from.c_str(), to.c_str());
        if (failed == 0)
            unlink(from.c_str());
    }
    if (failed != 0)
        return errno == EEXIST ? refused(to.string() + " exists already: name a new file")
                               : ioError("cannot create " + to.string(), errno);
    return syncDirectory(to.has_parent_path() ? to.parent_path() : fs::path("."));
}

std::uintmax_t sizeOf(const fs::path& directory)
{
    std::uintmax_t sum = 0;
    std::error_code failed;
    // What goes away while we look is not counted.
    for (fs::recursive_directory_iterator it(directory, fs::directory_options::skip_permission_denied, failed), end;
         !failed && it != end; it.increment(failed)) {
        std::error_code gone;
        if (const std::uintmax_t size = it->is_regular_file(gone) && !gone ? it->file_size(gone) : 0; !gone)
            sum += size;
    }
    return sum;
}

Result<fs::path> makeSocketDirectory(const fs::path& directory, const Account& account,
                                     const fs::path& runtimeDirectory)
{
    const fs::path base = runtimeDirectory.empty() ? runtimeBase() : runtimeDirectory;
    const fs::path place = base / ("tekil-" + hex(sha256(directory.string())).substr(0, 12));
    if (place.string().size() > kLongestSocketPath)
        return refused("the socket's path " + place.string()
                       + " is too long: set XDG_RUNTIME_DIR to a shorter "
                         "directory");
    if (mkdir(place.c_str(), 0755) == 0) {
        if (geteuid() == 0 && lchown(place.c_str(), account.uid, account.gid) != 0)
            return ioError("cannot give " + place.string() + " to " + account.name, errno);
    } else if (errno != EEXIST) {
        return refused("cannot create " + place.string() + " for the database's socket: " + errorText(errno));
    }
    struct stat about{};
    if (lstat(place.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != account.uid
        || (about.st_mode & 022) != 0)
        return refused(place.string() + " is not " + account.name
                       + "'s own directory, so the database's socket would not be safe there: remove it");
    const FilesAs as(account);
    if (chmod(place.c_str(), 0755) != 0) // whatever the umask was
        return ioError("cannot use " + place.string(), errno);
    if (const auto closed = firstUnreachable(account, place))
        return refused("the account " + account.name + " cannot enter " + closed->string()
                       + ", where the database's socket would be: allow it, or set XDG_RUNTIME_DIR");
    return place;
}

Result<std::string> readFile(const fs::path& file, const Account& account, Part part)
{
    const FilesAs as(account);
    return readAll(file, part);
}

Result<void> replaceFile(const fs::path& file, std::string_view text)
{
    const fs::path beside = file.string() + ".tmp";
    unlink(beside.c_str());
    {
        const Descriptor out(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (out.get() < 0)
            return ioError("cannot write " + file.string(), errno);
        while (!text.empty()) {
            const ssize_t written = write(out.get(), text.data(), text.size());
            if (written < 0)
                return ioError("cannot write " + file.string(), errno);
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        if (fsync(out.get()) != 0)
            return ioError("cannot write " + file.string(), errno);
    }
    if (rename(beside.c_str(), file.c_str()) != 0)
        return ioError("cannot write " + file.string(), errno);
    return syncDirectory(file.parent_path());
}

} // namespace tekil::db
