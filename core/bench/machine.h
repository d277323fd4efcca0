// What /proc and the disk tell: CPU time and memory of processes, the machine's load, the cost of an fsync.
#pragma once

#include "core/base/result.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tekil::bench {

// User and system time of a process so far; of PostgreSQL, with `family`, also of its children, gone ones included.
std::chrono::milliseconds cpuOf(pid_t pid, bool family = false);
pid_t parentOf(pid_t pid);
std::string commandOf(pid_t pid);
std::int64_t residentKiB(pid_t pid);     // now; 0: not known
std::int64_t peakResidentKiB(pid_t pid); // its most so far; 0: not known

std::string loadAverage(); // "0.52 0.58 0.59", as uptime tells it
int cores();
std::int64_t memoryMiB();
std::string fileSystemOf(const std::filesystem::path& directory); // "ext4", "tmpfs", …

// The median time of writing 8 KiB in place and fdatasync, over `times` turns, in microseconds.
Result<std::int64_t> fsyncUs(const std::filesystem::path& directory, int times = 200);

// Raises this process's limit of open files as far as it may. How many it has then.
std::size_t raiseOpenFiles();

} // namespace tekil::bench
