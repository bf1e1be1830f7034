// Puts the nodes of an execution trace into a run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/run.h"

namespace cgpu::chakra {

/// A node as its trace gives it; texts are those of lists: "[[2, 3], []]".
struct NewNode {
  int64_t id = 0;
  std::string name;
  std::optional<int64_t> type;  // Chakra's NodeType; PyTorch's traces have none
  std::optional<bool> on_host;
  int64_t record_function = 0;
  int64_t scope = 0;
  int64_t thread = 0;
  int64_t sequence = -1;
  std::string inputs, input_shapes, input_types;
  std::string outputs;
  uint32_t dependencies = 0;
  std::optional<int64_t> start_us;
  std::optional<int64_t> duration_us;
  std::optional<int64_t> collective;  // Chakra's CollectiveCommType
  std::optional<int64_t> communicated_bytes;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(Run& run);
  void add(const NewNode& node);
  /// A fact of the header.
  void add_fact(const std::string& key, const std::string& value);
  bool full() const;
  /// Call last.
  void finish();

 private:
  void add_slice(const NewNode& node, NodeClass kind, int64_t start, int64_t duration);
  TrackIndex track(bool host, int64_t thread);

  Run& run_;
  OpGraph& graph_;
  std::map<std::pair<bool, int64_t>, TrackIndex> tracks_;
};

}  // namespace cgpu::chakra
