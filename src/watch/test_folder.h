// For tests: a folder that vanishes with the object.
#pragma once

#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

namespace cgpu::test {

class TestFolder {
 public:
  TestFolder() {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// `modified_s`: since 1970; absent for now.
  void put(const std::string& name, const std::string& text, std::optional<int> modified_s = {}) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    if (!modified_s) return;
    const auto since_1970 =
        std::chrono::file_clock::from_sys(std::chrono::sys_seconds(std::chrono::seconds(*modified_s)));
    std::filesystem::last_write_time(path(name), since_1970);
  }
  std::string text(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(path(name)); }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "cgpu-test-XXXXXX").string();
};

}  // namespace cgpu::test
