// The call tree, the ranks and the time series of a Caliper profile, built from its records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/run.h"
#include "readers/caliper/columns.h"
#include "readers/common/call_tree_builder.h"

namespace cgpu::caliper {

/// One number of a record.
struct Value {
  uint32_t column = 0;
  double number = 0;
  std::string_view text;  // as written
};

class Profile {
 public:
  explicit Profile(Run& run) : run_(run) {}

  /// The number of a column of values.
  uint32_t add_column(const Attribute& attribute);

  NodeIndex region(NodeIndex parent, std::string_view name);
  /// What ran on a device on behalf of a node: a kernel, else what the kind of activity says ("memcpy"); the node
  /// itself where neither is known.
  NodeIndex device_work(NodeIndex parent, std::string_view activity, std::string_view kernel);
  /// A line of the source ("file.c:12") in a module, below a node; the node itself where it is not known.
  NodeIndex source(NodeIndex parent, std::string_view file_and_line, std::string_view module);
  /// What was measured at a node.
  void add_record(NodeIndex node, const std::vector<Value>& values);

  /// A fact about the run. Environments, credentials and long lists are left out.
  void add_fact(std::string_view key, std::string_view value);

  /// Moves everything into the run.
  void finish();

 private:
  struct Column {
    Attribute attribute;
    ColumnRole role = ColumnRole::ignored;
    bool inclusive = false;
    std::optional<MetricIndex> metric;  // from the first value on
  };

  uint32_t profile_of(std::optional<int64_t> rank, std::optional<int64_t> thread);
  MetricIndex metric_of_column(Column& column);
  void add_interval(NodeIndex node, const std::vector<Value>& values, std::optional<int64_t> rank);
  void hide_doubles();
  void choose_main_metric();

  Run& run_;
  CallTreeBuilder tree_;
  std::vector<Column> columns_;
  std::map<std::pair<std::optional<int64_t>, std::optional<int64_t>>, uint32_t> profiles_;  // by rank and thread
  std::map<std::optional<int64_t>, TrackIndex> interval_tracks_;                            // by rank
  std::map<std::pair<std::optional<int64_t>, std::string>, uint32_t> counters_;             // by rank and name
  int64_t secrets_ = 0;
};

}  // namespace cgpu::caliper
