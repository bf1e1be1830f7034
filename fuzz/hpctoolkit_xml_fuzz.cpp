// Feeds arbitrary bytes as an HPCToolkit 2 database through the whole path. The input holds experiment.xml and the
// tables of two threads one behind the other, after the lengths of the first two; they are written into a folder, since
// that is what is opened.
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "whole_path.h"

namespace {

/// A folder that is there for the life of the process.
const std::string& folder() {
  static const std::string path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "hpctoolkit-xml-fuzz-XXXXXX").string();
    cgpu::fuzz::require(mkdtemp(name.data()) != nullptr, "mkdtemp");
    static const struct Removal {
      std::string path;
      ~Removal() { std::filesystem::remove_all(path); }
    } removal{name};
    return name;
  }();
  return path;
}

void write_file(const char* name, const char* data, size_t size) {
  const std::string path = folder() + "/" + name;
  std::filesystem::remove(path);
  if (size > 0) std::ofstream(path, std::ios::binary).write(data, static_cast<std::streamsize>(size));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr const char* kFiles[] = {"experiment.xml", "1.p-000000-000-a8c0-1-0.metric-db",
                                    "1.p-000001-500-a8c0-2-0.metric-db"};
  uint32_t lengths[3] = {0, 0, UINT32_MAX};
  constexpr size_t kLengths = 8;
  if (size < kLengths) return 0;
  std::memcpy(lengths, data, kLengths);
  size_t at = kLengths;
  for (size_t file = 0; file < 3; ++file) {
    const size_t length = std::min<size_t>(lengths[file], size - at);
    write_file(kFiles[file], reinterpret_cast<const char*>(data) + at, length);
    at += length;
  }
  cgpu::fuzz::run_whole_path(folder(), {});
  return 0;
}
