// What-if scenarios that several rules replay.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/critical_path/edge_times.h"
#include "analysis/session_facts.h"

namespace cgpu {

/// What would be if time of these kinds were none.
EdgeTimes::Scenario removed(std::initializer_list<BoundBy> kinds);

/// By run of the whole session: what part of their time single device ops take; all others take all of it.
using OpFactors = std::vector<std::unordered_map<SliceIndex, double>>;
/// The same by slice, where it is many ops; empty of a run whose ops all take all of it.
using SliceFactors = std::vector<std::vector<float>>;
/// What would be if these ops took so much of their time.
EdgeTimes::Scenario scaled(OpFactors factors);
EdgeTimes::Scenario scaled(SliceFactors factors);

/// By run of the whole session and device.
using DeviceFactors = std::map<std::pair<size_t, int32_t>, double>;
/// What would be if what these devices compute took so much of its time.
EdgeTimes::Scenario scaled(const SessionFacts& whole, const DeviceFactors& factors);

}  // namespace cgpu
