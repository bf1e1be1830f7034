// Table `compare_causes`: what explains the change of the time, by its owners, largest first. The rows add up to the
// whole change.
#include <optional>

#include "comparison/sides/iteration_spread.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"
#include "comparison/words/change_words.h"

namespace cgpu {

namespace {

/// From the start of the session. Of an op all of it, where it had to share its time with others too.
std::optional<Interval> shown_place(const Comparison& comparison, const Cause& cause, Side side) {
  const std::optional<Place>& place = cause.longest[side];
  if (!place) return std::nullopt;
  Interval time = place->time;
  const Slices& slices = comparison.facts(side).run(place->run).timeline.slices;
  if (place->slice != kNone) time = {slices.start[place->slice], slices.end(place->slice)};
  return Interval{comparison.shown_time(side, place->run, time.begin),
                  comparison.shown_time(side, place->run, time.end)};
}

void append_causes(const Comparison& comparison, const TableOptions&, Table& table) {
  int64_t rank = 0;
  const std::vector<ExplainedCause> causes = explained_causes(comparison);
  int64_t change = 0;
  for (const ExplainedCause& one : causes) change += one.b - one.a;
  for (const ExplainedCause& one : causes) {
    const int64_t delta = one.b - one.a;
    Row row = {++rank, cell(text_of(one.cause->kind)), cell(one.cause->key),           one.a, one.b,
               delta,  percent_of(delta, change),      cell(words_of(comparison, one))};
    for (const Side side : kSides) {
      const std::optional<Interval> place = shown_place(comparison, *one.cause, side);
      row.push_back(place ? Cell(place->begin) : Cell());
      row.push_back(place ? Cell(place->end) : Cell());
    }
    const std::optional<bool> certain = is_certain(comparison, one.cause->by_iteration);
    row.push_back(certain ? Cell(int64_t{*certain ? 1 : 0}) : Cell());
    table.append(row);
  }
}

}  // namespace

ComparisonTable compare_causes_table() {
  return {
      .name = "compare_causes",
      .about = "what explains the change of the time, by its owners, largest first; the rows add up to all of it",
      .columns =
          {number_column("rank", "1 for what changed most"),
           key_column("kind", "op, removed, added, replaced, orphan, waiting (for other ranks) or idle"),
           key_column("key", "what it is: an op and its device work, or the cause and culprit of idle time"),
           time_column("a_ns", "time that it accounts for in A, of one iteration on one device"),
           time_column("b_ns", "in B"), main_column(time_column("delta_ns", "b - a")),
           real_column("share_pct", "%", "of the change of the whole time"), text_column("text", "the change in words"),
           moment_column("start_a_ns", "where it took longest in A, from the start of A"),
           moment_column("end_a_ns", "until there"),
           moment_column("start_b_ns", "where it took longest in B, from the start of B"),
           moment_column("end_b_ns", "until there"),
           number_column(
               "certain",
               "1 where it changed by more than its iterations differ by themselves, by the means or the medians, else 0; absent "
               "where a side has fewer than three")},
      .append_rows = append_causes,
      .per_iteration = true};
}

}  // namespace cgpu
