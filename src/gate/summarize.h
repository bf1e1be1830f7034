// What `cgpu summarize` keeps of a run (session/summary.h): partial results and tables as far as they are small, and
// the figures that the gate compares. Profiles are opened once, rank by rank (session/rank_fold.h).
#pragma once

#include "gate/figures.h"
#include "session/summary.h"

namespace cgpu {

/// More bytes than this, compressed, are not kept of one table: of a partial result that is larger the finished table
/// is kept instead, if that is smaller.
inline constexpr size_t kMostTableBytes = size_t{64} << 10;

/// `with_host`: whether names of machines stay. Throws Error, too, for profiles without a timeline.
Summary summarize(const OpenOptions& open, const Selection& selection, bool with_host);

/// The figures in a summary. Throws Error, beginning with `name`, for damaged ones.
RunFigures figures_in(const Summary& summary, const std::string& name);

}  // namespace cgpu
