// What is said of runs of several sizes (scaling.h).
#pragma once

#include <string>
#include <vector>

#include "scaling/growth_model.h"
#include "scaling/scaled_figures.h"
#include "scaling/scaling.h"

namespace cgpu {

/// "64 ranks"; of other parameters "batch 64".
std::string size_text(double size, const std::string& parameter);

/// "80.0 ms + 41.2 ms p^0.5"
std::string law_text(const GrowthLaw& law, const std::string& unit);

/// Lines; the first is the result.
std::vector<std::string> scaling_words(const SizedRuns& sized, const ScalingOptions& options,
                                       const ScaledFigures& figures, double at);

}  // namespace cgpu
