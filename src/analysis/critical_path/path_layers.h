// Which layer of the model a part of the critical path belongs to (analysis/steps/run_layers.h).
//
// O(n log n) in the device ops of a run when its first part is asked for; O(log n) a part.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/critical_path/edge_parts.h"
#include "analysis/session_facts.h"
#include "analysis/steps/run_layers.h"

namespace cgpu {

class PathLayers {
 public:
  /// Of facts of a whole session, which outlive this.
  explicit PathLayers(const SessionFacts& facts) : facts_(facts), runs_(facts.session().runs.size()) {}

  /// "layer 4: attention"; "no layer: optimizer" of what repeats in none; "" where it is not known. Of the device op or
  /// its launch; of other time of a host thread that of the op that the thread launches next.
  std::string of(const EdgePart& part);

 private:
  struct RunPlaces {
    std::vector<std::string> names;                     // each once
    std::unordered_map<SliceIndex, uint32_t> of_slice;  // device ops and their launches: place in `names`
    std::map<TrackIndex, std::vector<std::pair<int64_t, uint32_t>>>
        launches;  // of a thread: start and place in `names`
  };
  const RunPlaces& places_of(size_t run);

  const SessionFacts& facts_;
  std::vector<std::optional<RunPlaces>> runs_;  // by index; computed on first use
};

}  // namespace cgpu
