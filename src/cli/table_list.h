// The list of tables that a verb can show, as text (as tables: analysis/table_list.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/table_list.h"

namespace cgpu {

/// Each table with its whole description; `heading` comes first.
std::string list_as_text(const std::vector<DeclaredTable>& declared, const std::string& heading);

}  // namespace cgpu
