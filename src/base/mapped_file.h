// A file as memory: mapped read-only, so that only the pages that are looked at are read.
//
// For binary formats whose parts point at each other. Opening costs a few system calls whatever the size. The file must
// not be truncated by another process while it is open; that is the price of a mapping.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

class MappedFile {
 public:
  /// Throws Error: missing, no permission, a directory, not a regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::string_view bytes_;
};

}  // namespace cgpu
