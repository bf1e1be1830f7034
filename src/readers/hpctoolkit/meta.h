// meta.db: the call tree, the metrics, and the names of everything. O(nodes); strings are read where a node names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/call_tree.h"
#include "model/notes.h"
#include "readers/common/bytes.h"
#include "readers/hpctoolkit/taxonomy.h"

namespace cgpu::hpctoolkit {

/// The numbers under which the values of a metric are stored.
struct MetricIds {
  std::optional<uint16_t> summary_execution;  // in the summary: what was measured in a context and below it
  std::optional<uint16_t> summary_point;      // in the summary: at exactly this context
  std::optional<uint16_t> execution;          // in the profiles of threads, and in cct.db

  /// What else a value may cover: "function", "lex_aware", ...
  struct Other {
    std::string scope;
    std::optional<uint16_t> summary;
    std::optional<uint16_t> profile;
  };
  std::vector<Other> others;
};

/// From the number of a context to its node. Dense where the numbers are, else sorted.
class ContextNodes {
 public:
  ContextNodes() = default;
  explicit ContextNodes(std::vector<uint32_t> context_of_node);

  NodeIndex node_of(uint32_t context) const;  // kNoNode where it is not in the tree
  uint32_t context_of(NodeIndex node) const { return context_of_node_[node]; }
  /// Contexts that several nodes claim to be; the first of them is.
  int64_t duplicates() const { return duplicates_; }

 private:
  std::vector<uint32_t> context_of_node_;
  std::vector<NodeIndex> dense_;
  std::vector<std::pair<uint32_t, NodeIndex>> sorted_;
  int64_t duplicates_ = 0;
};

struct Meta {
  std::string title;
  std::string version;             // "4.0"
  std::vector<std::string> kinds;  // what the parts of an identity are: "RANK", "THREAD", ...
  CallTree tree;                   // without values
  std::vector<MetricIds> ids;      // of the measured metrics, by MetricIndex; empty for computed ones
  ContextNodes contexts;           // context 0 is the root
};

/// Throws Error where `file` is no meta.db. What is missing in it goes to the notes.
Meta read_meta(const Bytes& file, const std::string& name, const std::vector<TaxonomyMetric>& taxonomy, Notes& notes);

}  // namespace cgpu::hpctoolkit
