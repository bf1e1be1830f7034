// The output of an export: a stream of bytes, plain or compressed with gzip.
//
// Bytes are passed on in blocks of about 1 MB. gzip is ISA-L's at its level 1 (about 400 MB/s).
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace cgpu {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Must be called once, after the last write.
  virtual void finish() {}
};

/// Passes every block to `write`.
std::unique_ptr<Sink> plain_sink(std::function<void(std::string_view)> write);
/// The same, compressed.
std::unique_ptr<Sink> gzip_sink(std::function<void(std::string_view)> write);

/// To the stream of a file of this name, compressed where that ends in .gz. Its writes throw Error where the stream
/// does not take everything.
std::unique_ptr<Sink> sink_of_file(std::ostream& out, const std::string& name);

/// About how many bytes are passed to a sink at a time.
inline constexpr size_t kSinkBlock = size_t{1} << 20;

/// Collects small pieces and passes them to a sink in large blocks.
class BlockWriter {
 public:
  explicit BlockWriter(Sink& sink) : sink_(sink) { block_.reserve(kSinkBlock + (kSinkBlock >> 2)); }
  std::string& block() { return block_; }
  /// Call after each piece.
  void flush_if_full() {
    if (block_.size() >= kSinkBlock) flush();
  }
  void flush() {
    sink_.write(block_);
    flushed_ += block_.size();
    block_.clear();
  }
  /// Bytes that have been collected since the beginning.
  uint64_t position() const { return flushed_ + block_.size(); }

 private:
  Sink& sink_;
  std::string block_;
  uint64_t flushed_ = 0;
};

}  // namespace cgpu
