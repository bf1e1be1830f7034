// The facts of an Ascend profile besides its events: rank, recording options, parallel groups, and the times that its
// own profiler computed for each step.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/run.h"

namespace cgpu::ascend {

/// A group of ranks as the tables show it.
struct GroupLabel {
  std::string text;   // "dp [2,3]", else the group's id
  int32_t size = -1;  // ranks, -1 where unknown
};

struct Facts {
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::optional<int32_t> device;
  std::vector<ParallelGroup> groups;
  std::unordered_map<std::string, size_t> group_with;  // place in `groups` by id
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<StepTrace> step_traces;
  std::unordered_map<std::string, std::string> group_of_op;  // id of the group by the name of the collective
  Notes notes;

  /// The group with this id ("3985310405473756128").
  GroupLabel label_of_id(const std::string& id) const;
  /// The group of a collective by its name, from communication.json or from the digits in the name.
  GroupLabel group_of(std::string_view op) const;
};

/// profiler_info_*.json: rank, level, versions.
void read_profiler_info(const std::string& path, Facts& facts);
/// profiler_metadata.json: sizes of the kinds of parallelism, groups. Environment variables are not taken.
void read_profiler_metadata(const std::string& path, Facts& facts);
/// communication.json: which collective belongs to which group.
void read_communication(const std::string& path, Facts& facts);
/// step_trace_time.csv.
void read_step_trace(const std::string& path, Facts& facts);
/// The same in analysis.db.
void read_analysis_database(const std::string& path, Facts& facts);

/// Puts the facts into the run. Call once, first.
void apply(const Facts& facts, Run& run);

}  // namespace cgpu::ascend
