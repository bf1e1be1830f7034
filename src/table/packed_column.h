// The values of a column as they are kept between processes (base/message.h): only those that are there, packed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/positional_reader.h"
#include "table/column_values.h"

namespace cgpu {

struct PackedColumn {
  std::string present;  // a byte a row, 0 where the value is absent; "" where none is
  // The values that are there, in one of these by the column's type:
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string> texts;

  template <typename Archive>
  void members(Archive& archive) {
    archive(present, integers, reals, texts);
  }
};

PackedColumn packed(const ColumnValues& values);
/// Nothing where it does not hold `rows` values of this type.
std::optional<ColumnValues> unpacked(const PackedColumn& column, ColumnType type, uint64_t rows);
/// The values of a column as version 9 of summaries has them: of each row whether there is a value, and the value.
ColumnValues positional_values(PositionalReader& bytes, ColumnType type, uint64_t rows);

}  // namespace cgpu
