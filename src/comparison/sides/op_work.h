// What the framework ops of a side computed and moved in the compared time, as far as the shapes of their inputs tell
// (analysis/op_shapes/op_costs.h).
//
// Of ops inside of each other that have a formula, the innermost with device work count, so that nothing counts twice.
// Reads the arguments of the framework ops again, where any had shapes; else O(n) in the slices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "analysis/op_shapes/costed_ops.h"
#include "comparison/alignment/alignment.h"

namespace cgpu {

class Comparison;

/// Over all devices and iterations.
struct OpWork {
  std::optional<double> flops;                // absent where no op has a formula
  std::optional<double> bytes;                // that must move at least: inputs once, results once
  std::map<std::string, double> flops_by_op;  // by the name of the op
  std::map<std::string, double> bytes_by_op;
  std::map<std::string, double> matrix_flops_by_type;  // FLOPs of matrix units by type (OpCost::peak)
  int64_t flops_ns = 0;                                // device time of the ops whose FLOPs are known
  int64_t bytes_ns = 0;
  MatrixWork matrix;
};

/// Absent where no op has recorded shapes.
std::optional<OpWork> op_work(const Comparison& comparison, Side side);

}  // namespace cgpu
