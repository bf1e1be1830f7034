// What the pictures over time need of a run, taken while the run is open: when its devices were busy with what, and the
// allocator's totals. O(n log n) in the device ops, O(n) where they come sorted; 16 bytes a busy interval and a sample.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/interval_set.h"
#include "session/ranks/run_collector.h"
#include "session/table_engine.h"

namespace cgpu {

/// Times are on the run's clock.
struct DeviceHistory {
  int32_t device = 0;
  Interval span;                      // of its ops
  std::array<IntervalSet, 3> active;  // compute; exposed communication; exposed copies
};

/// A total of the allocator at a time.
struct MemorySample {
  int64_t time = 0;
  int64_t bytes = 0;
};
struct MemoryHistory {
  int32_t device = 0;  // -1: host
  Interval span;       // from the first sample to the last
  int64_t peak = 0;
  std::vector<MemorySample> allocated;
  std::vector<MemorySample> reserved;
};

struct RunHistory {
  int64_t rank = 0;
  int64_t zero = 0;  // the time on the run's clock that is shown as 0
  std::vector<DeviceHistory> devices;
  std::vector<MemoryHistory> memory;
};

/// Of a run by itself; zero is still to be known, and the rank where several runs have it.
RunHistory history_of(const Run& run);

/// Collects the histories of runs that are opened and released. Pictures have rows for a few dozen runs: of more than
/// that, those with the highest ranks keep their spans and peaks only.
class RunHistories final : public RunCollector {
 public:
  static constexpr const char* kName = "histories";

  void collect(const RunInSession& run) override;
  std::string name() const override { return kName; }
  std::string take_bytes(uint32_t number) override;
  void put_bytes(uint32_t number, const std::string& bytes) override;
  /// In the order of the session's runs.
  std::vector<RunHistory> take(const MadeTables& made);

 private:
  static constexpr size_t kDetailed = 32;
  void keep(uint32_t number, RunHistory history);

  std::map<uint32_t, RunHistory> histories_;                // by number
  std::map<std::pair<int64_t, uint32_t>, uint32_t> order_;  // (rank as far as known, number) of those with details
};

}  // namespace cgpu
