// Table `compare_shapes`: framework ops of the same name and shapes on both sides, with how much of its own device each
// side makes use of. Shapes are the same whatever the device, its vendor and the precision.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

/// Name, shapes, settings, as in op_shapes.
using ShapeKey = std::tuple<std::string, std::string, std::string>;

std::string text_in(const Table& table, size_t row, const char* column) {
  const Cell found = table.cell(row, table.column(column));
  return std::holds_alternative<std::string>(found) ? std::get<std::string>(found) : std::string();
}

/// Rows of op_shapes of both sides; absent where a side has none.
using Pair = PerSide<std::optional<size_t>>;

/// Rows of equal types are paired, then what is left in the order of the tables: another precision has other types.
void pair_rows(const PerSide<const Table*>& tables, PerSide<std::vector<size_t>> rows, std::vector<Pair>& pairs) {
  for (auto a = rows.a.begin(); a != rows.a.end();) {
    const auto b = std::find_if(rows.b.begin(), rows.b.end(), [&](size_t row) {
      return text_in(*tables.b, row, "types") == text_in(*tables.a, *a, "types");
    });
    if (b == rows.b.end()) {
      ++a;
      continue;
    }
    pairs.push_back({*a, *b});
    a = rows.a.erase(a);
    rows.b.erase(b);
  }
  for (size_t i = 0; i < std::max(rows.a.size(), rows.b.size()); ++i) {
    Pair& pair = pairs.emplace_back();
    if (i < rows.a.size()) pair.a = rows.a[i];
    if (i < rows.b.size()) pair.b = rows.b[i];
  }
}

/// Of one op.
std::optional<double> mean_ns(const Table& table, size_t row) {
  const auto count = std::get<int64_t>(table.cell(row, table.column("on_device")));
  if (count == 0) return std::nullopt;
  return static_cast<double>(std::get<int64_t>(table.cell(row, table.column("device_total_ns")))) /
         static_cast<double>(count);
}

void append_shapes(const Comparison& comparison, const TableOptions&, Table& table) {
  const PerSide<const Table*> tables{&comparison.op_shapes(Side::a), &comparison.op_shapes(Side::b)};
  std::map<ShapeKey, PerSide<std::vector<size_t>>> by_key;
  for (const Side side : kSides) {
    const Table& of = *tables[side];
    for (size_t row = 0; row < of.row_count(); ++row) {
      if (!mean_ns(of, row)) continue;
      by_key[{text_in(of, row, "name"), text_in(of, row, "shapes"), text_in(of, row, "settings")}][side].push_back(row);
    }
  }
  std::vector<Pair> pairs;
  for (auto& [key, rows] : by_key) pair_rows(tables, std::move(rows), pairs);
  for (const Pair& pair : pairs) {
    const Side known = pair.a ? Side::a : Side::b;
    const auto text = [&](Side side, const char* column) {
      const std::string found = pair[side] ? text_in(*tables[side], *pair[side], column) : std::string();
      return found.empty() ? Cell() : Cell(found);
    };
    const auto figure = [&](Side side, const char* column) {
      return pair[side] ? tables[side]->cell(*pair[side], tables[side]->column(column)) : Cell();
    };
    const auto mean = [&](Side side) { return pair[side] ? mean_ns(*tables[side], *pair[side]) : std::nullopt; };
    const auto a = mean(Side::a);
    const auto b = mean(Side::b);
    const auto count = [&](Side side) { return pair[side] ? figure(side, "on_device") : Cell(int64_t{0}); };
    const auto total = [&](Side side) {
      return pair[side] ? std::get<int64_t>(figure(side, "device_total_ns")) : int64_t{0};
    };
    table.append({text(known, "name"),
                  text(known, "shapes"),
                  a && b && *b > 0 ? Cell(*a / *b) : Cell(),
                  figure(Side::a, "flops_pct"),
                  figure(Side::b, "flops_pct"),
                  cell(a),
                  cell(b),
                  cell(text_of(a && b ? Status::both
                               : a    ? Status::only_a
                                      : Status::only_b)),
                  count(Side::a),
                  count(Side::b),
                  figure(Side::a, "bytes_pct"),
                  figure(Side::b, "bytes_pct"),
                  figure(Side::a, "flops_per_s"),
                  figure(Side::b, "flops_per_s"),
                  figure(Side::a, "bytes_per_s"),
                  figure(Side::b, "bytes_per_s"),
                  total(Side::a),
                  total(Side::b),
                  text(known, "settings"),
                  text(Side::a, "types"),
                  text(Side::b, "types")});
  }
  const ColumnValues& of_a = table.values(table.column("total_a_ns"));
  const ColumnValues& of_b = table.values(table.column("total_b_ns"));
  const auto largest = [&](uint32_t row) {
    return std::max(std::get<int64_t>(of_a.cell(row)), std::get<int64_t>(of_b.cell(row)));
  };
  table.sort([&](uint32_t x, uint32_t y) {
    if (largest(x) != largest(y)) return largest(x) > largest(y);
    return is_before_by_cells(table, x, y);
  });
}

}  // namespace

ComparisonTable compare_shapes_table() {
  return {
      .name = "compare_shapes",
      .about =
          "framework ops of the same name and shapes in both runs, whatever the device and the precision: device time "
          "of one op, and how much that is of the peak rates of each side's own device; over the whole of each profile",
      .columns = {key_column("name", "as in op_shapes"),
                  key_column("shapes", "of its inputs"),
                  main_column(real_column("speedup", "", "mean a / mean b")),
                  real_column("flops_a_pct", "%",
                              "of the peak rate of the matrix units of A's device for the type (op_shapes)"),
                  real_column("flops_b_pct", "%", "of B's"),
                  real_column("mean_a_ns", "ns", "device time of one of them in A"),
                  real_column("mean_b_ns", "ns", "in B"),
                  detail_column(key_column("status", "both, only_a or only_b")),
                  count_column("count_a", "such ops in A that device work is known of"),
                  count_column("count_b", "in B"),
                  real_column("bytes_a_pct", "%",
                              "of the peak rate of the memory of A's device, by the bytes that must move"),
                  real_column("bytes_b_pct", "%", "of B's"),
                  real_column("flops_a_per_s", "FLOP/s", "in A"),
                  real_column("flops_b_per_s", "FLOP/s", "in B"),
                  real_column("bytes_a_per_s", "B/s", "in A"),
                  real_column("bytes_b_per_s", "B/s", "in B"),
                  time_column("total_a_ns", "device time of all of them in A"),
                  time_column("total_b_ns", "in B"),
                  key_column("settings", "as in op_shapes"),
                  key_column("types_a", "of the inputs in A"),
                  key_column("types_b", "in B")},
      .append_rows = append_shapes,
      .on_request = true};
}

}  // namespace cgpu
