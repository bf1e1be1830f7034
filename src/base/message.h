// Values to bytes and back, as messages of protocol buffers (protozero), for what is kept between processes and between
// versions of the program: partial results of tables, figures of runs, summaries.
//
// A type lists its members once, for both directions:
//
//   template <typename Archive> void members(Archive& archive) { archive(count, total, name); }
//
// A member has the number of its place as its field number. So what was written stays readable: a member is added
// behind the last one, and none is moved, removed or given another meaning. A field that is absent leaves its member as
// it was; one of an unknown number is skipped. What version 9 of summaries wrote has no numbers (positional_reader.h):
// a member that came later is left out there, by `if constexpr (!Archive::kIsPositional)`.
//
// | member | field |
// |---|---|
// | bool, unsigned, enum | varint |
// | signed | varint in zigzag order (sint64) |
// | double | fixed64 |
// | text | bytes |
// | optional | absent, or what it holds |
// | several numbers | packed |
// | several texts, several messages | repeated |
// | map | repeated messages of key and value; of numbers a message of all keys and all values, packed |
// | pair, tuple, class | message |
// | several of what is no field by itself (optional, several) | repeated messages of one field |
//
// Reading is bounded by the bytes that are there.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace cgpu {

namespace message {

template <typename T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <typename T>
inline constexpr bool kIsSeveral = false;
template <typename T>
inline constexpr bool kIsSeveral<std::vector<T>> = true;
template <typename T, size_t N>
inline constexpr bool kIsSeveral<std::array<T, N>> = true;
template <typename K, typename V>
inline constexpr bool kIsSeveral<std::map<K, V>> = true;
template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// Whether several of it are messages of one field.
template <typename T>
inline constexpr bool kIsWrapped = kIsSeveral<T> || kIsOptional<T>;

}  // namespace message

class MessageWriter {
 public:
  static constexpr bool kIsWriting = true;
  static constexpr bool kIsPositional = false;

  /// `reduced`: samples may be written as what is enough for statistics of them (analysis/common/statistics.h).
  explicit MessageWriter(bool reduced = false) : reduced_(reduced) {}
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;
  bool reduced() const { return reduced_; }

  template <typename... Values>
  void operator()(const Values&... values) {
    (write(++number_, values), ...);
  }
  /// A field of `count` messages; list(i) lists the members of one of them.
  template <typename List>
  void each(size_t count, const List& list) {
    const protozero::pbf_tag_type number = ++number_;
    for (size_t i = 0; i < count; ++i) nest(number, [&] { list(i); });
  }
  /// A field that is a message, whose members `list` lists.
  template <typename List>
  void one(const List& list) {
    nest(++number_, list);
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  /// Writes a message, whose fields `list` writes.
  template <typename List>
  void nest(protozero::pbf_tag_type number, const List& list) {
    const size_t before = bytes_.size();
    protozero::pbf_writer* const outer = writer_;
    const protozero::pbf_tag_type outer_number = std::exchange(number_, 0);
    {
      protozero::pbf_writer inner(*outer, number);
      writer_ = &inner;
      list();
    }
    writer_ = outer;
    number_ = outer_number;
    if (bytes_.size() == before) writer_->add_message(number, "", 0);  // protozero leaves out what is empty
  }
  template <typename T>
  void write(protozero::pbf_tag_type number, const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      writer_->add_double(number, value);
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      writer_->add_sint64(number, value);
    } else if constexpr (message::kIsNumber<T>) {
      writer_->add_uint64(number, static_cast<uint64_t>(value));
    } else {
      // members() serves both directions; nothing is changed here.
      nest(number, [&] { const_cast<T&>(value).members(*this); });
    }
  }
  void write(protozero::pbf_tag_type number, const std::string& text) { writer_->add_bytes(number, text); }
  template <typename T>
  void write(protozero::pbf_tag_type number, const std::optional<T>& value) {
    static_assert(!message::kIsWrapped<T>);
    if (value) write(number, *value);
  }
  template <typename T, size_t N>
  void write(protozero::pbf_tag_type number, const std::array<T, N>& values) {
    write_all(number, values);
  }
  template <typename T>
  void write(protozero::pbf_tag_type number, const std::vector<T>& values) {
    write_all(number, values);
  }
  template <typename A, typename B>
  void write(protozero::pbf_tag_type number, const std::pair<A, B>& value) {
    nest(number, [&] { (*this)(value.first, value.second); });
  }
  template <typename... T>
  void write(protozero::pbf_tag_type number, const std::tuple<T...>& value) {
    nest(number, [&] { std::apply([this](const T&... parts) { (*this)(parts...); }, value); });
  }
  template <typename K, typename V>
  void write(protozero::pbf_tag_type number, const std::map<K, V>& values) {
    if constexpr (message::kIsNumber<K> && message::kIsNumber<V>) {
      std::vector<K> keys;
      std::vector<V> all;
      for (const auto& [key, value] : values) {
        keys.push_back(key);
        all.push_back(value);
      }
      nest(number, [&] { (*this)(keys, all); });
    } else {
      for (const auto& entry : values) nest(number, [&] { (*this)(entry.first, entry.second); });
    }
  }
  template <typename Values>
  void write_all(protozero::pbf_tag_type number, const Values& values) {
    using T = typename Values::value_type;
    if constexpr (std::is_floating_point_v<T>) {
      writer_->add_packed_double(number, values.begin(), values.end());
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      writer_->add_packed_sint64(number, values.begin(), values.end());
    } else if constexpr (std::is_enum_v<T>) {
      protozero::packed_field_uint64 packed(*writer_, number);
      for (const T value : values) packed.add_element(static_cast<uint64_t>(value));
    } else if constexpr (message::kIsNumber<T>) {
      writer_->add_packed_uint64(number, values.begin(), values.end());
    } else if constexpr (message::kIsWrapped<T>) {
      for (const T& value : values) nest(number, [&] { (*this)(value); });
    } else {
      for (const T& value : values) write(number, value);
    }
  }

  std::string bytes_;
  protozero::pbf_writer top_{bytes_};
  protozero::pbf_writer* writer_ = &top_;
  protozero::pbf_tag_type number_ = 0;  // of the field that was written last
  bool reduced_ = false;
};

/// All of it throws Error, beginning with the name, for bytes that are no such message.
class MessageReader {
 public:
  static constexpr bool kIsWriting = false;
  static constexpr bool kIsPositional = false;

  /// `bytes` must outlive it; `name` says what they are. `reduced`: samples are kept as MessageWriter would write them
  /// reduced.
  MessageReader(std::string_view bytes, std::string name, bool reduced = false);
  MessageReader(const MessageReader&) = delete;
  MessageReader& operator=(const MessageReader&) = delete;
  bool reduced() const { return reduced_; }

  template <typename... Values>
  void operator()(Values&... values) {
    (guarded([&] { read_field(values); }), ...);
  }
  /// A field of messages; list(i) reads the members of one of them. The first parameter is for writing.
  template <typename List>
  void each(size_t, const List& list) {
    guarded([&] {
      size_t i = 0;
      for (seek(++level_.number); is_at(level_.number); next()) nest([&] { list(i++); });
    });
  }
  /// A field that is a message, whose members `list` reads.
  template <typename List>
  void one(const List& list) {
    guarded([&] {
      seek(++level_.number);
      if (!is_at(level_.number)) return;
      nest(list);
      next();
    });
  }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  /// A message that is being read.
  struct Level {
    protozero::pbf_reader fields;
    bool has_field = false;              // whether `fields` is at one
    protozero::pbf_tag_type number = 0;  // of the member that was read last
  };

  template <typename Read>
  void guarded(const Read& read) {
    try {
      read();
    } catch (const protozero::exception&) {
      fail("ends too early, or is no message");
    }
  }
  void next() { level_.has_field = level_.fields.next(); }
  /// Skips fields until one with this number or a larger one.
  void seek(protozero::pbf_tag_type number);
  bool is_at(protozero::pbf_tag_type number) const { return level_.has_field && level_.fields.tag() == number; }
  void expect(protozero::pbf_wire_type type) const {
    if (level_.fields.wire_type() != type) fail("holds a field of another type");
  }
  /// Reads the message that `level_` is at.
  template <typename Read>
  void nest(const Read& read) {
    expect(protozero::pbf_wire_type::length_delimited);
    protozero::pbf_reader inner = level_.fields.get_message();
    Level outer = std::exchange(level_, Level{std::move(inner)});
    next();
    read();
    level_ = std::move(outer);
  }
  template <typename T>
  T narrowed(uint64_t number) const {
    if constexpr (std::is_same_v<T, bool>) {
      return number != 0;
    } else if constexpr (std::is_enum_v<T>) {
      if (number > UINT8_MAX) fail("holds an unknown kind");
      return static_cast<T>(number);
    } else if constexpr (std::is_signed_v<T>) {
      const int64_t wide = protozero::decode_zigzag64(number);
      if (static_cast<T>(wide) != wide) fail("holds a number that is too large");
      return static_cast<T>(wide);
    } else {
      if (static_cast<T>(number) != number) fail("holds a number that is too large");
      return static_cast<T>(number);
    }
  }

  template <typename T>
  void read_field(T& value) {
    seek(++level_.number);
    if (!is_at(level_.number)) return;
    read(value);
  }
  /// Reads the field that `level_` is at, and goes behind it.
  template <typename T>
  void read(T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      expect(protozero::pbf_wire_type::fixed64);
      value = level_.fields.get_double();
    } else if constexpr (message::kIsNumber<T>) {
      expect(protozero::pbf_wire_type::varint);
      value = narrowed<T>(level_.fields.get_uint64());
    } else {
      nest([&] { value.members(*this); });
    }
    next();
  }
  std::string_view bytes_of_field();
  /// How many the packed field has that `level_` is at.
  size_t varints_in_field() const;
  void read(std::string& text) { text = bytes_of_field(); }
  /// Into the bytes that are read.
  void read(std::string_view& text) { text = bytes_of_field(); }
  template <typename T>
  void read(std::optional<T>& value) {
    read(value.emplace());
  }
  template <typename T, size_t N>
  void read(std::array<T, N>& values) {
    size_t i = 0;
    read_all<T>([&](T&& value) {
      if (i < N) values[i++] = std::move(value);  // a later version may have more of them
    });
  }
  template <typename T>
  void read(std::vector<T>& values) {
    values.clear();
    if constexpr (message::kIsNumber<T> && !std::is_floating_point_v<T>) values.reserve(varints_in_field());
    read_all<T>([&](T&& value) { values.push_back(std::move(value)); });
  }
  template <typename A, typename B>
  void read(std::pair<A, B>& value) {
    nest([&] { (*this)(value.first, value.second); });
    next();
  }
  template <typename... T>
  void read(std::tuple<T...>& value) {
    nest([&] { std::apply([this](T&... parts) { (*this)(parts...); }, value); });
    next();
  }
  template <typename K, typename V>
  void read(std::map<K, V>& values) {
    values.clear();
    if constexpr (message::kIsNumber<K> && message::kIsNumber<V>) {
      std::vector<K> keys;
      std::vector<V> all;
      nest([&] { (*this)(keys, all); });
      if (keys.size() != all.size()) fail("holds keys without values");
      for (size_t i = 0; i < keys.size(); ++i) values[keys[i]] = all[i];
      next();
    } else {
      for (const auto number = level_.number; is_at(number); next()) {
        nest([&] {
          K key{};
          V value{};
          (*this)(key, value);
          values[std::move(key)] = std::move(value);
        });
      }
    }
  }
  template <typename T, typename Add>
  void read_all(const Add& add) {
    const auto number = level_.number;
    if constexpr (message::kIsNumber<T>) {
      for (; is_at(number); next()) {
        expect(protozero::pbf_wire_type::length_delimited);
        if constexpr (std::is_floating_point_v<T>) {
          for (const double value : level_.fields.get_packed_double()) add(T{value});
        } else {
          for (const uint64_t value : level_.fields.get_packed_uint64()) add(narrowed<T>(value));
        }
      }
    } else if constexpr (message::kIsWrapped<T>) {
      for (; is_at(number); next()) {
        T value{};
        nest([&] { (*this)(value); });
        add(std::move(value));
      }
    } else {
      while (is_at(number)) {
        T value{};
        read(value);
        add(std::move(value));
      }
    }
  }

  std::string_view bytes_;
  std::string name_;
  bool reduced_ = false;
  Level level_;
};

/// A field of messages, one for each element of a container, which grows as they are read; member(element) lists the
/// members of one. For elements that have no members() of their own.
template <typename Archive, typename Elements, typename Member>
void each_element(Archive& archive, Elements& elements, const Member& member) {
  archive.each(elements.size(), [&](size_t i) {
    if constexpr (!Archive::kIsWriting) {
      if (i == elements.size()) elements.emplace_back();
    }
    member(elements[i]);
  });
}

}  // namespace cgpu
