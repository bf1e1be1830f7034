// When the devices of a job would meet in their collectives if some of them came sooner, or a transfer took less: a
// replay of the collectives alone, for ranks of whose timelines nothing else is left (session/let_go.h).
//
// A device does something of its own between two collectives: from the latest end before it to the start of the next.
// A collective that ends together takes its transfer, the shortest duration over its members, from when the last of
// them has come; any other takes its members what it took them. As in a bulk-synchronous program (Valiant: A Bridging
// Model for Parallel Computation, 1990), times follow from these alone, without comparing clocks. What is usual is the
// median over the devices with the same collectives in the same order, place by place. Waiting that other work of a
// device hides is not known: what comes out is the most that can be gained. About 70 bytes a part of a collective;
// O(parts) a replay, O(n log n) in the parts to begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/session_facts.h"

namespace cgpu {

/// What would be different, by run.
struct CollectiveChange {
  /// Share of what a device does longer than usual between collectives that is gone: 0 to 1.
  std::vector<double> own;
  /// Whether transfers of its collectives take no longer than usual.
  std::vector<char> transfers;
};
/// Both at once.
CollectiveChange together(const CollectiveChange& a, const CollectiveChange& b);

/// The transfers that take longer than usual, of the collective of which that is most.
struct SlowTransfers {
  std::string collective;
  int64_t count = 0;
  int64_t mean = 0;   // ns each
  int64_t usual = 0;  // ns each
  size_t members = 0;
  bool between_machines = false;
};

class CollectiveReplay {
 public:
  /// `iterations`: whole ones, as table rank_outliers has them: where the collectives divide by them and the one
  /// before, time counts from the end of that one. `facts` must outlive it.
  CollectiveReplay(const SessionFacts& facts, int64_t iterations);

  CollectiveChange nothing() const;
  /// ns from the first collective, or iteration, to the last: of the device that takes longest. Absent where the parts
  /// of collectives contradict each other, so that none of them could have been first.
  std::optional<int64_t> time(const CollectiveChange& change) const;
  /// By how much of its time the median device differs from what was measured when nothing is changed; absent as
  /// time(), and where there are no collectives.
  std::optional<double> error() const;
  /// By run, what others waited for its devices.
  const std::vector<int64_t>& caused() const { return caused_; }
  /// Of the collectives that these runs take part in; nothing where none takes longer than usual.
  std::optional<SlowTransfers> slow_transfers(const std::vector<char>& runs) const;

 private:
  static constexpr uint32_t kNoPart = UINT32_MAX;
  struct Part {
    uint32_t device = 0;
    uint32_t instance = 0;
    uint32_t before = kNoPart;  // the part that ended last before this began
    int64_t start = 0;          // as measured, on the run's clock
    int64_t duration = 0;
    int64_t gap = 0;     // from the end of `before`
    int64_t excess = 0;  // what of that is longer than usual
  };
  struct Instance {
    uint32_t series = 0;
    uint32_t parts = 0;
    bool together = false;
    int64_t transfer = INT64_MAX;
    int64_t excess = 0;  // what of that is longer than usual
  };
  struct Device {
    size_t run = 0;
    uint32_t first = 0;  // its parts, in the order of their starts
    uint32_t end = 0;
    uint32_t from = 0;  // the part from whose end time counts
  };

  void collect();
  void find_gaps();
  void find_usual();
  /// The end of each part; empty where they contradict each other.
  std::vector<int64_t> ends(const CollectiveChange& change) const;

  const SessionFacts& facts_;
  std::vector<Device> devices_;
  std::vector<Part> parts_;  // device by device
  std::vector<Instance> instances_;
  std::vector<uint32_t> first_member_;  // by instance, and one more: where its parts begin in members_
  std::vector<uint32_t> members_;       // parts
  std::vector<int64_t> caused_;
};

}  // namespace cgpu
