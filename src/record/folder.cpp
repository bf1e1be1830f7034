#include "record/folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/credentials.h"
#include "base/error.h"
#include "readers/manifest.h"
#include "record/torch_recorder.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

/// Letters, digits and - . _ alone.
std::string as_file_name(std::string text) {
  for (char& c : text) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_';
    if (!plain) c = '-';
  }
  return text;
}

std::string manifest_of(const std::string& folder) {
  return folder + "/" + std::string(kManifestName);
}

/// The first line of the manifest. Credentials in the command are hidden.
std::string first_line(const Collector& collector, const RecordRequest& request, const Job& job) {
  std::string command = fmt::format("{}", fmt::join(request.command, " "));
  std::string hidden;
  if (hide_secrets(command, hidden) > 0) command = hidden;
  JsonTextWriter json;
  json.begin_object().member("kind", "recording").member("cgpu", CGPU_VERSION).member("tool", collector.name);
  json.member("command", command).member("host", host_name()).member("job", job.id);
  if (!request.ranks.empty()) json.member("ranks", fmt::format("{}", fmt::join(request.ranks, ",")));
  if (!request.server.empty()) json.member("server", request.server);
  if (!collector.caution.empty()) json.member("caution", collector.caution);
  json.member("started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))).end_object();
  return std::move(json).text();
}

void write_recorder(const std::string& work) {
  for (const RecorderFile& file : torch_recorder_files()) {
    const fs::path path = fs::path(work) / file.path;
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    if (!out.flush()) throw Error(path.string(), "cannot be written: is the disk full?");
  }
}

/// Waits until the process of the job that makes the folder has written the first line.
void enter(const std::string& folder, const Job& job) {
  using namespace std::chrono_literals;
  constexpr int kTries = 200;
  for (int tried = 0; job.is_parallel() && tried < kTries; ++tried) {
    if (const auto manifest = read_manifest(folder)) {
      if (manifest->job == job.id) return;
      break;
    }
    std::this_thread::sleep_for(50ms);
  }
  throw Error(folder, "holds a recording already: give a new folder");
}

}  // namespace

std::string folder_name(const RecordRequest& request, const Program& program, const Job& job) {
  if (!request.folder.empty()) return fs::absolute(request.folder).lexically_normal().string();
  const std::string name = as_file_name(program.name);
  if (job.is_parallel()) return fs::absolute(name + "-" + as_file_name(job.id)).string();
  const std::string base =
      fs::absolute(fmt::format("{}-{:%Y-%m-%d-%H%M%S}", name, fmt::localtime(std::time(nullptr)))).string();
  std::string folder = base;
  for (int number = 2; fs::exists(folder); ++number) folder = fmt::format("{}-{}", base, number);
  return folder;
}

void make_recording_folder(const std::string& folder, const Collector& collector, const RecordRequest& request,
                           const Job& job, bool has_torch_recorder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(folder, fmt::format("cannot be made: {}", failed.message()));
  // The process that makes this file makes the rest; others wait for its first line.
  const int descriptor = ::open(manifest_of(folder).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0 && errno == EEXIST) return enter(folder, job);
  if (descriptor < 0) throw Error(folder, fmt::format("cannot be written to: {}", std::strerror(errno)));
  ::close(descriptor);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() == kManifestName) continue;
    fs::remove(manifest_of(folder), failed);
    throw Error(folder, "is not empty: a recording needs a new folder");
  }
  const std::string work = folder + "/.recorder";
  fs::create_directories(work);
  if (has_torch_recorder) write_recorder(work);
  append_to_manifest(folder, first_line(collector, request, job));
}

void append_to_manifest(const std::string& folder, const std::string& json) {
  const std::string line = json + "\n";
  const int descriptor = ::open(manifest_of(folder).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const bool written =
      descriptor >= 0 && ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (descriptor >= 0) ::close(descriptor);
  if (!written) throw Error(manifest_of(folder), "cannot be written: is the disk full?");
}

}  // namespace cgpu
