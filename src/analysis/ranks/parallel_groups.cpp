#include "analysis/ranks/parallel_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace cgpu {

namespace {

struct KnownKind {
  std::string_view purpose;  // the description as purpose_of leaves it
  std::string_view kind;
};

constexpr std::string_view kPipeline = "pipeline parallel";

constexpr auto kKnownKinds = std::to_array<KnownKind>({
    {"tp", "tensor parallel"},
    {"tensor", "tensor parallel"},
    {"tensor_model", "tensor parallel"},
    {"pp", kPipeline},
    {"pipe", kPipeline},
    {"pipeline", kPipeline},
    {"pipeline_model", kPipeline},
    {"dp", "data parallel"},
    {"ddp", "data parallel"},
    {"data", "data parallel"},
    {"dp_replicate", "replicated data parallel"},
    {"fsdp", "sharded data parallel"},
    {"dp_shard", "sharded data parallel"},
    {"dp_shard_cp", "sharded data and context parallel"},
    {"dp_cp", "data and context parallel"},
    {"data_parallel_group_with_cp", "data and context parallel"},
    {"cp", "context parallel"},
    {"context", "context parallel"},
    {"tp_cp", "tensor and context parallel"},
    {"tensor_and_context", "tensor and context parallel"},
    {"tp_dp", "tensor and data parallel"},
    {"tensor_and_data", "tensor and data parallel"},
    {"sp", "sequence parallel"},
    {"sequence", "sequence parallel"},
    {"ep", "expert parallel"},
    {"exp", "expert parallel"},
    {"expert", "expert parallel"},
    {"expert_model", "expert parallel"},
    {"expert_tensor", "expert tensor parallel"},
    {"expert_data", "expert data parallel"},
    {"mp", "model parallel"},
    {"model", "model parallel"},
    {"embd", "embedding"},
    {"embedding", "embedding"},
    {"pos_embd", "position embedding"},
    {"position_embedding", "position embedding"},
    {"default", "default"},
    {"default_pg", "default"},
});

/// "tensor_model" of "TENSOR_MODEL_PARALLEL_GROUP", "tp" of "mesh_tp".
std::string purpose_of(std::string_view description) {
  std::string purpose = lower_case(description);
  std::replace_if(
      purpose.begin(), purpose.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  if (purpose.starts_with("mesh_")) purpose.erase(0, std::string_view("mesh_").size());
  for (const std::string_view ending : {"_group", "_parallel"}) {
    if (purpose.ends_with(ending)) purpose.resize(purpose.size() - ending.size());
  }
  return purpose;
}

/// Null for a description that is none of these.
const KnownKind* known_kind(std::string_view description) {
  const std::string purpose = purpose_of(description);
  const auto found = std::find_if(kKnownKinds.begin(), kKnownKinds.end(),
                                  [&](const KnownKind& known) { return known.purpose == purpose; });
  return found == kKnownKinds.end() ? nullptr : &*found;
}

}  // namespace

std::string kind_of_group(std::string_view description) {
  if (description == "undefined") return "";
  const KnownKind* known = known_kind(description);
  return std::string(known != nullptr ? known->kind : description);
}

GroupKinds::GroupKinds(const Session& session) {
  for (const Run& run : session.runs) {
    for (const ParallelGroup& group : run.groups) descriptions_.emplace(group.name, group.description);
  }
}

std::string GroupKinds::of(std::string_view label) const {
  const auto found = descriptions_.find(label);
  if (found != descriptions_.end()) return kind_of_group(found->second);
  const size_t ranks = label.find(" [");
  return ranks == std::string_view::npos ? "" : kind_of_group(label.substr(0, ranks));
}

std::string group_in_words(std::string_view label, std::string_view kind) {
  if (kind.empty()) return fmt::format("group {}", label);
  const bool is_known =
      std::any_of(kKnownKinds.begin(), kKnownKinds.end(), [&](const KnownKind& known) { return known.kind == kind; });
  return is_known ? fmt::format("the {} group {}", kind, label) : fmt::format("group {} ({})", label, kind);
}

bool is_pipeline_group(const ParallelGroup& group) {
  const KnownKind* known = known_kind(group.description);
  return known != nullptr && known->kind == kPipeline;
}

std::optional<int64_t> place_in(const ParallelGroup& group, const Run& run) {
  if (group.place) return group.place;
  const std::optional<int64_t> rank = recorded_rank(run);
  if (!rank) return std::nullopt;
  // PyTorch lists no ranks of a group that has all of them (_World.pg_config_info, distributed_c10d.py).
  if (group.ranks.empty()) return group.size > 0 && group.size == run.world_size ? rank : std::nullopt;
  const auto found = std::find(group.ranks.begin(), group.ranks.end(), *rank);
  return found == group.ranks.end() ? std::nullopt : std::optional<int64_t>(found - group.ranks.begin());
}

}  // namespace cgpu
