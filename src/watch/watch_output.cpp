#include "watch/watch_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/signal_cleanup.h"
#include "base/unfinished_file.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLines = "verdicts.jsonl";
constexpr const char* kMetrics = "cgpu.prom";
constexpr const char* kLock = ".lock";
constexpr const char* kReading = ".reading";
constexpr std::string_view kSummaryEnding = ".cgpu";

void replace_file(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.out() << bytes;
  file.finish();
}

[[noreturn]] void fail_to_write(const std::string& path, int reason) {
  throw Error(path, std::string("cannot be written: ") + std::strerror(reason));
}

}  // namespace

WatchOutput::WatchOutput(std::string folder) : folder_(std::move(folder)) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw Error(folder_, "cannot be made: " + failed.message());
  lock();
  remove_unfinished();
  read_lines();
  read_reading();
  register_for_removal(path_of(kReading));  // a process that is asked to end has not crashed
}

WatchOutput::~WatchOutput() {
  ::unlink(path_of(kReading).c_str());
  unregister_for_removal(path_of(kReading));
  ::close(lock_);
}

std::string WatchOutput::path_of(const std::string& name) const {
  return (fs::path(folder_) / name).string();
}

void WatchOutput::lock() {
  const std::string path = path_of(kLock);
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail_to_write(path, errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  ::close(lock_);
  if (reason == EWOULDBLOCK) throw Error(folder_, "another `cgpu watch` writes there: give -o another folder");
  fail_to_write(path, reason);
}

/// What AtomicFile leaves of a process that was killed.
void WatchOutput::remove_unfinished() const {
  std::error_code failed;
  std::vector<fs::path> unfinished;
  for (fs::directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_unfinished_file(at->path().filename().string())) unfinished.push_back(at->path());
  }
  for (const fs::path& path : unfinished) fs::remove(path, failed);
}

void WatchOutput::read_lines() {
  const std::string path = path_of(kLines);
  std::ifstream file(path, std::ios::binary);
  if (!file && fs::exists(path)) throw Error(path, "cannot be read");
  std::string text;
  uintmax_t complete = 0;  // bytes of the lines that have an end
  while (std::getline(file, text)) {
    if (file.eof()) break;
    complete += text.size() + 1;
    if (const auto line = verdict_from_json(text)) {
      add(*line);
    } else {
      ++damaged_lines_;
    }
  }
  if (file.bad()) throw Error(path, "cannot be read");
  file.close();
  if (text.empty()) return;
  std::error_code failed;
  fs::resize_file(path, complete, failed);
  if (failed) throw Error(path, "cannot be written: " + failed.message());
}

/// "TIMES SIZE MODIFIED NAME", as begin() writes it.
void WatchOutput::read_reading() {
  std::ifstream file(path_of(kReading), std::ios::binary);
  Reading reading;
  if (!(file >> reading.times >> reading.version.size >> reading.version.modified_unix_ns) || file.get() != ' ') return;
  std::ostringstream name;
  name << file.rdbuf();
  reading.name = std::move(name).str();
  reading_ = std::move(reading);
}

void WatchOutput::add(const VerdictLine& line) {
  done_[line.profile].push_back(line.version);
  if (line.summary) summaries_.insert(*line.summary);
  ++runs_.at(static_cast<size_t>(line.outcome));
  last_ = line;
}

bool WatchOutput::is_one(const std::string& folder) {
  std::error_code failed;
  return fs::exists(fs::path(folder) / kLines, failed);
}

bool WatchOutput::has(const WatchedEntry& entry) const {
  const auto versions = done_.find(entry.name);
  return versions != done_.end() && std::ranges::find(versions->second, entry.version) != versions->second.end();
}

size_t WatchOutput::begin(const WatchedEntry& entry) {
  if (reading_.name != entry.name || reading_.version != entry.version) reading_ = {entry.name, entry.version, 0};
  ++reading_.times;
  replace_file(path_of(kReading), fmt::format("{} {} {} {}", reading_.times, entry.version.size,
                                              entry.version.modified_unix_ns, entry.name));
  return reading_.times - 1;
}

std::string WatchOutput::write_summary(const std::string& entry, const std::string& bytes) const {
  const std::string base =
      entry.ends_with(kSummaryEnding) ? entry.substr(0, entry.size() - kSummaryEnding.size()) : entry;
  std::string name = fmt::format("{}{}", base, kSummaryEnding);
  const auto versions = done_.find(entry);
  for (size_t number = versions == done_.end() ? 2 : versions->second.size() + 1; summaries_.contains(name); ++number) {
    name = fmt::format("{}.{}{}", base, number, kSummaryEnding);
  }
  replace_file(path_of(name), bytes);
  return name;
}

std::string WatchOutput::append(const VerdictLine& line) {
  const std::string path = path_of(kLines);
  std::string text = verdict_to_json(line);
  const std::string with_end = text + '\n';
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) fail_to_write(path, errno);
  const off_t before = ::lseek(file, 0, SEEK_END);
  const ssize_t written = ::write(file, with_end.data(), with_end.size());
  const int reason = written < 0 ? errno : ENOSPC;
  const bool is_whole = written == static_cast<ssize_t>(with_end.size());
  if (!is_whole && ::ftruncate(file, before) != 0) {
    // Half a line stays. The next start cuts it off.
  }
  ::close(file);
  if (!is_whole) fail_to_write(path, reason);
  add(line);
  return text;
}

void WatchOutput::write_metrics(const std::string& text) const {
  replace_file(path_of(kMetrics), text);
}

}  // namespace cgpu
