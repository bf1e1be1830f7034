// The requests about timelines of ranks of a summary (docs/viewer-protocol.md). Throw RequestError.
#pragma once

#include "serve/http/answer.h"
#include "serve/rank_timelines.h"
#include "session/summaries/summary_session.h"

namespace cgpu {

/// /api/p/P/traces: which ranks have a profile that can be opened.
Answer answer_traces(const RankTimelines& timelines, const SummarySession& summary, const Request& request);

/// /api/p/P/open: begins to open ranks; the first number of a timeline is `first`.
Answer answer_open(RankTimelines& timelines, const SummarySession& summary, const Request& request, size_t first);

/// /api/p/P/status of such a timeline.
Answer answer_status(const RankTimelines::Timeline& timeline, const SummarySession& summary, const Request& request);

}  // namespace cgpu
