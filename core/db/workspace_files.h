// The workspace's own files: whose directory it is, its two locks, its marker, and where its socket goes.
#pragma once

#include "core/db/process.h"

#include <vector>

namespace tekil::db {

// DIR/tekil-workspace.lock is held while anything is created, started, migrated or stopped; DIR/users, shared, for as
// long as a process uses the workspace. Whoever takes both takes the lock first.
inline constexpr const char* kLockFile = "tekil-workspace.lock";
inline constexpr const char* kUsersFile = "users";
// Where a backup is brought back before it takes its place; nothing in it is anybody's until then.
inline constexpr const char* kRestoringDirectory = "restoring";
// The marker, under its first name until the creation is complete.
inline constexpr const char* kMarkerFile = "tekil-workspace.json";
inline constexpr const char* kCreatingFile = "tekil-workspace.creating";

// A file under flock. It never waits by itself.
class FileLock {
public:
    FileLock() = default;
    // Opens the file, made where it is missing. A symbolic link is refused.
    static Result<FileLock> open(const std::filesystem::path& file);
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock();

    bool tryExclusive();
    bool tryShared();
    void release(); // unlocks and closes

private:
    int m_fd = -1;
};

struct LockHolder {
    int pid = 0;
    std::string program;
};

// Which processes hold a flock on the file, as the kernel says; the calling process apart.
std::vector<LockHolder> otherHolders(const std::filesystem::path& file);

enum class DirectoryKind : std::uint8_t { Missing, Empty, Unfinished, Ours, Foreign };

// Looks only. Foreign is whatever is not provably ours.
Result<DirectoryKind> kindOf(const std::filesystem::path& directory);
// The account that owns the directory, or that would own it once made.
Result<Account> ownerOf(const std::filesystem::path& directory, DirectoryKind kind);
// Makes the directory (0700) for that account, and its missing parents. Refused, naming it, where a parent cannot be
// entered by the account or written by us, or the disk has less than 200 MB.
Result<void> makeDirectory(const std::filesystem::path& directory, const Account& account);
// Takes away what an unfinished creation left. The lock file stays.
Result<void> removeUnfinished(const std::filesystem::path& directory);

Result<void> writeMarker(const std::filesystem::path& directory, int postgresMajor);
// The creation is complete: the marker gets its lasting name.
Result<void> completeMarker(const std::filesystem::path& directory);
// Refused where a newer program made the directory's layout, or the marker cannot be read.
Result<void> checkMarker(const std::filesystem::path& directory);
// Keeps in the marker what a stopped workspace is asked for.
Result<void> recordSchema(const std::filesystem::path& directory, int postgresMajor, int schema);
// The schema's version as last recorded; nothing where it is not known.
std::optional<int> recordedSchema(const std::filesystem::path& directory);

struct UncleanEnd; // core/db/workspace.h
void recordUncleanEnd(const std::filesystem::path& directory, const std::string& what);
std::optional<UncleanEnd> lastUncleanEnd(const std::filesystem::path& directory);

// Exchanges two directories of one disk, at once where the disk's file system can.
Result<void> exchange(const std::filesystem::path& one, const std::filesystem::path& other);
// Gives a file its name, unless another has it.
Result<void> renameToNew(const std::filesystem::path& from, const std::filesystem::path& to);
std::uintmax_t sizeOf(const std::filesystem::path& directory);

// A directory for the socket, 0755 and the account's, named after a hash of the workspace's path.
Result<std::filesystem::path> makeSocketDirectory(const std::filesystem::path& directory, const Account& account,
                                                  const std::filesystem::path& runtimeDirectory);

// The whole of a small file, read as the account; of a large one, its beginning or its end.
enum class Part : std::uint8_t { Beginning, End };
Result<std::string> readFile(const std::filesystem::path& file, const Account& account, Part part = Part::Beginning);
// Writes a file beside and puts it in place, durably.
Result<void> replaceFile(const std::filesystem::path& file, std::string_view text);

} // namespace tekil::db
