// A folder whose files come from one input of a fuzz target, for formats of several files.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "whole_path.h"

namespace cgpu::fuzz {

/// Is there as long as the object is. The input holds the files one behind the other, after the lengths of all but the
/// last, 32 bits each; files of length 0 are not made.
class ProfileFolder {
 public:
  explicit ProfileFolder(std::vector<std::string> files)
      : path_((std::filesystem::temp_directory_path() / "cgpu-fuzz-XXXXXX").string()), files_(std::move(files)) {
    require(mkdtemp(path_.data()) != nullptr, "mkdtemp");
    for (const std::string& file : files_) {
      std::filesystem::create_directories(std::filesystem::path(path_ + "/" + file).parent_path());
    }
  }
  ~ProfileFolder() { std::filesystem::remove_all(path_); }
  ProfileFolder(const ProfileFolder&) = delete;
  ProfileFolder& operator=(const ProfileFolder&) = delete;

  const std::string& path() const { return path_; }

  /// Writes the files of an input; false where it is too short for the lengths.
  bool fill(const uint8_t* data, size_t size) {
    std::vector<uint32_t> lengths(files_.size(), UINT32_MAX);
    size_t at = (files_.size() - 1) * sizeof(uint32_t);
    if (size < at) return false;
    std::memcpy(lengths.data(), data, at);
    for (size_t i = 0; i < files_.size(); ++i) {
      const size_t length = std::min<size_t>(lengths[i], size - at);
      const std::string file = path_ + "/" + files_[i];
      std::filesystem::remove(file);
      if (length > 0) {
        std::ofstream(file, std::ios::binary)
            .write(reinterpret_cast<const char*>(data) + at, static_cast<std::streamsize>(length));
      }
      at += length;
    }
    return true;
  }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

}  // namespace cgpu::fuzz
