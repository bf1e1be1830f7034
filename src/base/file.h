// A file descriptor, closed with the object, with positioned reads. (reopened_file.h closes and opens it as needed.)
//
// SpooledPipe gives the same of what can be read once only (a pipe, a device): what has been read is kept in an
// unlinked temporary file. It reads no further than it is asked, so that an endless input costs what is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cgpu {

/// That a file is there and access to it is refused or fails: what it holds is not known, so that a folder must not be
/// read without it.
class NoAccess : public Error {
 public:
  using Error::Error;
};

class File {
 public:
  /// Opens for reading. Throws Error with what to do: missing, no permission, a directory.
  explicit File(const std::string& path);
  /// Takes over an open descriptor.
  File(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  virtual ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Bytes from `position` on, fewer than `size` only at the end of the file. Throws Error on a read error.
  virtual size_t read_at(uint64_t position, void* to, size_t size) const;
  virtual uint64_t size() const;
  /// Whether `read_at` costs the same anywhere, for several threads at once too.
  virtual bool is_quick_anywhere() const { return true; }
  virtual bool is_regular() const;
  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

 private:
  int descriptor_ = -1;
  std::string name_;
};

/// Whether a regular file is there and begins with these bytes.
bool begins_with(const std::string& path, std::string_view bytes);

/// Where temporary files lie: TMPDIR, else /tmp.
std::string temporary_parent();
/// The most bytes that may be written to temporary files for one input: half of what is free there now.
uint64_t most_temporary_bytes();
/// An open file there without a name: it vanishes with the process, however that ends. Throws Error about `wanted_by`.
int make_nameless_file(const std::string& wanted_by);
/// An Error about `input` for one that needs more. `most`: what most_temporary_bytes() was.
[[noreturn]] void throw_no_temporary_room(const std::string& input, uint64_t most);

class SpooledPipe final : public File {
 public:
  /// Throws Error where no temporary file can be made.
  explicit SpooledPipe(std::shared_ptr<const File> pipe);

  /// Reads from the pipe up to the end of what is asked for. Thread-safe. Throws Error, too, where it is larger than
  /// there is room for.
  size_t read_at(uint64_t position, void* to, size_t size) const override;
  /// As far as it has been read.
  uint64_t size() const override;

 private:
  void fetch(uint64_t end) const;

  std::shared_ptr<const File> pipe_;
  uint64_t most_;
  mutable std::mutex mutex_;  // of what follows
  mutable uint64_t fetched_ = 0;
  mutable bool ended_ = false;
  mutable std::vector<char> block_;
};

}  // namespace cgpu
