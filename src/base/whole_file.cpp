#include "base/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace cgpu {

namespace fs = std::filesystem;

WholeFile::WholeFile(const std::string& path) : path_(path), target_(path) {
  std::error_code ignored;
  if (const fs::path resolved = fs::weakly_canonical(path, ignored); !ignored) target_ = resolved.string();
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) fail("is a folder: name a file in it");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    out_.open(target_, std::ios::binary);
    if (!out_) fail(std::strerror(errno));
    return;
  }
  if (fs::exists(status) && access(target_.c_str(), W_OK) != 0) fail(std::strerror(errno));
  beside_ = fmt::format("{}.{}.part", target_, getpid());
  out_.open(beside_, std::ios::binary);
  if (!out_) {
    const int reason = errno;
    beside_.clear();
    fail(std::strerror(reason));
  }
  if (fs::exists(status)) fs::permissions(beside_, status.permissions(), ignored);
}

WholeFile::~WholeFile() {
  if (!beside_.empty()) unlink(beside_.c_str());
}

void WholeFile::finish() {
  errno = 0;
  out_.close();
  if (!out_) fail(errno != 0 ? std::strerror(errno) : "not all of it; is there space left?");
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
  beside_.clear();
}

void WholeFile::fail(const std::string& why) const {
  throw Error(path_, "cannot be written: " + why);
}

}  // namespace cgpu
