// experiment.xml: the call tree, the tables of names and metrics, and sums that hpcprof printed with six digits.
// Read in a stream with expat. O(bytes); memory by the number of nodes, values and distinct names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text_source.h"
#include "model/call_tree.h"
#include "model/notes.h"
#include "readers/hpctoolkit/xml/finalize_formula.h"

namespace cgpu::hpctoolkit_xml {

enum class ValueType : uint8_t { none, inclusive, exclusive };

/// A metric whose sums over all threads are in the XML.
struct SummaryMetric {
  std::string id;
  std::string name;         // "CPUTIME (usec):Sum (I)"
  std::string description;  // may be empty
  ValueType type = ValueType::none;
  bool shown = true;
  bool formula = false;  // computed by the viewer from others, not stored
  /// How its value follows from what is printed of this and other metrics; none where the printed one is the value.
  std::optional<FinalizeFormula> finalize = {};
};

/// A column of the metric-db files.
struct ThreadMetric {
  std::string name;  // "CPUTIME (usec) (I)"
  ValueType type = ValueType::none;
  uint64_t column = 0;
};

struct Experiment {
  std::string version;  // "2.1"
  std::string title;
  std::vector<SummaryMetric> summary;
  std::vector<ThreadMetric> threads;
  bool has_traces = false;

  CallTree tree;  // without metrics
  /// The row of each node in a metric-db, counted from 1 as the XML does (the root's is 1); 0 for a node without one.
  std::vector<uint32_t> row;
  /// By the id of a summary metric: values in the order of the file.
  std::unordered_map<std::string, std::vector<NodeValue>> values;
  int64_t nodes = 0;  // in the XML, with the call sites that became part of their callees
  uint32_t last_row = 1;
};

/// What cannot be read goes to the notes; throws Error where there is nothing to show.
Experiment read_experiment(TextSource& text, const std::string& name, Notes& notes);

}  // namespace cgpu::hpctoolkit_xml
