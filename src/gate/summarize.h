// What `cgpu summarize` keeps of a run (session/summaries/summary.h): for each rank partial results as far as they are
// small and the figures that the gate compares; besides, the tables that cannot be made of these. Profiles are opened
// once, rank by rank (session/table_engine.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "session/profile_source.h"

namespace cgpu {

/// More bytes than this, compressed, are not kept of one table: of a partial result that is larger histograms of its
/// samples, and the finished table, if these are smaller.
inline constexpr size_t kMostTableBytes = size_t{64} << 10;

struct SummaryFile {
  std::string bytes;                  // the file
  std::vector<std::string> left_out;  // tables that would have been too large
};

/// `with_host`: whether names of machines stay. Throws Error, too, for profiles without a timeline.
SummaryFile summarize(const ProfileSource& source, bool with_host);

}  // namespace cgpu
