#include "table/column_values.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cgpu {

bool is_absent(const Cell& cell) {
  if (const double* real = std::get_if<double>(&cell)) return !std::isfinite(*real);
  return std::holds_alternative<std::monostate>(cell);
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

void ColumnValues::append_to_other_type(int64_t value) {
  if (type_ != ColumnType::real) throw std::logic_error("a number in a column of text");
  append(static_cast<double>(value));
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
  codes_.push_back(code_of(text));
}

int32_t ColumnValues::code_of(std::string_view text) {
  const int32_t known = dictionary_ ? dictionary_->find(text) : -1;
  return known >= 0 ? known : own_dictionary().code(text);
}

void ColumnValues::append(const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return append(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return append(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return append(std::string_view(*text));
  append_absent();
}

void ColumnValues::append_codes(std::shared_ptr<TextDictionary> dictionary, std::span<const int32_t> codes) {
  dictionary_ = std::move(dictionary);
  codes_.reserve(size_ + codes.size());
  for (const int32_t code : codes) {
    append_presence(code >= 0);
    codes_.push_back(std::max(code, 0));
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
  for (const uint32_t row : rows) taken.append_presence(!is_absent(row));
  const auto gather = [&](auto& to, const auto& from) {
    for (const uint32_t row : rows) to.push_back(from[row]);
  };
  switch (type_) {
    case ColumnType::integer:
      gather(taken.integers_, integers_);
      break;
    case ColumnType::real:
      gather(taken.reals_, reals_);
      break;
    case ColumnType::text:
      gather(taken.codes_, codes_);
      break;
  }
  *this = std::move(taken);
}

void ColumnValues::append_all(const ColumnValues& other) {
  if (type_ != other.type_) throw std::logic_error("values of a column of another type");
  if (size_ == 0 && !dictionary_) dictionary_ = other.dictionary_;
  if (type_ == ColumnType::text) {
    append_codes_of(other);
  } else {
    integers_.insert(integers_.end(), other.integers_.begin(), other.integers_.end());
    reals_.insert(reals_.end(), other.reals_.begin(), other.reals_.end());
  }
  for (size_t row = 0; row < other.size_; ++row) append_presence(!other.is_absent(row));
}

void ColumnValues::append_codes_of(const ColumnValues& other) {
  if (dictionary_ == other.dictionary_) {
    codes_.insert(codes_.end(), other.codes_.begin(), other.codes_.end());
    return;
  }
  std::vector<int32_t> code_here(other.dictionary().size(), -1);
  for (size_t row = 0; row < other.size_; ++row) {
    if (other.is_absent(row)) {
      codes_.push_back(0);
      continue;
    }
    int32_t& code = code_here[static_cast<size_t>(other.codes_[row])];
    if (code < 0) code = code_of(other.text(row));
    codes_.push_back(code);
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

std::shared_ptr<const TextDictionary> ColumnValues::shared_dictionary() const {
  static const auto empty = std::make_shared<const TextDictionary>();
  return dictionary_ ? dictionary_ : empty;
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
