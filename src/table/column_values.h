// The values of one column: a typed buffer, which of its places are absent, and for text a dictionary.
//
// The buffers are laid out as Arrow wants them (arrow.h): int64 or double values, or int32 codes into a dictionary of
// texts; a bit a place that says whether there is a value, the lowest bit of a byte first. A copy shares the
// dictionary until one of the two adds a text.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "table/text_dictionary.h"

namespace cgpu {

enum class ColumnType : uint8_t { integer, real, text };  // "int", "float", "text" in JSON

/// One value by itself. monostate: absent (null in JSON, empty in CSV), which is not 0.
using Cell = std::variant<std::monostate, int64_t, double, std::string>;

/// No value: monostate, or a double that is not finite (no renderer writes NaN or infinity).
bool is_absent(const Cell& cell);

class ColumnValues {
 public:
  explicit ColumnValues(ColumnType type) : type_(type) {}

  ColumnType type() const { return type_; }
  size_t size() const { return size_; }

  void append_absent();
  void append(int64_t value) {
    if (type_ != ColumnType::integer) return append_to_other_type(value);
    append_presence(true);
    integers_.push_back(value);
  }
  void append(double value);  // absent where it is not finite
  void append(std::string_view text);
  /// An integer may be in a column of reals. Throws std::logic_error for another type than the column's.
  void append(const Cell& cell);
  /// Appends texts by their codes in `dictionary`, which becomes the column's; -1 for absent. For a column of text
  /// without rows of another dictionary. Columns that share a dictionary must not add texts to it: each gets a copy
  /// when it does, as long as the others are there.
  void append_codes(std::shared_ptr<TextDictionary> dictionary, std::span<const int32_t> codes);

  bool is_absent(size_t row) const { return (present_[row / 8] >> (row % 8) & 1) == 0; }
  /// Only for a place that is not absent, of a column of that type.
  int64_t integer(size_t row) const { return integers_[row]; }
  double real(size_t row) const { return reals_[row]; }
  std::string_view text(size_t row) const { return (*dictionary_)[codes_[row]]; }
  Cell cell(size_t row) const;

  /// The order of two places, here and in another column of the same type: absent before all others.
  std::strong_ordering compare(size_t row, const ColumnValues& other, size_t other_row) const;
  std::strong_ordering compare(size_t a, size_t b) const { return compare(a, *this, b); }

  /// Keeps these rows, in this order.
  void take(const std::vector<uint32_t>& rows);
  /// Appends all rows of another column of the same type. Texts are looked up once each, and not at all where the
  /// dictionary is the same one.
  void append_all(const ColumnValues& other);
  void reserve(size_t rows);

  // The buffers.
  size_t absent_count() const { return absent_count_; }
  const std::vector<uint8_t>& present() const { return present_; }
  const std::vector<int64_t>& integers() const { return integers_; }
  const std::vector<double>& reals() const { return reals_; }
  const std::vector<int32_t>& codes() const { return codes_; }
  /// Of a column of text.
  const TextDictionary& dictionary() const { return *shared_dictionary(); }
  /// Never null.
  std::shared_ptr<const TextDictionary> shared_dictionary() const;

 private:
  void append_presence(bool present) {
    if (size_ % 8 == 0) present_.push_back(0);
    present_.back() |= static_cast<uint8_t>((present ? 1U : 0U) << (size_ % 8));
    absent_count_ += present ? 0 : 1;
    ++size_;
  }
  void append_to_other_type(int64_t value);
  void append_codes_of(const ColumnValues& other);
  /// The code of a text, which is added to the dictionary if it is new.
  int32_t code_of(std::string_view text);
  TextDictionary& own_dictionary();

  ColumnType type_;
  size_t size_ = 0;
  size_t absent_count_ = 0;
  std::vector<uint8_t> present_;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::vector<int32_t> codes_;
  std::shared_ptr<TextDictionary> dictionary_;
};

}  // namespace cgpu
