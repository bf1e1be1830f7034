// two_runs BEFORE AFTER: what each class of kernels took in two runs, as JSON, from the largest change on.
#include <cgpu/base/error.h>
#include <cgpu/session/opened_profile.h>
#include <cgpu/table/json.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

namespace {

using Totals = std::map<std::string, int64_t>;

/// Of all ranks together.
Totals totals_by_class(const cgpu::OpenedProfile& profile) {
  const cgpu::Table classes = profile.table("kernel_classes");
  const size_t name = classes.column("class");
  const size_t total = classes.column("total_ns");
  Totals totals;
  for (const cgpu::RowView row : classes.rows()) {
    totals[std::get<std::string>(row[name])] += std::get<int64_t>(row[total]);
  }
  return totals;
}

/// A table of one's own: its columns are declared, and every renderer can write it.
cgpu::Table changes(Totals before, Totals after) {
  using cgpu::ColumnType;
  cgpu::Table table("class_changes", "device time by class of kernel in two runs",
                    {{"class", ColumnType::text, "", "class of the kernels", cgpu::ColumnRole::key},
                     {"before_ns", ColumnType::integer, "ns", "in the first run"},
                     {"after_ns", ColumnType::integer, "ns", "in the second run"},
                     {"change_ns", ColumnType::integer, "ns", "by how much it grew"}});
  for (const auto& [name, total] : before) after.try_emplace(name, 0);
  for (const auto& [name, total] : after) table.append({name, before[name], total, total - before[name]});
  const cgpu::ColumnValues& change = table.values(3);
  table.sort([&](uint32_t a, uint32_t b) { return std::abs(change.integer(a)) > std::abs(change.integer(b)); });
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: two_runs BEFORE AFTER\n";
    return 2;
  }
  try {
    const cgpu::OpenedProfile before({.inputs = {argv[1]}});
    const cgpu::OpenedProfile after({.inputs = {argv[2]}});
    const cgpu::Table table = changes(totals_by_class(before), totals_by_class(after));
    cgpu::write_json(std::cout, "two_runs", {argv[1], argv[2]}, {table});
  } catch (const cgpu::Error& error) {
    std::cerr << "two_runs: " << error.what() << "\n";
    return 2;
  }
}
