#include "library/run_comparison.h"

#include <optional>
#include <utility>
#include <vector>

#include "analysis/table_list.h"
#include "comparison/comparison.h"
#include "comparison/tables/comparison_table.h"
#include "comparison/words/change_words.h"
#include "session/selection/selection.h"

namespace cgpu {

/// The profiles stay open as long as this.
struct RunComparison::Compared {
  Compared(OpenedProfile first, OpenedProfile second, const std::string& step)
      : a(std::move(first)),
        b(std::move(second)),
        comparison(a.facts("a comparison"), b.facts("a comparison"),
                   {.steps = step.empty() ? std::nullopt : std::optional(parse_number_range(step, "--step"))}) {}

  const OpenedProfile a;
  const OpenedProfile b;
  const Comparison comparison;
};

RunComparison::RunComparison(OpenedProfile a, OpenedProfile b, const std::string& step)
    : compared_(std::make_shared<const Compared>(std::move(a), std::move(b), step)) {}

std::string RunComparison::words() const {
  return change_words(compared_->comparison).all();
}

Table RunComparison::table(const std::string& name, const TableOptions& options, const RowChoice& choice) const {
  Table table = make_table(find_comparison_table(name), compared_->comparison, options);
  choice.apply(table);
  return table;
}

Table RunComparison::tables() {
  std::vector<DeclaredTable> declared;
  for (const ComparisonTable& one : comparison_tables()) {
    declared.push_back({.name = one.name, .about = one.about, .subject = "two runs"});
  }
  return list_of_tables(declared);
}

}  // namespace cgpu
