// Feeds arbitrary bytes as an Ascend profile through the whole path: as one file, or, where they begin with 'F', as a
// profile folder whose parts are separated by bytes 0x1e. SQLite opens files by name only, so all lie in shared memory.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "whole_path.h"

namespace {

constexpr std::array<const char*, 8> kParts{
    "trace_view.json",   "kernel_details.csv",     "profiler_info_0.json", "communication.json",
    "memory_record.csv", "profiler_metadata.json", "step_trace_time.csv",  "ascend_pytorch_profiler_0.db"};

/// One folder a process, emptied for every input and removed at the end.
class SharedMemoryFolder {
 public:
  SharedMemoryFolder() : path_("/dev/shm/cgpu-ascend-fuzz-" + std::to_string(::getpid())) {
    std::filesystem::create_directory(path_);
  }
  ~SharedMemoryFolder() { std::filesystem::remove_all(path_); }
  SharedMemoryFolder(const SharedMemoryFolder&) = delete;
  SharedMemoryFolder& operator=(const SharedMemoryFolder&) = delete;

  void empty() const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove(entry);
  }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream file(path_ + "/" + name, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    cgpu::fuzz::require(file.good(), "write");
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const SharedMemoryFolder folder;
  folder.empty();
  cgpu::ReadOptions options;
  options.threads = 1;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!text.starts_with('F')) {
    cgpu::fuzz::run_whole_path(folder.write("input", text), options);
    return 0;
  }
  text.remove_prefix(1);
  for (const char* part : kParts) {
    const size_t end = text.find('\x1e');
    const std::string_view content = text.substr(0, end);
    if (!content.empty()) folder.write(part, content);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  cgpu::fuzz::run_whole_path(folder.path(), options);
  return 0;
}
