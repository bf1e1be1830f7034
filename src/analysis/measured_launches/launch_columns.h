// Columns and cells that the tables of measured launches share.
#pragma once

#include "analysis/common/columns.h"
#include "base/string_pool.h"

namespace cgpu {

inline Column launch_column() {
  return number_column("id", "number of the launch in the profile");
}

/// A text of LaunchMetrics::names; absent for 0.
inline Cell text_cell(const StringPool& names, StringId id) {
  return id == 0 ? Cell() : cell(names[id]);
}

}  // namespace cgpu
