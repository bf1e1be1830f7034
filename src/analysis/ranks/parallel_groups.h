// What groups of ranks are for, and which place a rank has in them, as far as profiles say it.
//
// Descriptions are those of who made the group: PyTorch's own ("default_pg"; "mesh_tp" of a DeviceMesh whose dimension
// is called tp; "undefined" where nothing was set), Megatron-LM's (megatron/core/parallel_state.py,
// "TENSOR_MODEL_PARALLEL_GROUP"), torchtitan's dimensions ("mesh_dp_shard"), those of torch_npu and MindSpeed
// ("dp_cp").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/run.h"

namespace cgpu {

/// "tensor parallel", "data and context parallel", "default" for PyTorch's group of all ranks, ...; the description
/// itself where it is another one, "" where there is none.
std::string kind_of_group(std::string_view description);

/// What the groups of a session are for, each as the first run that lists it has it. O(n) in the groups of the runs.
class GroupKinds {
 public:
  /// The session must outlive it and not change.
  explicit GroupKinds(const Session& session);
  /// Of the group that collectives of this label go through: the one of this name or, as of Ascend's profiles, that the
  /// label describes ("tp [0-7]"). As kind_of_group, "" for an unknown one. O(1).
  std::string of(std::string_view label) const;

 private:
  std::unordered_map<std::string_view, std::string_view> descriptions_;  // by name
};

/// "the tensor parallel group 13"; "group 13 (moe_dispatch)", where the kind is no known one; "group 13" without one.
std::string group_in_words(std::string_view label, std::string_view kind);

/// Whether its members are the stages of one pipeline, and nothing else.
bool is_pipeline_group(const ParallelGroup& group);

/// Which of the members of a group of this run the run is, from 0; absent where that is not known. O(ranks of the
/// group).
std::optional<int64_t> place_in(const ParallelGroup& group, const Run& run);

}  // namespace cgpu
