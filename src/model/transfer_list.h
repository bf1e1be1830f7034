// Transfers between two ranks as arguments of events. Those of an op that has several (a batch of sends and receives)
// are one argument in exports: "send to 1: 2097152, recv from 2: 2097152", with ranks and elements; of unknown elements
// nothing is behind the rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

inline bool is_transfer(const Collective& one) {
  return one.from >= 0 || one.to >= 0;
}

/// The rank of a partner that an argument of an event names; -1 where it names none.
inline int32_t partner_of(std::optional<int64_t> argument) {
  return argument && *argument >= 0 && *argument <= INT32_MAX ? static_cast<int32_t>(*argument) : -1;
}

std::string text_of_transfers(std::span<const Collective> transfers);

/// Appends the transfers that such a text lists, each with all else (slice, group, type) as in `op`. Of a text that is
/// no such list nothing.
void add_transfers(std::string_view text, const Collective& op, StringPool& names, std::vector<Collective>& transfers);

}  // namespace cgpu
