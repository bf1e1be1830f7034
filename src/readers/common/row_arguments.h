// The arguments of a slice that was a row of a table: the columns of its row, read again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/arguments.h"
#include "readers/common/table_source.h"

namespace cgpu {

/// Slices::source of a row: the place of its table in RowLayout::tables above 56 bits of row id.
inline constexpr int kRowBits = 56;
/// kNoSource where the row id does not fit.
uint64_t source_of_row(uint64_t table, int64_t row);

/// Where rows and their texts are.
struct RowLayout {
  std::vector<std::string> tables;             // whose rows become slices; order matters to Slices::source only
  std::vector<std::string_view> shown;         // columns that are left out: the slice shows them itself
  std::vector<std::string_view> text_columns;  // columns with ids of texts
  std::string texts;                           // the table of texts: an id and `value`
  std::string id = "id";                       // its column of ids

  /// The place of a table, that of none where it is not listed.
  uint64_t place_of(const std::string& table) const;
};

/// Every column of the row but those shown, with texts for ids of texts. One lookup by row id, and one for each text.
/// The tables stay open.
std::shared_ptr<ArgumentSource> make_row_arguments(std::shared_ptr<TableSource> tables, RowLayout layout);

}  // namespace cgpu
