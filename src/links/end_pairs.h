// The ends of collectives by pairs of runs, by which their clocks are compared (clocks.h): of each instance of a
// collective that ends together, each part with the part of the first run that took part.
//
// Pairs are made when they are asked for, those of one run at a time. 8 bytes an instance of a collective; O(parts) to
// begin with, O(parts of a run) each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/out_of_core.h"
#include "links/collective_series.h"

namespace cgpu {

/// Two parts of one instance.
struct EndPair {
  int64_t end = 0;         // of the later run's, as recorded with clock_base
  int64_t difference = 0;  // of their ends: the later run's minus the earlier run's
  int64_t duration = 0;    // of the shorter
  bool apart = false;      // one ended before the other began
  bool is_equal = false;   // of a collective in which all have as much to do (has_equal_shares)
};

struct PairCount {
  size_t pairs = 0;
  size_t apart = 0;

  PairCount& operator+=(const PairCount& other) {
    pairs += other.pairs;
    apart += other.apart;
    return *this;
  }
};

class EndPairs {
 public:
  /// With the clocks of the runs as they are now. The series must outlive it.
  EndPairs(const Session& session, const std::vector<CollectiveSeries>& device,
           const std::vector<CollectiveSeries>& host);

  /// By indices of runs, the lower first.
  const std::map<std::pair<uint32_t, uint32_t>, PairCount>& counts() const { return counts_; }
  /// Calls visit(run before it, pair) for the pairs of a run with those before it. Pairs whose times are too far apart
  /// are left out.
  void for_each_of(uint32_t run, const std::function<void(uint32_t before, const EndPair& pair)>& visit) const;

 private:
  struct First {
    uint32_t run = 0;
    uint32_t part = 0;
  };
  struct Joined {
    const CollectiveSeries* series;
    bool is_equal;
    OutOfCoreVector<First> first;  // by instance
  };
  struct Membership {
    size_t series = 0;  // into series_
    size_t member = 0;
  };

  void add(const std::vector<CollectiveSeries>& all);
  std::optional<EndPair> pair_of(uint32_t run, const CollectivePart& part, const Joined& joined) const;

  std::vector<int64_t> bases_;  // of the clocks, by run
  std::vector<Joined> series_;
  std::vector<std::vector<Membership>> memberships_;  // by run
  std::map<std::pair<uint32_t, uint32_t>, PairCount> counts_;
};

}  // namespace cgpu
