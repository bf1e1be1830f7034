// Findings as a person reads them: a paragraph each, with what could be gained, the evidence and what to do.
#pragma once

#include <cstddef>
#include <string>

#include "table/table.h"

namespace cgpu {

/// What all findings could give back together, in a sentence: "All of these together: 12 ms of 155 ms a step (7.7%)."
/// "" where fewer than two of them could give something back.
std::string findings_together(const Table& findings);

/// `findings`: the table of that name. Lines of at most `width` columns.
std::string findings_as_text(const Table& findings, size_t width);
std::string findings_as_markdown(const Table& findings);

}  // namespace cgpu
