// Findings as a person reads them: a heading each, a bar of the potential saving, the evidence and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "table/table.h"
#include "table/text.h"

namespace cgpu {

inline constexpr const char* kNothingFound = "No finding has a potential saving of 3 % of the time or more.";
/// Of findings of ranks whose timelines are not open (analysis/findings/rank_findings.h).
inline constexpr const char* kRulesOverRanksAlone =
    "Only rules over ranks were judged (straggler, slow_link, stage_imbalance), since the others need timelines: `cgpu "
    "diagnose` judges them of profiles, of one rank or of all.";

/// The potential saving of all findings together, in a sentence: "All of these together: 12 ms of 155 ms a step
/// (7.7%)."
/// "" where fewer than two of them have one.
std::string findings_together(const Table& findings);

/// How much of the evidence is said: of the first clauses what fits two lines, or all of it.
enum class Evidence : uint8_t { brief, all };

/// `findings`: the table of that name. Lines of at most `options.width` columns; its colour marks the severity.
std::string findings_as_text(const Table& findings, const TextOptions& options, Evidence evidence = Evidence::brief);
/// Heading and bar of the first `most`, and how many more there are.
std::string first_findings_as_text(const Table& findings, const TextOptions& options, size_t most);
std::string findings_as_markdown(const Table& findings);

/// `unreported`: the table unreported_rules, a line each.
std::string unreported_as_text(const Table& unreported, size_t width);
std::string unreported_as_markdown(const Table& unreported);

}  // namespace cgpu
