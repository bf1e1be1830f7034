#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace cgpu {

File::File(const std::string& path) : name_(path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    if (errno == ENOENT) throw Error(path, "no such file or directory");
    if (errno == EACCES) throw NoAccess(path, "no permission to read it");
    if (errno == EMFILE || errno == ENFILE) {
      throw NoAccess(path,
                     "cannot be opened: too many files are open; raise the limit (ulimit -n), or give fewer ranks");
    }
    if (errno == EIO) throw NoAccess(path, std::string("cannot be opened: ") + std::strerror(errno));
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
    if (got < 0) throw NoAccess(name_, std::string("read failed: ") + std::strerror(errno));
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

bool begins_with(const std::string& path, std::string_view bytes) {
  try {
    std::string start(bytes.size(), '\0');
    const File file(path);
    return file.is_regular() && file.read_at(0, start.data(), start.size()) == start.size() && start == bytes;
  } catch (const Error&) {
    return false;  // "-"
  }
}

std::string temporary_parent() {
  const char* folder = ::getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

uint64_t most_temporary_bytes() {
  struct statvfs status {};
  if (::statvfs(temporary_parent().c_str(), &status) != 0) return UINT64_MAX;
  return static_cast<uint64_t>(status.f_bavail) * status.f_frsize / 2;
}

void throw_no_temporary_room(const std::string& input, uint64_t most) {
  throw Error(input, "needs a temporary copy of more than " + std::to_string(most >> 20) +
                         " MB, which is half of what is free in " + temporary_parent() +
                         ": set TMPDIR to a folder on a larger disk, or give an uncompressed file");
}

int make_nameless_file(const std::string& wanted_by) {
  const std::string folder = temporary_parent();
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (descriptor >= 0) return descriptor;
  std::string path = folder + "/cgpu-XXXXXX";  // a file system that has no nameless files
  descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) throw Error(wanted_by, "cannot make a temporary file " + path + ": set TMPDIR to a folder");
  ::unlink(path.c_str());
  return descriptor;
}

SpooledPipe::SpooledPipe(std::shared_ptr<const File> pipe)
    : File(make_nameless_file(pipe->name()), pipe->name()),
      pipe_(std::move(pipe)),
      most_(most_temporary_bytes()),
      block_(size_t{256} << 10) {}

size_t SpooledPipe::read_at(uint64_t position, void* to, size_t size) const {
  fetch(position > UINT64_MAX - size ? UINT64_MAX : position + size);
  return File::read_at(position, to, size);
}

uint64_t SpooledPipe::size() const {
  const std::lock_guard lock(mutex_);
  return fetched_;
}

void SpooledPipe::fetch(uint64_t end) const {
  const std::lock_guard lock(mutex_);
  while (!ended_ && fetched_ < end) {
    const ssize_t got = ::read(pipe_->descriptor(), block_.data(), block_.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(name(), std::string("read failed: ") + std::strerror(errno));
    ended_ = got == 0;
    if (fetched_ + static_cast<uint64_t>(got) > most_) throw_no_temporary_room(name(), most_);
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::pwrite(descriptor(), block_.data() + done, static_cast<size_t>(got - done),
                                   static_cast<off_t>(fetched_) + done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw Error(name(), "no room for a temporary copy of it: set TMPDIR to a folder on a larger disk");
      done += put;
    }
    fetched_ += static_cast<uint64_t>(got);
  }
}

}  // namespace cgpu
