// What the communication ops of a run are, in the terms of Chakra's schema: kind, bytes, partner, group.
//
// O(n log n) in the communication ops.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/session_facts.h"
#include "model/chakra_schema.h"

namespace cgpu {

struct ChakraCommunication {
  chakra::NodeType type = chakra::NodeType::kCompute;  // of a kind that is not known
  std::optional<int64_t> collective;                   // CollectiveCommType
  std::optional<int64_t> bytes;                        // that this rank puts in
  std::optional<int64_t> from, to;                     // ranks
  std::optional<uint32_t> tag;                         // of a transfer: the same on both ranks
  std::string group;                                   // its number; "" where not recorded
};

/// Communicators by numbers, which simulators want as names: that of the profile where it is one, else the next above
/// all of these.
class GroupNumbers {
 public:
  explicit GroupNumbers(const Session& session);
  const std::string& of(const std::string& name) const { return numbers_.at(name); }

 private:
  std::map<std::string, std::string> numbers_;
};

class RunCommunication {
 public:
  RunCommunication(const SessionFacts& facts, size_t run, const GroupNumbers& groups);
  /// Of a communication op: several only of a batch of transfers. Of other ops none.
  std::span<const ChakraCommunication> of(SliceIndex op) const;

 private:
  void add(const Run& run, const CollectiveSeries& series, const CollectivePart& part, const Collective* record,
           const GroupNumbers& groups);

  std::unordered_map<SliceIndex, std::vector<ChakraCommunication>> of_op_;
};

}  // namespace cgpu
