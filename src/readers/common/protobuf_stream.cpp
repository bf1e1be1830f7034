#include "readers/common/protobuf_stream.h"

#include "base/to_size.h"

namespace cgpu {

namespace {

constexpr size_t kReadSize = size_t{1} << 20;

}  // namespace

bool ProtobufStream::fail(Stop stop) {
  stop_ = stop;
  return false;
}

/// Makes `size` bytes from `begin_` on available, as far as the input has them.
bool ProtobufStream::fill(size_t size) {
  while (window_.size() - begin_ < size) {
    if (begin_ > 0) {
      position_ += begin_;
      window_.erase(0, begin_);
      begin_ = 0;
    }
    const size_t had = window_.size();
    window_.resize(had + kReadSize);
    const size_t got = source_.read(window_.data() + had, kReadSize);
    window_.resize(had + got);
    if (got == 0) return false;
  }
  return true;
}

/// Moves past `head` bytes and the `size` bytes behind them, which become `bytes`: all of them, or what there is.
bool ProtobufStream::take_bytes(size_t head, uint64_t size, std::string_view& bytes) {
  if (size > largest_) return fail(Stop::too_large);
  const bool whole = fill(to_size(head + size));
  bytes = rest().substr(head, to_size(size));
  begin_ += head + bytes.size();
  return whole || fail(Stop::cut);
}

bool ProtobufStream::next(ProtobufField& field) {
  field = {};
  if (stop_ != Stop::none) return false;
  if (!fill(1)) return fail(Stop::end);
  fill(2 * kLongestVarint);  // a tag, and a number or a length
  field_position_ = position_ + begin_;
  std::string_view head = rest();
  const size_t available = head.size();
  const auto tag = take_tag(head);
  if (!tag) return fail(Stop::damaged);
  field.number = tag->number;
  field.type = tag->type;
  std::string_view bytes;
  switch (field.type) {
    case WireType::varint: {
      const auto value = take_varint(head);
      if (!value) return fail(Stop::cut);
      field.integer = *value;
      begin_ += available - head.size();
      return true;
    }
    case WireType::bytes: {
      const auto size = take_varint(head);
      if (!size) return fail(Stop::cut);
      take_bytes(available - head.size(), *size, field.bytes);
      return stop_ != Stop::too_large;
    }
    case WireType::fixed64:
    case WireType::fixed32: {
      const size_t size = field.type == WireType::fixed64 ? 8 : 4;
      if (!take_bytes(available - head.size(), size, bytes)) return false;
      std::memcpy(&field.integer, bytes.data(), size);
      return true;
    }
    default:
      return fail(Stop::damaged);
  }
}

bool ProtobufStream::next_message(std::string_view& message) {
  if (stop_ != Stop::none) return false;
  if (!fill(1)) return fail(Stop::end);
  fill(kLongestVarint);
  field_position_ = position_ + begin_;
  std::string_view head = rest();
  const size_t available = head.size();
  const auto size = take_varint(head);
  if (!size) return fail(Stop::cut);
  return take_bytes(available - head.size(), *size, message);
}

}  // namespace cgpu
