// Builds traces: one file a rank, and the truth about all of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "options.h"
#include "sink.h"

namespace cgpu::builder {

/// Writes one trace a sink (as many as options.ranks) and returns the truth (see README.md). Sizes in options.bytes
/// and options.events must have been resolved with fit().
nlohmann::ordered_json build(const Options& options, const std::vector<Sink*>& sinks);

/// The options with steps (and layers, where not given) such that a file reaches options.bytes or options.events. It
/// builds a few small traces to learn what a step costs.
Options fit(Options options);

/// The trace of one rank as text. For tests.
std::string build_text(const Options& options, nlohmann::ordered_json* truth = nullptr);

}  // namespace cgpu::builder
