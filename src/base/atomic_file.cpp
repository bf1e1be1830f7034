#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/signal_cleanup.h"
#include "base/unfinished_file.h"

namespace cgpu {

namespace fs = std::filesystem;

namespace {

/// "FOLDER/NAME.0123456789abcdef.part"; of a long name the head, so that there is room for the rest.
std::string random_name_beside(const fs::path& target) {
  constexpr size_t kMostOfName = 200;
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) number = 0;  // found out by O_EXCL
  const std::string name = target.filename().string().substr(0, kMostOfName);
  return (target.parent_path() / fmt::format("{}.{:0{}x}{}", name, number, kRandomDigits, kTemporaryEnding)).string();
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(path) {
  std::error_code ignored;
  if (const fs::path resolved = fs::weakly_canonical(path, ignored); !ignored) target_ = resolved.string();
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) fail("is a folder: name a file in it");
  const bool is_there = fs::exists(status);
  if (is_there && !fs::is_regular_file(status)) {
    open(false);
    return;
  }
  if (is_there && access(target_.c_str(), W_OK) != 0) fail(std::strerror(errno));
  open(true);
  if (is_there) ::fchmod(buffer_.fd(), static_cast<mode_t>(status.permissions()));
}

void AtomicFile::open(bool is_new) {
  constexpr int kTries = 100;
  constexpr size_t kBuffer = size_t{64} << 10;
  int descriptor = -1;
  int reason = 0;
  if (!is_new) {
    descriptor = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    reason = errno;
  } else {
    for (int tries = 0; tries < kTries; ++tries) {
      temporary_path_ = random_name_beside(target_);
      register_for_removal(temporary_path_);  // before it exists, so that no signal can leave it behind
      descriptor = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor >= 0) break;
      reason = errno;
      unregister_for_removal(std::exchange(temporary_path_, ""));
      if (reason != EEXIST) break;
    }
  }
  if (descriptor < 0) fail(std::strerror(reason));
  buffer_ = __gnu_cxx::stdio_filebuf<char>(descriptor, std::ios::out | std::ios::binary, kBuffer);
  out_.rdbuf(&buffer_);
}

AtomicFile::~AtomicFile() {
  if (temporary_path_.empty()) return;
  unlink(temporary_path_.c_str());
  unregister_for_removal(temporary_path_);
}

void AtomicFile::finish() {
  errno = 0;
  if (buffer_.close() == nullptr || !out_)
    fail(errno != 0 ? std::strerror(errno) : "not all of it; is there space left?");
  if (temporary_path_.empty()) return;
  if (std::rename(temporary_path_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
  unregister_for_removal(temporary_path_);
  temporary_path_.clear();
}

void AtomicFile::fail(const std::string& why) const {
  throw Error(path_, "cannot be written: " + why);
}

}  // namespace cgpu
