// Ranks, or devices of one rank, that the others wait for in collectives.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/findings/rule_context.h"
#include "links/collective_series.h"
#include "links/messages.h"

namespace cgpu {

/// What the devices of a rank compute, or one device of it.
struct PeerTime {
  int64_t rank = 0;
  std::optional<int32_t> device = {};
  int64_t compute = 0;  // ns

  bool is_same_as(const PeerTime& other) const { return rank == other.rank && device == other.device; }
};

/// Of each rank that has device work, in their order; of several devices the sum.
std::vector<PeerTime> compute_of_ranks(RuleContext& context);
/// Of each device of the session, in their order.
std::vector<PeerTime> compute_of_devices(RuleContext& context);

/// Collectives among peers that should come to them together.
struct CollectivesOfPeers {
  std::span<const CollectiveSeries> series;
  std::function<bool(const CollectiveSeries&)> counts;  // null: all of them
  std::string in_words;                                 // "collectives"
  std::vector<PeerTime> peers = {};                     // that they are among
  const Messages* messages = nullptr;                   // besides, of hosts
};

/// Adds a finding for the peers that keep the others waiting in these collectives; whether there are some.
/// `most_expert_work`: the rank that has a finding for its experts, and is not late besides.
bool find_stragglers(RuleContext& context, const CollectivesOfPeers& peers, std::optional<int64_t> most_expert_work,
                     std::vector<Finding>& findings);

}  // namespace cgpu
