#include "readers/common/message_pack_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/to_size.h"

namespace cgpu {

namespace {

constexpr size_t kMostText = size_t{16} << 20;
constexpr size_t kMostOpen = 1024;

/// The first byte of a value (the specification of MessagePack).
struct First {
  enum : uint8_t {
    kLastPositive = 0x7f,
    kLastFixedMap = 0x8f,
    kLastFixedArray = 0x9f,
    kLastFixedText = 0xbf,
    kNil = 0xc0,
    kFalse = 0xc2,
    kTrue = 0xc3,
    kFloat = 0xca,
    kDouble = 0xcb,
    kUnsigned8 = 0xcc,
    kUnsigned64 = 0xcf,
    kSigned8 = 0xd0,
    kSigned64 = 0xd3,
    kText8 = 0xd9,
    kText32 = 0xdb,
    kArray16 = 0xdc,
    kArray32 = 0xdd,
    kMap16 = 0xde,
    kMap32 = 0xdf,
    kFirstNegative = 0xe0,
  };
};

/// With the escapes that JSON needs.
void append_escaped(std::string& to, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < ' ') {
      to += "\\u00";
      to += kHex[byte >> 4];
      to += kHex[byte & 0xf];
    } else {
      if (c == '"' || c == '\\') to += '\\';
      to += c;
    }
  }
}

}  // namespace

size_t MessagePackText::read_next(char* to, size_t size) {
  while (text_.size() - given_ < size && !ended_) convert();
  const size_t given = std::min(size, text_.size() - given_);
  std::memcpy(to, text_.data() + given_, given);
  given_ += given;
  if (given_ == text_.size()) {
    text_.clear();
    given_ = 0;
  }
  return given;
}

bool MessagePackText::take(char* to, size_t size) {
  for (size_t got = 0; got < size;) {
    if (at_ == size_) {
      at_ = 0;
      size_ = packed_.read(buffer_.data(), buffer_.size());
      if (size_ == 0) {
        fail(packed_.damage().empty() ? "it ends inside a value" : packed_.damage().c_str());
        return false;
      }
    }
    const size_t part = std::min(size - got, size_ - at_);
    std::memcpy(to + got, buffer_.data() + at_, part);
    at_ += part;
    got += part;
  }
  return true;
}

bool MessagePackText::take_number(size_t bytes, uint64_t& number) {
  std::array<char, sizeof(uint64_t)> big_endian{};
  if (!take(big_endian.data(), bytes)) return false;
  number = 0;
  for (size_t i = 0; i < bytes; ++i) number = number << 8 | static_cast<uint8_t>(big_endian[i]);
  return true;
}

void MessagePackText::fail(const char* what) {
  ended_ = true;
  if (damage_.empty()) damage_ = what;
}

/// The next value, behind what JSON has between two.
void MessagePackText::convert() {
  char type = 0;
  if (!take(&type, 1)) return;
  if (!open_.empty()) {
    Container& in = open_.back();
    const bool is_value = in.is_map && in.left % 2 == 1;
    if (is_value) {
      text_ += ':';
    } else if (!in.is_first) {
      text_ += ',';
    }
    in.is_first = false;
    --in.left;
    const auto byte = static_cast<uint8_t>(type);
    const bool is_text = (byte > First::kLastFixedArray && byte <= First::kLastFixedText) ||
                         (byte >= First::kText8 && byte <= First::kText32);
    if (in.is_map && !is_value && !is_text) return fail("a key is no text");
  }
  convert_value(static_cast<uint8_t>(type));
  close_full();
}

void MessagePackText::convert_value(uint8_t type) {
  uint64_t number = 0;
  if (type <= First::kLastPositive) {
    text_ += std::to_string(type);
  } else if (type <= First::kLastFixedMap) {
    begin(true, type & 0xf);
  } else if (type <= First::kLastFixedArray) {
    begin(false, type & 0xf);
  } else if (type <= First::kLastFixedText) {
    convert_text(type & 0x1f);
  } else if (type >= First::kFirstNegative) {
    text_ += std::to_string(static_cast<int8_t>(type));
  } else if (type == First::kNil) {
    text_ += "null";
  } else if (type == First::kFalse || type == First::kTrue) {
    text_ += type == First::kTrue ? "true" : "false";
  } else if (type == First::kFloat) {
    if (take_number(4, number)) convert_real(std::bit_cast<float>(static_cast<uint32_t>(number)));
  } else if (type == First::kDouble) {
    if (take_number(8, number)) convert_real(std::bit_cast<double>(number));
  } else if (type >= First::kUnsigned8 && type <= First::kUnsigned64) {
    if (take_number(size_t{1} << (type - First::kUnsigned8), number)) text_ += std::to_string(number);
  } else if (type >= First::kSigned8 && type <= First::kSigned64) {
    const size_t bytes = size_t{1} << (type - First::kSigned8);
    const auto unused = static_cast<int>(64 - 8 * bytes);
    if (take_number(bytes, number)) text_ += std::to_string(static_cast<int64_t>(number << unused) >> unused);
  } else if (type >= First::kText8 && type <= First::kText32) {
    if (take_number(size_t{1} << (type - First::kText8), number)) convert_text(number);
  } else if (type == First::kArray16 || type == First::kArray32) {
    if (take_number(type == First::kArray16 ? 2 : 4, number)) begin(false, number);
  } else if (type == First::kMap16 || type == First::kMap32) {
    if (take_number(type == First::kMap16 ? 2 : 4, number)) begin(true, number);
  } else {
    fail("binary data and extensions are not read");
  }
}

void MessagePackText::begin(bool is_map, uint64_t size) {
  if (open_.size() == kMostOpen) return fail("it is nested too deeply");
  text_ += is_map ? '{' : '[';
  open_.push_back({is_map, is_map ? 2 * size : size});
}

void MessagePackText::convert_text(uint64_t size) {
  if (size > kMostText) return fail("a text is longer than 16 MB");
  std::string text(to_size(size), '\0');
  if (!take(text.data(), text.size())) return;
  text_ += '"';
  append_escaped(text_, text);
  text_ += '"';
}

void MessagePackText::convert_real(double value) {
  if (!std::isfinite(value)) {
    text_ += "null";
    return;
  }
  std::array<char, 40> digits{};
  std::snprintf(digits.data(), digits.size(), "%.17g", value);
  text_ += digits.data();
}

void MessagePackText::close_full() {
  while (!ended_ && !open_.empty() && open_.back().left == 0) {
    text_ += open_.back().is_map ? '}' : ']';
    open_.pop_back();
  }
  if (open_.empty()) ended_ = true;
}

}  // namespace cgpu
