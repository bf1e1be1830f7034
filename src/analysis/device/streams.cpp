// Table `streams`: what ran on each stream. O(n log n) in the device ops, O(n) where they come sorted.
#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"

namespace cgpu {

Table streams_table(const Session& session, const AnalysisOptions&) {
  Table table{"streams",
              "device ops and busy time of each stream",
              {rank_column(), device_column(), stream_column(), count_column("count", "device ops of the stream"),
               time_column("busy_ns", "in which any of them runs"),
               time_column("first_ns", "first start, from the start of the profile"),
               time_column("last_ns", "last end, from the start of the profile")}};

  const std::vector<int64_t> zeros = time_zeros(session);
  for (size_t i = 0; i < session.runs.size(); ++i) {
    const Run& run = session.runs[i];
    for (const auto& [id, ops] : ops_by_stream(run.timeline)) {
      const Interval span = span_of(run.timeline, ops);
      table.append({run.rank, int64_t{id.device}, id.stream, static_cast<int64_t>(ops.size()),
                            busy_time(run.timeline, ops).length(), span.begin - zeros[i], span.end - zeros[i]});
    }
  }
  return table;
}

}  // namespace cgpu
