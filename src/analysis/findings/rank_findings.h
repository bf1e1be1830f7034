// Findings of ranks whose timelines have been released (session/summaries/release.h): those of the rules over ranks,
// straggler and slow_link, from table rank_outliers and a replay of the collectives. All other rules need timelines.
//
// A finding is the devices that deviate in one thing and in one way: single ones, or those of machines or groups. What
// it could save is a range: at most what the replay of the collectives says (ranks/collective_replay.h), at least
// the share of it that communication has which no compute hides, since other work may have hidden the waiting. O(parts
// of collectives) for each of them.
#pragma once

#include "analysis/findings/rule_context.h"
#include "table/table.h"

namespace cgpu {

/// Which tables they are made of: rank_outliers and gpu_time.
Diagnosis diagnose_ranks(const SessionFacts& facts, const Table& rank_outliers, const Table& gpu_time);

/// What the table `findings` is about where it has these alone.
inline constexpr const char* kRankFindingsAbout =
    "what keeps ranks waiting, and its potential saving; of the rules only straggler, slow_link and "
    "stage_imbalance, since the others need timelines";
/// Whether a table `findings` has these alone.
inline bool is_of_ranks_alone(const Table& findings) {
  return findings.about == kRankFindingsAbout;
}

}  // namespace cgpu
