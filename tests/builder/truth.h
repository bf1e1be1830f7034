// The truth file: what the books of all ranks say, as JSON.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "books.h"
#include "kineto_writer.h"
#include "machine.h"
#include "models.h"
#include "options.h"

namespace cgpu::builder {

struct RankTruth {
  Books books{kThreads};
  EventCounts events;
  int64_t first_slice = 0;
};

nlohmann::ordered_json truth_json(const Options& options, const ModelSpec& model,
                                  const std::vector<std::unique_ptr<RankTruth>>& ranks);

}  // namespace cgpu::builder
