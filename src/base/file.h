// A file descriptor, closed with the object, with positioned reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cgpu {

class File {
 public:
  /// Opens for reading. Throws Error with what to do: missing, no permission, a directory.
  explicit File(const std::string& path);
  /// Takes over an open descriptor.
  File(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Bytes from `position` on, fewer than `size` only at the end of the file. Throws Error on a read error.
  size_t read_at(uint64_t position, void* to, size_t size) const;
  uint64_t size() const;
  bool is_regular() const;
  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

 private:
  int descriptor_ = -1;
  std::string name_;
};

}  // namespace cgpu
