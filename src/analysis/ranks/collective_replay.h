// When the devices of a job would meet in their collectives if some of them came sooner, or a transfer took less: a
// replay of the collectives alone, for ranks of whose timelines nothing else is left (session/summaries/release.h).
//
// A device does something of its own between two collectives: from the latest end before it to the start of the next.
// A collective that ends together takes its transfer, the shortest duration over its members, from when the last of
// them has come; so do sends and receives that met, those of a batch together with those of their partners. Any other
// takes its members what it took them. As in a bulk-synchronous program (Valiant: A Bridging
// Model for Parallel Computation, 1990), times follow from these alone, without comparing clocks. What is usual is the
// median over the devices with the same collectives in the same order, place by place. Waiting that other work of a
// device hides is not known: what comes out is the most that can be gained. About 16 bytes a part of a collective
// and 24 an instance, 12 an instance more while it is replayed; O(parts) a replay, O(n log n) in the parts to begin
// with. Of thousands of ranks they are out of core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/session_facts.h"
#include "base/out_of_core.h"
#include "model/narrow_column.h"

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

/// The transfers that take longer than usual, of the collective with the most such time.
struct SlowTransfers {
  std::string collective;
  int64_t count = 0;
  int64_t mean = 0;   // ns each
  int64_t usual = 0;  // ns each
  size_t members = 0;
  bool between_machines = false;
};

/// A piece of the chain that bounds a job: what a device does of its own before a collective, or that collective from
/// when the last member has come.
struct PathPiece {
  enum class Kind : uint8_t {
    own,
    transfer,
    alone,  // a collective without a transfer in the replay: its members do not end together, or are not here
  };
  Kind kind = Kind::own;
  size_t run = 0;
  int32_t device = 0;
  uint32_t place = 0;                        // of the collective among those of the device, by start and duration
  const CollectiveSeries* series = nullptr;  // of the collective
  const CollectiveSeries* before = nullptr;  // own: of the collective that ended before; null where there is none
  int64_t time = 0;                          // ns of the piece in the chain
  int64_t whole = 0;                         // ns of all of it: more where the chain begins in it
  bool comes_from_another = false;           // own: another device was the last to come to the collective before
};

/// The whole chain.
struct ReplayedPath {
  std::vector<PathPiece> pieces;  // in order of time; each begins where the one before it ends
  int64_t time = 0;               // ns: the sum of their times
  int64_t measured = 0;           // ns from the same beginning to the same end, as measured on the device where it ends
  bool of_iterations = false;     // whether it begins where whole iterations do
};

class CollectiveReplay {
 public:
  /// By how much it may miss what was measured, when nothing is changed, and still be believed.
  static constexpr double kBelieved = 0.10;

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
  /// What bounds the time when nothing is changed: backwards from the end of the device that takes longest, through the
  /// collectives to the member that came last. Of several that come at once the device that the path is on, else the
  /// first. Absent as time(), and where the times are impossible.
  std::optional<ReplayedPath> path() const;

 private:
  static constexpr uint32_t kNoPart = UINT32_MAX;
  /// Ops that wait for each other. Of a collective whose members do not end together each is one by itself.
  struct Instance {
    int64_t transfer = INT64_MAX;
    int64_t excess = 0;  // what of that is longer than usual
    uint32_t series = 0;
    uint32_t first_member = 0;  // in members_; they end where those of the next one begin
  };
  struct Device {
    size_t run = 0;
    int32_t number = 0;
    uint32_t first = 0;  // its parts, one an op, in the order of start and duration
    uint32_t end = 0;
    uint32_t from = 0;  // the part from whose end time counts
    bool of_iterations = false;
    int64_t measured = 0;                   // from there to the end of its last part, as measured
    std::optional<size_t> usual_gaps = {};  // where those of its places begin; absent where no other device is alike
  };
  class Collector;
  using Ends = OutOfCoreVector<int64_t>;

  void find_members();
  void find_usual();
  /// By instance, when it ends; empty where they contradict each other.
  Ends ends(const CollectiveChange& change) const;
  /// The part of the device that ended last before this one began.
  uint32_t before(uint32_t part) const;
  /// What a device does longer than usual before a part.
  int64_t excess(const Device& device, uint32_t part) const;
  /// When a part begins, by the ends of all.
  int64_t beginning(uint32_t part, const Ends& ends) const;
  /// The part of the member that the members of a part's collective waited for; the part itself of others.
  uint32_t last_to_come(uint32_t part, const Ends& ends) const;
  /// ns that the device takes.
  int64_t time_of(const Device& device, const Ends& ends) const;
  std::span<const uint32_t> members_of(uint32_t instance) const;
  const CollectiveSeries& series_of(uint32_t part) const;

  const SessionFacts& facts_;
  std::vector<Device> devices_;
  // By part, device by device:
  NarrowColumn<uint32_t, kNoPart, uint16_t, OutOfCoreAllocator> device_;
  OutOfCoreVector<uint32_t> instance_;
  /// How many parts before it is the one that ended last; 0: there is none.
  NarrowColumn<uint32_t, 0, uint16_t, OutOfCoreAllocator> back_;
  NarrowColumn<int64_t, -1, uint32_t, OutOfCoreAllocator> gap_;  // ns from the end of that one

  OutOfCoreVector<Instance> instances_;  // and one behind them
  OutOfCoreVector<uint32_t> members_;    // parts, instance by instance
  OutOfCoreVector<int64_t> usual_gaps_;
  std::vector<int64_t> caused_;
};

}  // namespace cgpu
