// metrics/default.yaml: the metrics that HPCToolkit's viewer computes from measured ones.
//
// Read with yaml-cpp, up to a number of nodes that no real file has: they may refer to each other, also in circles.
// O(nodes).
#pragma once

#include <string>
#include <vector>

#include "model/formula.h"
#include "model/notes.h"

namespace cgpu::hpctoolkit {

/// A metric of the file.
struct TaxonomyMetric {
  std::string name;  // "GKER:BLK_SM (B)"
  std::string about;
  bool percent = false;             // its values are shown with a percent sign
  std::vector<std::string> inputs;  // names of measured metrics, as stored: the operands of the formula
  Formula formula;

  /// A measured one under its own name.
  bool is_measured() const { return formula.is_operand() && inputs.front() == name; }
};

/// In the order of the file. What cannot be read goes to the notes.
std::vector<TaxonomyMetric> read_taxonomy(const std::string& text, Notes& notes);

}  // namespace cgpu::hpctoolkit
