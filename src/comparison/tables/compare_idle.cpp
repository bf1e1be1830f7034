// Table `compare_idle`: idle time of the devices of two runs by cause and culprit, as `compare_causes` has it.
#include <string>

#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"
#include "comparison/words/change_words.h"

namespace cgpu {

namespace {

void append_idle(const Comparison& comparison, const TableOptions&, Table& table) {
  for (const ExplainedCause& one : explained_causes(comparison)) {
    if (one.cause->kind != CauseKind::idle) continue;
    const size_t colon = one.cause->key.find(": ");
    table.append({cell(one.cause->key.substr(0, colon)),
                  colon == std::string::npos ? Cell() : cell(one.cause->key.substr(colon + 2)), one.a, one.b,
                  one.b - one.a});
  }
}

}  // namespace

ComparisonTable compare_idle_table() {
  return {.name = "compare_idle",
          .about = "idle time of the devices by cause and culprit, of one iteration on one device",
          .columns = {key_column("cause",
                                 "as in idle; before_or_after: of a device, before its first or after its last "
                                 "op"),
                      key_column("culprit", "as in idle_hosts"), time_column("a_ns", "in A"),
                      time_column("b_ns", "in B"), main_column(time_column("delta_ns", "b - a"))},
          .append_rows = append_idle,
          .per_iteration = true};
}

}  // namespace cgpu
