#include "readers/common/temporary_folder.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace cgpu {

namespace {

/// Files and folders that have to be removed, as a signal handler can read them; null where a place is free. What finds
/// no place is removed by its object alone.
std::array<std::atomic<char*>, 256>& kept_paths() {
  static std::array<std::atomic<char*>, 256> paths{};
  return paths;
}

void keep(const std::string& path) {
  char* const copy = ::strdup(path.c_str());
  for (std::atomic<char*>& place : kept_paths()) {
    char* free_place = nullptr;
    if (place.compare_exchange_strong(free_place, copy)) return;
  }
  ::free(copy);
}

void forget(const std::string& path) {
  for (std::atomic<char*>& place : kept_paths()) {
    char* kept = place.load();
    if (kept != nullptr && path == kept && place.compare_exchange_strong(kept, nullptr)) return ::free(kept);
  }
}

void remove_and_end(int signal) {
  remove_temporary_folders();
  ::raise(signal);  // whose handler is the default one again
}

/// Handles the signals that end a program, unless it does so itself.
void handle_signals() {
  kept_paths();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void remove_temporary_folders() {
  for (const bool folders : {false, true}) {
    for (const std::atomic<char*>& place : kept_paths()) {
      if (const char* path = place.load()) folders ? ::rmdir(path) : ::unlink(path);
    }
  }
}

TemporaryFolder::TemporaryFolder() {
  static std::once_flag handled;
  std::call_once(handled, handle_signals);
  path_ = temporary_parent() + "/cgpu-XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr)
    throw Error(path_, "cannot make a temporary folder (set TMPDIR to one that can be written)");
  keep(path_);
}

std::string TemporaryFolder::file(const std::string& name) {
  files_.push_back(path_ + "/" + name);
  keep(files_.back());
  return files_.back();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  for (const std::string& file : files_) forget(file);
  forget(path_);
}

void copy_to_file(TextSource& source, const std::string& path, const std::string& input, uint64_t most) {
  const uint64_t room = most_temporary_bytes();
  std::ofstream file(path, std::ios::binary);
  std::vector<char> block(size_t{1} << 20);
  for (uint64_t done = 0; done < most;) {
    const size_t got = source.read(block.data(), std::min<uint64_t>(block.size(), most - done));
    if (got == 0) break;
    done += got;
    if (done > room) throw_no_temporary_room(input, room);
    file.write(block.data(), static_cast<std::streamsize>(got));
  }
  file.close();
  if (!file) throw Error(path, "cannot be written: the disk may be full (TMPDIR names another)");
}

}  // namespace cgpu
