// The lines of a text, in a stream: without their ends (LF or CRLF), the last one also where it has none. O(1) memory:
// of a line longer than 1 MB the rest is passed over.
#pragma once

#include <string>
#include <string_view>

#include "base/text_source.h"

namespace cgpu {

class LineReader {
 public:
  explicit LineReader(TextSource& source) : source_(source), buffer_(kBuffer, '\0') {}

  /// The next line, valid until the next call; false at the end.
  bool next(std::string_view& line);
  /// Lines that were longer than 1 MB.
  int64_t cut_lines() const { return cut_lines_; }
  /// Whether the last line had an end.
  bool ended() const { return ended_; }

 private:
  static constexpr size_t kBuffer = size_t{256} << 10;
  static constexpr size_t kMaxLine = size_t{1} << 20;

  bool refill();

  TextSource& source_;
  std::string buffer_;
  size_t at_ = 0;
  size_t size_ = 0;
  std::string long_line_;  // a line that does not lie in the buffer as a whole
  int64_t cut_lines_ = 0;
  bool ended_ = true;
};

}  // namespace cgpu
