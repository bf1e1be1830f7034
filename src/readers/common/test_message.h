// For tests: writes protocol buffers messages, field by field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cgpu::test {

class Message {
 public:
  Message& varint(uint32_t number, uint64_t value) {
    put(uint64_t{number} << 3);
    put(value);
    return *this;
  }
  Message& real(uint32_t number, double value) {
    put(uint64_t{number} << 3 | 1);
    char bits[sizeof value];
    std::memcpy(bits, &value, sizeof value);
    bytes_.append(bits, sizeof value);
    return *this;
  }
  Message& text(uint32_t number, std::string_view value) {
    put(uint64_t{number} << 3 | 2);
    put(value.size());
    bytes_.append(value);
    return *this;
  }
  Message& add(uint32_t number, const Message& value) { return text(number, value.bytes_); }
  Message& raw(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  std::string bytes_;
};

}  // namespace cgpu::test
