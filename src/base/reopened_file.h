// A file that does not keep its descriptor: a profile of a job is a file a rank, and a process may have only so many
// open.
//
// Half as many as the process may have open are; when one more is opened, that which has been open longest is closed.
// It is opened again when it is read.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "base/file.h"

namespace cgpu {

class ReopenedFile final : public File {
 public:
  /// `file` is regular.
  explicit ReopenedFile(std::shared_ptr<const File> file);
  ~ReopenedFile() override;

  /// Thread-safe. Throws Error, too, where the file is another one by now, or has changed.
  size_t read_at(uint64_t position, void* to, size_t size) const override;
  /// When it was opened first.
  uint64_t size() const override { return size_; }
  bool is_regular() const override { return true; }

 private:
  struct Identity {
    uint64_t device = 0, file = 0;
    int64_t changed_s = 0, changed_ns = 0;
    bool operator==(const Identity&) const = default;
  };
  static Identity identity_of(const File& file);

  std::shared_ptr<const File> opened() const;
  void hold(std::shared_ptr<const File> file) const;

  uint64_t size_;
  Identity identity_;
  mutable std::shared_ptr<const File> held_;                     // null while it is closed
  mutable std::list<const ReopenedFile*>::iterator place_ = {};  // in the list of all that are open, while it is
};

}  // namespace cgpu
