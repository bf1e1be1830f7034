// How much one instance of a framework op computes and moves at least, from the shapes of its inputs.
//
// FLOPs are those of the mathematical definition (a multiply-add is two), whatever the kernel does: a product of
// matrices is 2 M N K. Bytes are the least that must be moved: every input is read once, every result written once, at
// the size of its type. docs/definitions/operators.md ("op_shapes") has the formulas; only what follows from the shapes
// (and recorded values such as strides) is given, and a formula for other ops is a function here and a line in the
// list.
//
// O(number of dimensions).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/op_shapes/recorded_inputs.h"
#include "base/string_pool.h"

namespace cgpu {

struct OpCost {
  std::optional<int64_t> flops;  // absent where no formula is known
  std::optional<int64_t> bytes;
  /// Of these, inputs that must be read once more where they do not fit into a cache.
  std::optional<int64_t> read_again;
  /// The rate of the device that bounds the FLOPs (ElementType::peak); empty for ops that matrix units do not do.
  std::string peak;
  /// What else the figures depend on, in words: "causal", "stride [2, 2], ...". Instances that differ in it are not
  /// alike.
  std::string settings;
};

/// Nothing for an op without a formula.
OpCost op_cost(std::string_view op, const RecordedInputs& inputs);

/// Of a collective that the profile records with its elements, which are all that the figures depend on.
OpCost collective_cost(const InputTexts& texts);

/// Whether the cost of ops of this name is known, where their inputs are recorded.
bool has_cost_formula(std::string_view op);
/// The same of each name.
std::vector<bool> have_cost_formula(const StringPool& names);

/// Whether the cost of this op depends on inputs that are no tensors.
bool cost_depends_on_values(std::string_view op);

}  // namespace cgpu
