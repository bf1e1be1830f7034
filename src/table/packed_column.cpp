#include "table/packed_column.h"

#include <string_view>
#include <type_traits>
#include <utility>

#include "base/to_size.h"

namespace cgpu {

namespace {

template <typename T>
std::optional<ColumnValues> with_absent(const std::string& present, const std::vector<T>& there, ColumnType type,
                                        uint64_t rows) {
  if ((present.empty() ? there.size() : present.size()) != rows) return std::nullopt;
  ColumnValues values(type);
  values.reserve(to_size(rows));
  auto value = there.begin();
  for (size_t row = 0; row < rows; ++row) {
    if (!present.empty() && present[row] == 0) {
      values.append_absent();
    } else if (value == there.end()) {
      return std::nullopt;
    } else if constexpr (std::is_same_v<T, std::string>) {
      values.append(std::string_view(*value++));
    } else {
      values.append(*value++);
    }
  }
  return value == there.end() ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace

PackedColumn packed(const ColumnValues& values) {
  PackedColumn column;
  for (size_t row = 0; row < values.size(); ++row) {
    if (values.absent_count() > 0) column.present += static_cast<char>(!values.is_absent(row));
    if (values.is_absent(row)) continue;
    switch (values.type()) {
      case ColumnType::integer:
        column.integers.push_back(values.integer(row));
        break;
      case ColumnType::real:
        column.reals.push_back(values.real(row));
        break;
      case ColumnType::text:
        column.texts.emplace_back(values.text(row));
        break;
    }
  }
  return column;
}

std::optional<ColumnValues> unpacked(const PackedColumn& column, ColumnType type, uint64_t rows) {
  switch (type) {
    case ColumnType::integer:
      return with_absent(column.present, column.integers, type, rows);
    case ColumnType::real:
      return with_absent(column.present, column.reals, type, rows);
    case ColumnType::text:
      break;
  }
  return with_absent(column.present, column.texts, type, rows);
}

ColumnValues positional_values(PositionalReader& bytes, ColumnType type, uint64_t rows) {
  ColumnValues values(type);
  for (uint64_t row = 0; row < rows; ++row) {
    bool present = false;
    bytes(present);
    if (!present) {
      values.append_absent();
    } else if (type == ColumnType::integer) {
      int64_t integer = 0;
      bytes(integer);
      values.append(integer);
    } else if (type == ColumnType::real) {
      double real = 0;
      bytes(real);
      values.append(real);
    } else {
      std::string text;
      bytes(text);
      values.append(std::string_view(text));
    }
  }
  return values;
}

}  // namespace cgpu
