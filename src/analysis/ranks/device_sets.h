// Where devices of many ranks belong: to a machine, a rack, a stage of a pipeline, a group of ranks. Devices that
// deviate because of one of these deviate together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ranks/pipeline_stages.h"
#include "model/run.h"

namespace cgpu {

/// Where a run belongs, as far as that is known.
struct RunPlace {
  // Of the session; "" where not known:
  std::string_view host;
  std::string_view rack;
  std::optional<int64_t> stage;
};

/// By run. `passed`: likewise (pipeline_stages.h).
std::vector<RunPlace> places_of_runs(const Session& session, std::span<const PassedWork> passed);

struct DeviceSet {
  enum class Kind : uint8_t { host, rack, stage, group };
  Kind kind = Kind::host;
  std::string name;             // of the machine, of the rack, the label of the group; "" for a stage
  std::string group_kind = {};  // what the group is for (parallel_groups.h), "" where not known
  std::vector<size_t> devices;  // by their numbers
};
const char* text_of(DeviceSet::Kind kind);  // "host", ...

/// The devices of each machine, then of each rack, then of each stage. `runs`: of each device, its run. O(n log n) in
/// the devices.
std::vector<DeviceSet> sets_by_place(const std::vector<RunPlace>& places, const std::vector<size_t>& runs);

}  // namespace cgpu
