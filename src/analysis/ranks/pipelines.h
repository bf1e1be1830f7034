// Recognises the stages of a pipeline: ranks that send work on to each other.
#pragma once

#include <algorithm>
#include <string_view>

#include "analysis/session_facts.h"
#include "base/contains.h"

namespace cgpu {

/// Whether a collective of this name is a send or receive.
inline bool passes_work_on(std::string_view collective) {
  for (const std::string_view name : {"send", "recv", "Send", "Recv", "receive"}) {
    if (contains(collective, name)) return true;
  }
  return false;
}

/// Whether ranks pass work on to each other, as the stages of a pipeline do.
inline bool is_pipeline(const SessionFacts& facts) {
  return std::any_of(facts.collectives().begin(), facts.collectives().end(),
                     [](const CollectiveSeries& series) { return passes_work_on(series.name); });
}

}  // namespace cgpu
