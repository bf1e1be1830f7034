// The chosen rows of a table of events of a profile, which stays open as long as this.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "analysis/analysis.h"
#include "analysis/events/event_table.h"
#include "session/opened_profile.h"
#include "table/batches.h"

namespace cgpu {

/// Any number of threads at once; each reader sees all rows.
class ChosenEvents : public std::enable_shared_from_this<ChosenEvents> {
 public:
  /// Throws Error.
  ChosenEvents(OpenedProfile profile, const Analysis& analysis, const TableOptions& options, RowChoice choice);

  const Table& declared() const { return declared_; }
  /// O(rows) for the columns of the filter when first asked, O(1) without one.
  size_t row_count() const;
  /// The first `most` rows (0: all). What is returned keeps this.
  NextBatch read(size_t most = 0) const;

 private:
  const OpenedProfile profile_;
  const Analysis& analysis_;
  const RowChoice choice_;
  const std::unique_ptr<EventTable> events_;
  const Table declared_;
  mutable std::mutex mutex_;  // of the events and of the count
  mutable std::optional<size_t> row_count_;
};

}  // namespace cgpu
