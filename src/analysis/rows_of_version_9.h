// The columns of tables in version 9 of summaries, which wrote the values of rows without the names of their columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

/// In the order in which version 9 wrote them; none of a table that it did not have.
std::vector<std::string_view> columns_of_version_9(const std::string& table);

}  // namespace cgpu
