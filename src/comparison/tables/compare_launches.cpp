// Table `compare_launches`: launches that a kernel profiler measured, of two reports, paired by kernel and order
// (launch_pairing.h).
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "analysis/measured_launches/launch_bound.h"
#include "comparison/alignment/launch_pairing.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

using Launches = std::vector<ProfiledLaunch>;

void append_pair(const ProfiledLaunch* a, const ProfiledLaunch* b, int64_t rank, Table& table) {
  const auto each = [&](auto member) {
    using Value = std::decay_t<decltype(a->*member)>;
    return PerSide<Value>{a == nullptr ? Value() : a->*member, b == nullptr ? Value() : b->*member};
  };
  const ProfiledLaunch& named = a == nullptr ? *b : *a;
  const auto duration = each(&ProfiledLaunch::duration_ns);
  const auto number = [](const ProfiledLaunch* launch) {
    return launch == nullptr ? std::nullopt : std::optional(launch->id);
  };
  std::optional<int64_t> change;
  if (duration.a && duration.b) change = *duration.b - *duration.a;
  const Status status = a == nullptr ? Status::only_b : b == nullptr ? Status::only_a : Status::both;
  Row row = {rank,
             cell(number(a)),
             cell(number(b)),
             full_kernel_name(named.kernel),
             cell(text_of(status)),
             cell(duration.a),
             cell(duration.b),
             cell(change),
             speedup_of(duration.a.value_or(0), duration.b.value_or(0))};
  for (const auto member : {&ProfiledLaunch::compute_pct, &ProfiledLaunch::memory_pct, &ProfiledLaunch::dram_pct,
                            &ProfiledLaunch::achieved_occupancy_pct, &ProfiledLaunch::flops_per_s}) {
    const auto value = each(member);
    row.push_back(cell(value.a));
    row.push_back(cell(value.b));
  }
  const auto registers = each(&ProfiledLaunch::registers);
  row.push_back(cell(registers.a));
  row.push_back(cell(registers.b));
  for (const ProfiledLaunch* launch : {a, b}) row.push_back(launch == nullptr ? Cell() : cell(bound_of(*launch)));
  table.append(row);
}

void append_launches(const Comparison& comparison, const TableOptions&, Table& table) {
  const std::vector<Run>& runs_a = comparison.original(Side::a).session().runs;
  const std::vector<Run>& runs_b = comparison.original(Side::b).session().runs;
  for (size_t run = 0; run < std::min(runs_a.size(), runs_b.size()); ++run) {
    if (!runs_a[run].launch_metrics || !runs_b[run].launch_metrics) continue;
    const Launches& a = runs_a[run].launch_metrics->launches;
    const Launches& b = runs_b[run].launch_metrics->launches;
    const Pairing pairing = pair_launches(a, b);
    for (size_t i = 0; i < a.size(); ++i) {
      append_pair(&a[i], pairing.of_a[i] == Pairing::kUnmatched ? nullptr : &b[pairing.of_a[i]], runs_a[run].rank,
                  table);
    }
    for (size_t i = 0; i < b.size(); ++i) {
      if (pairing.of_b[i] == Pairing::kUnmatched) append_pair(nullptr, &b[i], runs_b[run].rank, table);
    }
  }
}

}  // namespace

ComparisonTable compare_launches_table() {
  ComparisonTable table{
      .name = "compare_launches",
      .about = "launches that a kernel profiler measured, of both reports, paired by kernel and order",
      .columns = {rank_column(), number_column("id_a", "number of the launch in A"), number_column("id_b", "in B"),
                  key_column("kernel", "name of the device function, as A has it"),
                  detail_column(key_column("status", "both, only_a or only_b")),
                  time_column("duration_a_ns", "in A, replayed alone"), time_column("duration_b_ns", "in B"),
                  main_column(time_column("delta_ns", "b - a")), main_column(real_column("speedup", "", "a / b"))},
      .append_rows = append_launches};
  const auto add = [&](const std::string& name, const std::string& unit, const std::string& about) {
    const size_t suffix = name.ends_with("_pct") ? name.size() - 4 : name.size();
    for (const char* side : {"_a", "_b"}) {
      table.columns.push_back(real_column(name.substr(0, suffix) + side + name.substr(suffix), unit,
                                          about + (side[1] == 'a' ? ", in A" : ", in B")));
    }
  };
  add("compute_pct", "%", "of what the multiprocessors could sustain");
  add("memory_pct", "%", "of what the busiest part of the memory system could sustain");
  add("dram_pct", "%", "of what the device memory could sustain");
  add("achieved_occupancy_pct", "%", "warps that were resident, of those a multiprocessor holds");
  add("flops_per_s", "FLOP/s", "floating-point operations");
  table.columns.push_back(count_column("registers_a", "of a thread, in A"));
  table.columns.push_back(count_column("registers_b", "in B"));
  table.columns.push_back(text_column("bound_a", "what limits it in A: compute, memory, balanced or latency"));
  table.columns.push_back(text_column("bound_b", "in B"));
  return table;
}

}  // namespace cgpu
