// CPU samples with their call chains: a call tree, and for each thread that was sampled a track of its samples. Each
// distinct chain is walked once, however many samples share it. O(n log n) in the samples and frames.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "model/processor_time.h"
#include "model/sample_length.h"
#include "model/time_range.h"
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

  /// Frames from the outermost in. Gives the node of the innermost.
  template <typename Iterator>
  NodeIndex add_chain(Iterator frame, Iterator end, const Weight& weight) {
    NodeIndex node = 0;
    add(node, weight);
    for (; frame != end; ++frame) {
      node = child(node, frame->symbol, frame->module);
      add(node, weight);
    }
    return node;
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

struct Chain {
  Weight weight;
  NodeIndex node = kNoNode;  // of the innermost frame
};

struct Sample {
  int64_t time;
  int64_t thread;
  int64_t chain;
  uint64_t source;
};

/// The places of samples in the call tree, by Slices::source.
class NodesOfSamples final : public SampledNodes {
 public:
  /// `nodes`: ascending in the source.
  explicit NodesOfSamples(std::vector<std::pair<uint64_t, NodeIndex>> nodes) : nodes_(std::move(nodes)) {}
  NodeIndex node_of(uint64_t source) const override {
    const auto found = std::ranges::lower_bound(nodes_, source, {}, &std::pair<uint64_t, NodeIndex>::first);
    return found != nodes_.end() && found->first == source ? found->second : kNoNode;
  }

 private:
  std::vector<std::pair<uint64_t, NodeIndex>> nodes_;
};

/// The innermost function of a call path whose symbol is known. Of the others Nsight Systems gives the address; in
/// place of frames that are missing it says why ("[Broken backtraces]").
std::string known_function(const CallTree& tree, NodeIndex node) {
  std::string_view module;
  for (; node != 0; node = tree.nodes.parent[node]) {
    const std::string_view name = tree.names[tree.nodes.name[node]];
    if (!name.empty() && !name.starts_with("0x") && !name.starts_with("[")) return std::string(name);
    if (module.empty()) module = tree.names[tree.nodes.module[node]];
  }
  module.remove_prefix(module.rfind('/') + 1);
  return module.empty() ? "(unknown function)" : fmt::format("(unknown function of {})", module);
}

/// A track for each thread that was sampled. The slice of a sample lasts from the sample before it on its thread to its
/// own time, at most 1.5 times the usual distance between samples (model/sample_length.h).
class SampleTracks {
 public:
  SampleTracks(Assembler& assembler, const CallTree& tree)
      : assembler_(assembler), tree_(tree), category_(assembler.category(kSampleCategory, SliceKind::other)) {}

  void add(std::vector<Sample> samples, const std::unordered_map<int64_t, Chain>& chains) {
    std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
      return std::pair(a.thread, a.time) < std::pair(b.thread, b.time);
    });
    std::vector<int64_t> distances;
    for (size_t i = 1; i < samples.size(); ++i) {
      const bool is_next = samples[i].thread == samples[i - 1].thread && samples[i].time > samples[i - 1].time;
      if (is_next) distances.push_back(samples[i].time - samples[i - 1].time);
    }
    const SampleLength length = distances.empty() ? SampleLength{} : sample_length(std::move(distances));
    TrackIndex track = kNone;
    for (size_t i = 0; i < samples.size(); ++i) {
      const Sample& sample = samples[i];
      const bool is_first = i == 0 || samples[i - 1].thread != sample.thread;
      if (is_first) track = assembler_.samples_track(sample.thread);
      const int64_t since = is_first ? length.usual : sample.time - samples[i - 1].time;
      const int64_t earliest = is_first ? std::min<int64_t>(sample.time, 0) : INT64_MIN;  // most profiles begin at 0
      const int64_t start = std::max(sample.time - std::min(since, length.most), earliest);
      assembler_.add_slice_of(sample.source, start, sample.time, category_, name_of(chains.at(sample.chain).node),
                              track);
    }
  }

 private:
  StringId name_of(NodeIndex node) {
    const auto [at, added] = names_.try_emplace(node, 0);
    if (added) at->second = assembler_.names.intern(known_function(tree_, node));
    return at->second;
  }

  Assembler& assembler_;
  const CallTree& tree_;
  uint16_t category_;
  std::unordered_map<NodeIndex, StringId> names_;
};

}  // namespace

void read_samples(Assembler& assembler) {
  if (!assembler.tables.has_rows("COMPOSITE_EVENTS") || !assembler.tables.has_rows("SAMPLING_CALLCHAINS")) return;
  std::unordered_map<int64_t, Chain> chains;
  std::vector<Sample> samples;
  enum { kChain, kCycles, kTime, kThread };
  assembler.each_event("COMPOSITE_EVENTS", {"id", "cpuCycles", "start", "globalTid"}, [&](Row& row) {
    Weight& weight = chains[row.integer(kChain)].weight;
    weight.samples += 1;
    weight.cycles += static_cast<double>(std::max<int64_t>(0, row.integer(kCycles)));
    if (row.is_null(kTime) || row.is_null(kThread) || !is_time(row.integer(kTime))) {
      return assembler.skip("skipped_event", "samples without a time or a thread are in the call tree alone");
    }
    samples.push_back({row.integer(kTime), row.integer(kThread), row.integer(kChain), assembler.source_of(row)});
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
    const auto chain = chains.find(first->chain);
    if (chain != chains.end()) chain->second.node = builder.add_chain(first, end, chain->second.weight);
    first = end;
  }
  for (auto& [id, chain] : chains) {
    const bool has_frames = chain.node != kNoNode;
    if (!has_frames) chain.node = builder.add_chain(frames.cend(), frames.cend(), chain.weight);
  }
  builder.finish();
  std::vector<std::pair<uint64_t, NodeIndex>> nodes;
  nodes.reserve(samples.size());
  for (const Sample& sample : samples) nodes.emplace_back(sample.source, chains.at(sample.chain).node);
  std::sort(nodes.begin(), nodes.end());
  tree.sampled_nodes = std::make_shared<NodesOfSamples>(std::move(nodes));
  SampleTracks(assembler, tree).add(std::move(samples), chains);
  assembler.run.call_tree = std::move(tree);
}

}  // namespace cgpu::nsys
