// A page over the runs of a history (gate/history.h): what changed first, then pictures and tables.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "table/table.h"

namespace cgpu {

/// `tables`: history, history_change_points, history_parts, history_changes and history_latest. `folder`: of the page,
/// "" for the working directory; files of runs are links relative to it.
Report make_history_report(std::vector<Table> tables, const std::vector<std::string>& remarks,
                           const std::string& folder);

/// The address of a file in a page that lies in `folder`: relative, with all but letters, digits and -._~/ in percents.
std::string relative_address(const std::string& path, const std::string& folder);

}  // namespace cgpu
