// Recognises the stages of a pipeline: ranks that send work on to each other.
#pragma once

#include <algorithm>
#include <string_view>

#include "analysis/session_facts.h"
#include "base/contains.h"

namespace cgpu {

/// Whether these are sends or receives, but for those of ranks that give each other the same at the same time: around a
/// ring, or in halos.
inline bool passes_work_on(const CollectiveSeries& series) {
  if (series.are_exchanges) return false;
  for (const std::string_view name : {"send", "recv", "Send", "Recv", "receive"}) {
    if (contains(series.name, name)) return true;
  }
  return false;
}

/// Whether ranks pass work on to each other, as the stages of a pipeline do.
inline bool is_pipeline(const SessionFacts& facts) {
  return std::any_of(facts.collectives().begin(), facts.collectives().end(),
                     [](const CollectiveSeries& series) { return passes_work_on(series); });
}

}  // namespace cgpu
