#include "table/column_values.h"

#include <cmath>
#include <stdexcept>

namespace cgpu {

bool is_absent(const Cell& cell) {
  if (const double* real = std::get_if<double>(&cell)) return !std::isfinite(*real);
  return std::holds_alternative<std::monostate>(cell);
}

void ColumnValues::append_presence(bool present) {
  if (size_ % 8 == 0) present_.push_back(0);
  if (present) present_.back() |= static_cast<uint8_t>(1U << (size_ % 8));
  absent_count_ += present ? 0 : 1;
  ++size_;
}

void ColumnValues::append_absent() {
  append_presence(false);
  switch (type_) {
    case ColumnType::integer:
      integers_.push_back(0);
      return;
    case ColumnType::real:
      reals_.push_back(0);
      return;
    case ColumnType::text:
      codes_.push_back(0);
      return;
  }
}

void ColumnValues::append(int64_t value) {
  if (type_ == ColumnType::real) return append(static_cast<double>(value));
  if (type_ != ColumnType::integer) throw std::logic_error("a number in a column of text");
  append_presence(true);
  integers_.push_back(value);
}

void ColumnValues::append(double value) {
  if (type_ != ColumnType::real) throw std::logic_error("a real number in a column of another type");
  if (!std::isfinite(value)) return append_absent();
  append_presence(true);
  reals_.push_back(value);
}

void ColumnValues::append(std::string_view text) {
  if (type_ != ColumnType::text) throw std::logic_error("a text in a column of numbers");
  append_presence(true);
  const int32_t known = dictionary_ ? dictionary_->find(text) : -1;
  codes_.push_back(known >= 0 ? known : own_dictionary().code(text));
}

void ColumnValues::append(const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return append(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return append(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return append(std::string_view(*text));
  append_absent();
}

void ColumnValues::append_codes(std::shared_ptr<TextDictionary> dictionary, const std::vector<int32_t>& codes) {
  dictionary_ = std::move(dictionary);
  for (const int32_t code : codes) {
    append_presence(code >= 0);
    codes_.push_back(code >= 0 ? code : 0);
  }
}

Cell ColumnValues::cell(size_t row) const {
  if (is_absent(row)) return {};
  switch (type_) {
    case ColumnType::integer:
      return integers_[row];
    case ColumnType::real:
      return reals_[row];
    case ColumnType::text:
      break;
  }
  return std::string(text(row));
}

std::strong_ordering ColumnValues::compare(size_t row, const ColumnValues& other, size_t other_row) const {
  const bool absent = is_absent(row);
  const bool other_absent = other.is_absent(other_row);
  if (absent || other_absent) return other_absent <=> absent;
  switch (type_) {
    case ColumnType::integer:
      return integers_[row] <=> other.integers_[other_row];
    case ColumnType::real:  // finite, so that there is an order
      return reals_[row] < other.reals_[other_row]   ? std::strong_ordering::less
             : reals_[row] > other.reals_[other_row] ? std::strong_ordering::greater
                                                     : std::strong_ordering::equal;
    case ColumnType::text:
      break;
  }
  return text(row) <=> other.text(other_row);
}

void ColumnValues::take(const std::vector<uint32_t>& rows) {
  ColumnValues taken(type_);
  taken.dictionary_ = dictionary_;
  taken.reserve(rows.size());
  for (const uint32_t row : rows) {
    taken.append_presence(!is_absent(row));
    switch (type_) {
      case ColumnType::integer:
        taken.integers_.push_back(integers_[row]);
        break;
      case ColumnType::real:
        taken.reals_.push_back(reals_[row]);
        break;
      case ColumnType::text:
        taken.codes_.push_back(codes_[row]);
        break;
    }
  }
  *this = std::move(taken);
}

void ColumnValues::append_all(const ColumnValues& other) {
  reserve(size_ + other.size_);
  for (size_t row = 0; row < other.size_; ++row) {
    if (other.is_absent(row)) {
      append_absent();
    } else if (type_ == ColumnType::text) {
      append(other.text(row));
    } else if (type_ == ColumnType::integer) {
      append(other.integers_[row]);
    } else {
      append(other.reals_[row]);
    }
  }
}

void ColumnValues::reserve(size_t rows) {
  present_.reserve((rows + 7) / 8);
  switch (type_) {
    case ColumnType::integer:
      return integers_.reserve(rows);
    case ColumnType::real:
      return reals_.reserve(rows);
    case ColumnType::text:
      return codes_.reserve(rows);
  }
}

const TextDictionary& ColumnValues::dictionary() const {
  static const TextDictionary empty;
  return dictionary_ ? *dictionary_ : empty;
}

TextDictionary& ColumnValues::own_dictionary() {
  if (!dictionary_) {
    dictionary_ = std::make_shared<TextDictionary>();
  } else if (dictionary_.use_count() > 1) {
    dictionary_ = std::make_shared<TextDictionary>(*dictionary_);
  }
  return *dictionary_;
}

}  // namespace cgpu
