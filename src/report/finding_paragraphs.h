// Findings as a person reads them: a paragraph each, with what could be gained, the evidence and what to do.
#pragma once

#include <cstddef>
#include <string>

#include "table/table.h"

namespace cgpu {

/// `findings`: the table of that name. Lines of at most `width` columns.
std::string findings_as_text(const Table& findings, size_t width);
std::string findings_as_markdown(const Table& findings);

}  // namespace cgpu
