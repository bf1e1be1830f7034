#include "base/reopened_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/to_size.h"

namespace cgpu {

namespace {

/// All that are open, that which was opened first in front.
struct OpenFiles {
  std::mutex mutex;  // also of what each file holds
  std::list<const ReopenedFile*> files;
};

OpenFiles& open_files() {
  static OpenFiles files;
  return files;
}

size_t most_open() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return static_cast<size_t>(std::clamp<rlim_t>(limit.rlim_cur / 2, 1, SIZE_MAX));
}

}  // namespace

ReopenedFile::ReopenedFile(std::shared_ptr<const File> file)
    : File(-1, file->name()), size_(file->size()), identity_(identity_of(*file)) {
  const std::lock_guard lock(open_files().mutex);
  hold(std::move(file));
}

ReopenedFile::~ReopenedFile() {
  const std::lock_guard lock(open_files().mutex);
  if (held_) open_files().files.erase(place_);
}

ReopenedFile::Identity ReopenedFile::identity_of(const File& file) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

size_t ReopenedFile::read_at(uint64_t position, void* to, size_t size) const {
  return opened()->read_at(position, to, size);
}

std::shared_ptr<const File> ReopenedFile::opened() const {
  const std::lock_guard lock(open_files().mutex);
  if (held_) return held_;
  auto file = std::make_shared<const File>(name());
  if (!(identity_of(*file) == identity_) || file->size() != size_) {
    throw Error(name(), "has changed since it was opened: open it again");
  }
  hold(file);
  return file;
}

void ReopenedFile::hold(std::shared_ptr<const File> file) const {
  std::list<const ReopenedFile*>& files = open_files().files;
  held_ = std::move(file);
  place_ = files.insert(files.end(), this);
  const size_t most = most_open();
  while (files.size() > most) {
    files.front()->held_.reset();  // closed when the last reader has finished
    files.pop_front();
  }
}

}  // namespace cgpu
