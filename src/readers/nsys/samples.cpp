// CPU samples with their call chains, as a call tree. Each distinct chain is walked once, however many samples share
// it.
#include <algorithm>
#include <unordered_map>

#include "readers/nsys/tables.h"

namespace cgpu::nsys {

namespace {

/// What was sampled under one chain id.
struct Weight {
  double samples = 0;
  double cycles = 0;
};

struct Frame {
  int64_t chain;
  int64_t depth;  // 0 is the innermost
  int64_t symbol;
  int64_t module;
};

class TreeBuilder {
 public:
  TreeBuilder(CallTree& tree, const Names& texts) : tree_(tree), texts_(texts) {
    add_node(kNoNode, NodeKind::root, 0, 0);
  }

  /// Frames from the outermost in.
  template <typename Iterator>
  void add_chain(Iterator frame, Iterator end, const Weight& weight) {
    NodeIndex node = 0;
    add(node, weight);
    for (; frame != end; ++frame) {
      node = child(node, frame->symbol, frame->module);
      add(node, weight);
    }
  }

  void finish() {
    std::vector<double> samples;
    std::vector<double> cycles;
    for (const Weight& weight : weights_) {
      samples.push_back(weight.samples);
      cycles.push_back(weight.cycles);
    }
    add_metric("SAMPLES", "", "samples of the processors' call stacks", std::move(samples));
    // Where cycles were not counted, a sample says 1 or nothing.
    if (weights_[0].cycles > weights_[0].samples) {
      add_metric("CYCLES", "cycles", "processor cycles, as the samples say", std::move(cycles));
    }
    tree_.main_metric = 0;
  }

 private:
  NodeIndex add_node(NodeIndex parent, NodeKind kind, StringId name, StringId module) {
    CallNodes& nodes = tree_.nodes;
    nodes.parent.push_back(parent);
    nodes.kind.push_back(kind);
    nodes.relation.push_back(NodeRelation::call);
    nodes.name.push_back(name);
    nodes.file.push_back(0);
    nodes.module.push_back(module);
    nodes.line.push_back(0);
    weights_.emplace_back();
    return nodes.size() - 1;
  }

  NodeIndex child(NodeIndex parent, int64_t symbol, int64_t module) {
    const StringId name = tree_.names.intern(texts_.text(symbol));
    const StringId file = tree_.names.intern(texts_.text(module));
    const auto [at, added] = children_.try_emplace({parent, name, file}, kNoNode);
    if (added) at->second = add_node(parent, NodeKind::function, name, file);
    return at->second;
  }

  void add(NodeIndex node, const Weight& weight) {
    weights_[node].samples += weight.samples;
    weights_[node].cycles += weight.cycles;
  }

  void add_metric(const char* name, const char* unit, const char* about, std::vector<double> values) {
    Metric& metric = tree_.metrics.emplace_back();
    metric.name = name;
    metric.unit = unit;
    metric.about = about;
    for (NodeIndex node = 0; node < values.size(); ++node) metric.node.push_back(node);
    metric.value = std::move(values);
  }

  CallTree& tree_;
  const Names& texts_;
  std::vector<Weight> weights_;
  std::map<std::tuple<NodeIndex, StringId, StringId>, NodeIndex> children_;
};

}  // namespace

void read_samples(Assembler& assembler) {
  if (!assembler.tables.has_rows("COMPOSITE_EVENTS") || !assembler.tables.has_rows("SAMPLING_CALLCHAINS")) return;
  std::unordered_map<int64_t, Weight> chains;
  assembler.each("COMPOSITE_EVENTS", {"id", "cpuCycles"}, [&](Row& row) {
    Weight& weight = chains[row.integer(0)];
    weight.samples += 1;
    weight.cycles += static_cast<double>(std::max<int64_t>(0, row.integer(1)));
  });
  std::vector<Frame> frames;
  assembler.each("SAMPLING_CALLCHAINS", {"id", "stackDepth", "symbol", "module"}, [&](Row& row) {
    frames.push_back({row.integer(0), row.integer(1), row.integer(2), row.integer(3)});
  });
  std::sort(frames.begin(), frames.end(), [](const Frame& a, const Frame& b) {
    return std::pair(a.chain, b.depth) < std::pair(b.chain, a.depth);  // the outermost first
  });

  CallTree tree;
  TreeBuilder builder(tree, assembler.names);
  for (auto first = frames.cbegin(); first != frames.cend();) {
    const auto end =
        std::find_if(first, frames.cend(), [&](const Frame& frame) { return frame.chain != first->chain; });
    const auto weight = chains.find(first->chain);
    if (weight != chains.end()) {
      builder.add_chain(first, end, weight->second);
      chains.erase(weight);
    }
    first = end;
  }
  for (const auto& [chain, weight] : chains) builder.add_chain(frames.cend(), frames.cend(), weight);  // no frames
  builder.finish();
  assembler.run.call_tree = std::move(tree);
}

}  // namespace cgpu::nsys
