// Table `compare_memory`: the peaks of device memory of two runs, as `memory` has them, over the whole of both
// profiles.
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

using Key = std::pair<int64_t, int64_t>;  // rank, device

void append_memory(const Comparison& comparison, const TableOptions&, Table& table) {
  const char* const columns[] = {"peak_allocated_bytes", "peak_reserved_bytes", "allocations"};
  std::map<Key, std::array<PerSide<std::optional<int64_t>>, 3>> rows;
  for (const Side side : kSides) {
    const Table& memory = comparison.memory(side);
    const auto number = [&](const RowView& row, const char* column) -> std::optional<int64_t> {
      const Cell cell = row[memory.column(column)];
      if (const auto* found = std::get_if<int64_t>(&cell)) return *found;
      return std::nullopt;
    };
    for (const RowView row : memory.rows()) {
      auto& found = rows[{number(row, "rank").value_or(0), number(row, "device").value_or(0)}];
      for (size_t i = 0; i < 3; ++i) found[i][side] = number(row, columns[i]);
    }
  }
  for (const auto& [key, values] : rows) {
    Row row = {key.first, key.second};
    for (const auto& value : values) {
      row.push_back(cell(value.a));
      row.push_back(cell(value.b));
      std::optional<int64_t> change;
      if (value.a && value.b) change = *value.b - *value.a;
      row.push_back(cell(change));
    }
    table.append(row);
  }
}

}  // namespace

ComparisonTable compare_memory_table() {
  return {.name = "compare_memory",
          .about = "peaks of device memory of both runs, over the whole of each profile",
          .columns = {rank_column(), device_column(), bytes_column("peak_allocated_a_bytes", "in A"),
                      bytes_column("peak_allocated_b_bytes", "in B"),
                      main_column(bytes_column("peak_allocated_delta_bytes", "b - a")),
                      bytes_column("peak_reserved_a_bytes", "in A"), bytes_column("peak_reserved_b_bytes", "in B"),
                      main_column(bytes_column("peak_reserved_delta_bytes", "b - a")),
                      count_column("allocations_a", "in A"), count_column("allocations_b", "in B"),
                      count_column("allocations_delta", "b - a")},
          .append_rows = append_memory};
}

}  // namespace cgpu
