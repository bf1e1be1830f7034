// Protocol buffers from a file of any length: the fields of one outermost message that is never held as a whole, or
// messages one after the other, each behind its length. Only the field at hand is in memory, in a window that grows up
// to the largest field; a length is believed only as far as there are bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text_source.h"
#include "readers/common/protobuf.h"

namespace cgpu {

class ProtobufStream {
 public:
  /// Why a stream has ended. `cut`: the input ends inside a field; `too_large`: a field says that it is larger than is
  /// allowed; `damaged`: the bytes are no field.
  enum class Stop : uint8_t { none, end, cut, too_large, damaged };

  /// `largest`: bytes of a field at most; where memory ends sooner, half of that.
  ProtobufStream(TextSource& source, uint64_t largest)
      : source_(source), largest_(std::min<uint64_t>(largest, SIZE_MAX / 2)) {}

  /// The next field, valid until the next call; false at the end. Of bytes that are cut off, what there is comes out
  /// once, and stop() is `cut` already. Where false stands for damage, `field` has what is known: its number.
  bool next(ProtobufField& field);
  /// The next message behind its length, likewise; one that is cut off does not come out.
  bool next_message(std::string_view& message);

  Stop stop() const { return stop_; }
  /// Of the last field's tag, in the input.
  uint64_t position() const { return field_position_; }

 private:
  bool fail(Stop stop);
  bool fill(size_t size);
  std::string_view rest() const { return std::string_view(window_).substr(begin_); }
  bool take_bytes(size_t head, uint64_t size, std::string_view& bytes);

  TextSource& source_;
  uint64_t largest_;
  std::string window_;
  size_t begin_ = 0;       // of what is left in the window
  uint64_t position_ = 0;  // of the window's start in the input
  uint64_t field_position_ = 0;
  Stop stop_ = Stop::none;
};

}  // namespace cgpu
