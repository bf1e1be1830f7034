#include "base/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "base/to_size.h"

namespace cgpu {

MappedFile::MappedFile(const std::string& path) : name_(path) {
  const File file(path);
  if (!file.is_regular()) throw Error(path, "is no regular file; copy it to a disk first");
  const size_t size = to_size(file.size());
  if (size == 0) return;
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (at == MAP_FAILED) throw Error(path, std::string("cannot be mapped: ") + std::strerror(errno));
  bytes_ = {static_cast<const char*>(at), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace cgpu
