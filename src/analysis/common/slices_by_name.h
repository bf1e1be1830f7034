// Which slices the rows of a table of one row a name are made of.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "analysis/common/merged_names.h"

namespace cgpu {

/// `kernels`: names in full or short.
inline const TableOption kNamesOption{"names",
                                      TableOption::Kind::choice,
                                      "full",
                                      "Kernel names: full or base (without types and arguments)",
                                      {"full", "base"}};
inline bool has_base_names(const TableOptions& options) {
  return options.text(kNamesOption) == "base";
}
inline constexpr const char* kAboutBaseNames = "short name: no template arguments, no parameters";

/// For RowSlices::visit: a row a name of the slices of wanted kinds.
std::vector<Row> visit_slices_by_name(const Session& session, bool (*is_wanted)(SliceKind),
                                      const MergedNames::Spelling& spelling, const RowSlices::Visit& visit);

}  // namespace cgpu
