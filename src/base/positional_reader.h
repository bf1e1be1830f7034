// Reads what version 9 of summaries wrote: values one behind the other, without field numbers, in the order in which
// types list their members (message.h). It takes the place of MessageReader there, and nothing is written so any more.
//
// Integers are variable-length (small ones take one byte, signed ones in zigzag order), reals 8 bytes little-endian,
// texts and sequences their length first. Reading is bounded by the bytes that are there: a length that promises more
// than they can hold is an Error before anything of that size is allocated.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace cgpu {

class PositionalReader {
 public:
  static constexpr bool kIsWriting = false;
  static constexpr bool kIsPositional = true;

  /// `name` says what the bytes are, for errors. `reduced`: samples are kept as MessageWriter would write them reduced.
  PositionalReader(std::string_view bytes, std::string name, bool reduced = false)
      : bytes_(bytes), name_(std::move(name)), reduced_(reduced) {}
  bool reduced() const { return reduced_; }

  template <typename... Values>
  void operator()(Values&... values) {
    (read(values), ...);
  }
  /// Things one behind the other, after their number; list(i) reads one of them.
  template <typename List>
  void each(size_t, const List& list) {
    const size_t count = length();
    for (size_t i = 0; i < count; ++i) list(i);
  }
  /// Members of one thing.
  template <typename List>
  void one(const List& list) {
    list();
  }
  bool at_end() const { return at_ == bytes_.size(); }
  /// What has not been read.
  std::string_view rest() const { return bytes_.substr(at_); }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  uint64_t number() {
    if (at_ < bytes_.size() && static_cast<uint8_t>(bytes_[at_]) < 0x80) return static_cast<uint8_t>(bytes_[at_++]);
    return longer_number();
  }
  uint64_t longer_number();
  /// Of things that take at least a byte each.
  size_t length();
  template <typename T>
  void read(T& value) {
    if constexpr (std::is_enum_v<T>) {
      const uint64_t read = number();
      if (read > UINT8_MAX) fail("holds an unknown kind");
      value = static_cast<T>(read);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = number() != 0;
    } else if constexpr (std::is_unsigned_v<T>) {
      const uint64_t read = number();
      value = static_cast<T>(read);
      if (value != read) fail("holds a number that is too large");
    } else if constexpr (std::is_integral_v<T>) {
      const uint64_t zigzag = number();
      const auto wide = static_cast<int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1));
      value = static_cast<T>(wide);
      if (value != wide) fail("holds a number that is too large");
    } else {
      value.members(*this);
    }
  }
  void read(double& value);
  void read(std::string& text);
  template <typename T>
  void read(std::optional<T>& value) {
    bool present = false;
    read(present);
    value.reset();
    if (present) read(value.emplace());
  }
  template <typename T, size_t N>
  void read(std::array<T, N>& values) {
    for (T& value : values) read(value);
  }
  template <typename T>
  void read(std::vector<T>& values) {
    values.clear();
    for (size_t left = length(); left > 0; --left) read(values.emplace_back());
  }
  template <typename A, typename B>
  void read(std::pair<A, B>& value) {
    read(value.first);
    read(value.second);
  }
  template <typename... T>
  void read(std::tuple<T...>& value) {
    std::apply([this](T&... parts) { (read(parts), ...); }, value);
  }
  template <typename K, typename V>
  void read(std::map<K, V>& values) {
    values.clear();
    for (size_t left = length(); left > 0; --left) {
      K key{};
      read(key);
      read(values[std::move(key)]);
    }
  }

  std::string_view bytes_;
  std::string name_;
  bool reduced_ = false;
  size_t at_ = 0;
};

}  // namespace cgpu
