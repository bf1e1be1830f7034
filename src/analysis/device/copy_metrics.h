// Bytes that a call tree has counted of copies, by direction: the metrics GXCOPY:H2D, GXCOPY:D2H, ... of HPCToolkit.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/call_tree.h"
#include "model/timeline.h"

namespace cgpu {

inline std::optional<CopyKind> copy_kind_of_metric(std::string_view metric) {
  constexpr std::pair<std::string_view, CopyKind> kKinds[] = {
      {"GXCOPY:H2D", CopyKind::HtoD}, {"GXCOPY:D2H", CopyKind::DtoH},   {"GXCOPY:D2D", CopyKind::DtoD},
      {"GXCOPY:P2P", CopyKind::PtoP}, {"GXCOPY:H2H", CopyKind::HtoH},   {"GXCOPY:H2A", CopyKind::HtoA},
      {"GXCOPY:A2H", CopyKind::AtoH}, {"GXCOPY:A2A", CopyKind::AtoA},   {"GXCOPY:A2D", CopyKind::AtoD},
      {"GXCOPY:D2A", CopyKind::DtoA}, {"GXCOPY:UNK", CopyKind::unknown}};
  for (const auto& [name, kind] : kKinds) {
    if (metric == name) return kind;
  }
  return std::nullopt;
}

/// (direction, bytes) of the whole program; only directions in which something was copied.
inline std::vector<std::pair<CopyKind, int64_t>> copied_bytes(const CallTree& tree) {
  std::vector<std::pair<CopyKind, int64_t>> copied;
  for (MetricIndex metric = 0; metric < tree.metrics.size(); ++metric) {
    const auto kind = copy_kind_of_metric(tree.metrics[metric].name);
    if (!kind || !tree.metrics[metric].measured()) continue;
    const double bytes = inclusive_value(tree, metric, 0);
    if (bytes > 0 && bytes < 9e18) copied.emplace_back(*kind, static_cast<int64_t>(bytes));
  }
  return copied;
}

}  // namespace cgpu
