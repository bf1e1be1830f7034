#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace cgpu {

File::File(const std::string& path) : name_(path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    if (errno == ENOENT) throw Error(path, "no such file or directory");
    if (errno == EACCES) throw Error(path, "no permission to read it");
    throw Error(path, std::string("cannot be opened: ") + std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw Error(path, "is a directory, not a profile");
  }
}

File::~File() {
  if (descriptor_ > 2) ::close(descriptor_);
}

size_t File::read_at(uint64_t position, void* to, size_t size) const {
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(descriptor_, static_cast<char*>(to) + done, size - done, static_cast<off_t>(position + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(name_, std::string("read failed: ") + std::strerror(errno));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

uint64_t File::size() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

bool File::is_regular() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace cgpu
