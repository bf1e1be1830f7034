// The uncompressed text of an input: a plain file, gzip, zstd, or standard input.
//
// Two ways in. `read` streams from start to end with constant memory, at the speed of pread, ISA-L's igzip
// (about 3 GB/s of output) or zstd. `read_at` gives any range again later, for the arguments of one event:
//   plain   pread at the offset;
//   gzip    from the nearest snapshot: while streaming, the decoder's whole state (ISA-L keeps it, with its 32 kB
//           window, in one struct of 87 kB) is copied every 64 MB of output. That is 0.13 % of the text in
//           memory, no file is written, and an access decodes 65 MB (20 ms) at most; accesses in the order of the text
//           decode it once, since the last two pieces of 1 MB are kept. A spill file would cost as many
//           bytes of disk as the text has and write them even if no argument is read;
//   zstd    by decoding from the start (its decoder's state cannot be copied), with the same two pieces kept;
//   pipe    standard input is spooled to a nameless file in TMPDIR as far as it is read (base/file.h), since a pipe
//           cannot be read twice.
// A byte order mark (UTF-8) at the beginning is no part of the text: positions count from behind it.
// A text that is more than 200 times as large as its compressed form is damage, from 256 MB on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cgpu {

class TextSource {
 public:
  virtual ~TextSource() = default;

  /// The next bytes, fewer than `size` only at the end. Where the input is damaged, what could be decoded before the
  /// damage, then 0; `damage` says what is wrong. Throws Error where the file cannot be read at all.
  size_t read(char* to, size_t size) {
    const size_t got = read_next(to, size);
    text_position_ += got;
    return got;
  }
  /// Bytes of text that `read` has given out.
  uint64_t text_position() const { return text_position_; }

  /// Bytes from `position` of the text on, as many as there are up to `size`. Thread-safe, independent of `read`.
  virtual size_t read_at(uint64_t position, char* to, size_t size) = 0;
  /// Whether `read_at` costs the same anywhere, for several threads at once too.
  virtual bool is_quick_anywhere() const { return false; }

  /// Bytes of the input as stored (of a pipe: those that have come yet), and how many of them `read` has used.
  virtual uint64_t stored_bytes() const = 0;
  virtual uint64_t stored_position() const = 0;

  /// Empty, or one line: what is damaged and where.
  const std::string& damage() const { return damage_; }

 protected:
  virtual size_t read_next(char* to, size_t size) = 0;
  std::string damage_;

 private:
  uint64_t text_position_ = 0;
};

/// Opens a file by content, "-" for standard input, also a served one (remote_file.h). Throws Error: missing,
/// unreadable, a directory, empty.
std::unique_ptr<TextSource> open_text(const std::string& path);

/// All of a small file. Throws Error as open_text does, and where it is longer than `most` bytes, which is more than
/// `what` ("any list of rules (4 MB)") needs.
std::string read_small_text(const std::string& path, size_t most, const std::string& what);

}  // namespace cgpu
