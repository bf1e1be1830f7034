// Findings as a person reads them: a paragraph each, with what could be gained, the evidence and what to do.
#pragma once

#include <cstddef>
#include <string>

#include "table/table.h"

namespace cgpu {

inline constexpr const char* kNothingFound = "Nothing was found that would give back 3 % of the time or more.";
/// Of findings of ranks whose timelines are not open (analysis/findings/rank_findings.h).
inline constexpr const char* kRulesOverRanksAlone =
    "Only rules over ranks were judged (straggler, slow_link, stage_imbalance), since the others need timelines: `cgpu "
    "diagnose` judges them of profiles, of one rank or of all.";

/// What all findings could give back together, in a sentence: "All of these together: 12 ms of 155 ms a step (7.7%)."
/// "" where fewer than two of them could give something back.
std::string findings_together(const Table& findings);

/// `findings`: the table of that name. Lines of at most `width` columns.
std::string findings_as_text(const Table& findings, size_t width);
std::string findings_as_markdown(const Table& findings);

/// `unreported`: the table unreported_rules, a line each.
std::string unreported_as_text(const Table& unreported, size_t width);
std::string unreported_as_markdown(const Table& unreported);

}  // namespace cgpu
