// The sections of a report on the network that a run computes: its passes, its experts, the parts of its batch.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/common/columns.h"
#include "report/cells.h"
#include "report/phrases.h"
#include "report/sections.h"
#include "table/units.h"

namespace cgpu {

Section describe_loops(Table table, const Scope& scope) {
  const RowView longest = largest_of(table, "loop_ns");
  const int64_t loop_ns = integer_of(table, longest, "loop_ns");
  const std::string phase = text_of(table, longest, "phase");
  const bool in_step = has_value(table, longest, "step");
  std::string summary = fmt::format(
      "{}{} are {} of {}{}: one takes {} in the median, the slowest (number {}) {}. The device is idle in {} of the "
      "loop.",
      text_of(table, longest, "what"), phase.empty() ? "" : " (" + phase + ")",
      share_text(loop_ns, integer_of(table, longest, "around_ns")),
      in_step ? fmt::format("step {}", integer_of(table, longest, "step")) : "the time of the device ops",
      scope.several_ranks ? fmt::format(" of rank {}", integer_of(table, longest, "rank")) : "",
      format_ns(number_of(table, longest, "median_ns")), integer_of(table, longest, "slowest"),
      format_ns(integer_of(table, longest, "slowest_ns")), share_text(integer_of(table, longest, "idle_ns"), loop_ns));
  if (table.row_count() > 1) {
    summary += fmt::format(" There are {} such loops.", format_count(static_cast<int64_t>(table.row_count())));
  }
  std::vector<std::string_view> columns = place_columns(scope);
  columns.insert(columns.end(), {"step", "what", "phase", "loop_ns", "pct", "median_ns", "slowest_ns", "idle_ns",
                                 "before_ns", "before", "after_ns", "after"});
  return section_of("Passes of a network", summary, std::move(table), columns);
}

Section describe_micro_batches(Table table, const Scope& scope) {
  const RowView main = largest_of(table, "any_ns");
  std::string summary = fmt::format(
      "Streams {} and {} of {} do the same in turn, as parts of a batch: in {} of the {} in which any of them runs, "
      "two or more do.",
      integer_of(table, main, "stream"), text_of(table, main, "beside"), place_of(table, main, scope),
      share_text(integer_of(table, main, "together_ns"), integer_of(table, main, "any_ns")),
      format_ns(integer_of(table, main, "any_ns")));
  std::vector<std::string_view> columns = place_columns(scope);
  columns.insert(columns.end(),
                 {"stream", "beside", "steps", "turns", "busy_ns", "alone_ns", "hidden_ns", "hidden_pct"});
  return section_of("Parts of a batch on several streams", summary, std::move(table), columns);
}

Section describe_experts(Table table, const Scope& scope) {
  std::set<std::pair<int64_t, int64_t>> layers;  // by rank
  const RowView* uneven = nullptr;
  std::vector<RowView> rows;
  for (const RowView row : table.rows()) rows.push_back(row);
  for (const RowView& row : rows) {
    layers.emplace(integer_of(table, row, "rank"), integer_of(table, row, "layer"));
    const double imbalance = number_of(table, row, "imbalance");
    if (imbalance > 0 && (uneven == nullptr || imbalance > number_of(table, *uneven, "imbalance"))) uneven = &row;
  }
  std::string summary =
      fmt::format("{} {} tokens among {} experts.", counted(static_cast<int64_t>(layers.size()), "layer"),
                  layers.size() == 1 ? "shares its" : "share their", integer_of(table, rows.front(), "experts"));
  if (uneven != nullptr) {
    summary += fmt::format(" The busiest expert of layer {}{} gets {:.2f} times the tokens of the mean one.",
                           integer_of(table, *uneven, "layer"),
                           scope.several_ranks ? fmt::format(" of rank {}", integer_of(table, *uneven, "rank")) : "",
                           number_of(table, *uneven, "imbalance"));
  } else {
    summary += " One product computes all of them, which does not show what each gets.";
  }
  std::vector<std::string_view> columns;
  if (scope.several_ranks) columns.emplace_back("rank");
  columns.insert(columns.end(), {"layer", "expert", "tokens", "load", "imbalance", "product_ns", "device_ns"});
  sort_most_first(table, "tokens");
  return section_of("Experts", summary, std::move(table), columns);
}

}  // namespace cgpu
