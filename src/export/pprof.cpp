// pprof's profiles, for `go tool pprof` and what reads its format: docs/formats/pprof.md.
//
// Message and field numbers: the public description of the format, google/pprof, proto/profile.proto. A sample is a
// node of a call tree with its exclusive values; a location is a function and the line in it that calls, or costs.
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "export/export.h"
#include "export/exported_stacks.h"
#include "export/proto_writer.h"

namespace cgpu {

namespace {

namespace profile {
constexpr uint32_t kSampleType = 1;
constexpr uint32_t kSample = 2;
constexpr uint32_t kMapping = 3;
constexpr uint32_t kLocation = 4;
constexpr uint32_t kFunction = 5;
constexpr uint32_t kStringTable = 6;
constexpr uint32_t kDefaultSampleType = 14;
}  // namespace profile
namespace value_type {
constexpr uint32_t kType = 1;
constexpr uint32_t kUnit = 2;
}  // namespace value_type
namespace sample {
constexpr uint32_t kLocationId = 1;
constexpr uint32_t kValue = 2;
constexpr uint32_t kLabel = 3;
}  // namespace sample
namespace label {
constexpr uint32_t kKey = 1;
constexpr uint32_t kNumber = 3;
}  // namespace label
namespace mapping {
constexpr uint32_t kId = 1;
constexpr uint32_t kFileName = 5;
constexpr uint32_t kHasFunctions = 7;
constexpr uint32_t kHasFileNames = 8;
constexpr uint32_t kHasLineNumbers = 9;
}  // namespace mapping
namespace location {
constexpr uint32_t kId = 1;
constexpr uint32_t kMappingId = 2;
constexpr uint32_t kLine = 4;
}  // namespace location
namespace line {
constexpr uint32_t kFunctionId = 1;
constexpr uint32_t kLine = 2;
}  // namespace line
namespace function {
constexpr uint32_t kId = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kSystemName = 3;
constexpr uint32_t kFileName = 4;
constexpr uint32_t kStartLine = 5;
}  // namespace function

/// Numbers of things from 1 on, in the order in which they were first met.
template <typename Key>
class Numbers {
 public:
  uint64_t of(const Key& key) {
    const auto [found, is_new] = numbers_.try_emplace(key, numbers_.size() + 1);
    if (is_new) keys_.push_back(&found->first);
    return found->second;
  }
  /// In that order.
  const std::vector<const Key*>& keys() const { return keys_; }

 private:
  std::map<Key, uint64_t> numbers_;
  std::vector<const Key*> keys_;
};

class PprofWriter {
 public:
  PprofWriter(const ExportedStacks& stacks, Sink& sink) : stacks_(stacks), blocks_(sink) {}

  void write() {
    for (const ExportedMetric& metric : stacks_.metrics()) {
      out_.message(profile::kSampleType, [&] {
        out_.varint(value_type::kType, text(metric.metric.name));
        out_.varint(value_type::kUnit, text(metric.unit));
      });
    }
    for (const TreeOfRun& tree : stacks_.trees()) write_samples(tree);
    write_places();
    out_.varint(profile::kDefaultSampleType, text(stacks_.metric().metric.name));
    for (StringId text = 0; text < texts_.size(); ++text) out_.text(profile::kStringTable, texts_[text]);
    pass_on();
  }

 private:
  struct Frame {
    NodeIndex node;
    uint32_t line;
  };
  using Function = std::tuple<uint64_t, uint64_t, uint64_t>;  // name, file, first line
  using Location = std::tuple<uint64_t, uint64_t, uint64_t>;  // mapping, function, line

  /// The place of a text in the table of strings.
  uint64_t text(std::string_view words) { return texts_.intern(words); }

  void write_samples(const TreeOfRun& exported) {
    const CallTree& tree = *exported.tree;
    std::vector<std::vector<double>> values;
    for (const ExportedMetric& metric : stacks_.metrics()) {
      const auto index = metric.metric.in(tree);
      values.push_back(index ? exclusive_values(tree, *index) : std::vector<double>(tree.nodes.size(), 0));
    }
    std::vector<int64_t> of_node(values.size());
    for (NodeIndex node = 1; node < tree.nodes.size(); ++node) {
      bool any = false;
      for (size_t metric = 0; metric < values.size(); ++metric) {
        const double value = values[metric][node];
        of_node[metric] = value > 0 || value < 0 ? stacks_.metrics()[metric].value_of(value) : 0;  // 0: none, too
        any = any || of_node[metric] != 0;
      }
      if (!any) continue;
      out_.message(profile::kSample, [&] {
        for_each_frame(tree, node,
                       [&](const Frame& frame) { out_.varint(sample::kLocationId, location_of(tree, frame)); });
        for (const int64_t value : of_node) out_.integer(sample::kValue, value);
        if (is_absent(exported.rank)) return;
        out_.message(sample::kLabel, [&] {
          out_.varint(label::kKey, text("rank"));
          out_.integer(label::kNumber, std::get<int64_t>(exported.rank));
        });
      });
      if (out_.bytes().size() >= kSinkBlock) pass_on();
    }
  }

  /// From the innermost one out. Lines and loops are no frames: they say where in its function a frame is.
  template <typename Visit>
  static void for_each_frame(const CallTree& tree, NodeIndex node, Visit visit) {
    const CallNodes& nodes = tree.nodes;
    uint32_t line = 0;
    for (; node != kNoNode && node != 0; node = nodes.parent[node]) {
      const bool is_inside = is_inside_function(nodes.kind[node]) && nodes.parent[node] != 0;
      if (is_inside) {
        if (line == 0) line = nodes.line[node];
        continue;
      }
      visit(Frame{node, line});
      line = nodes.call_line.empty() ? 0 : nodes.call_line[node];
    }
  }

  uint64_t location_of(const CallTree& tree, const Frame& frame) {
    const CallNodes& nodes = tree.nodes;
    const std::string file(tree.names[nodes.file[frame.node]]);
    const std::string module(tree.names[nodes.module[frame.node]]);
    const uint64_t function = functions_.of({text(tree.name_of(frame.node)), text(file), nodes.line[frame.node]});
    return locations_.of({module.empty() ? 0 : modules_.of(module), function, frame.line});
  }

  void write_places() {
    uint64_t number = 0;
    for (const Location* one : locations_.keys()) {
      out_.message(profile::kLocation, [&] {
        out_.varint(location::kId, ++number);
        if (std::get<0>(*one) != 0) out_.varint(location::kMappingId, std::get<0>(*one));
        out_.message(location::kLine, [&] {
          out_.varint(line::kFunctionId, std::get<1>(*one));
          if (std::get<2>(*one) != 0) out_.varint(line::kLine, std::get<2>(*one));
        });
      });
    }
    number = 0;
    for (const Function* one : functions_.keys()) {
      out_.message(profile::kFunction, [&] {
        out_.varint(function::kId, ++number);
        out_.varint(function::kName, std::get<0>(*one));
        out_.varint(function::kSystemName, std::get<0>(*one));
        out_.varint(function::kFileName, std::get<1>(*one));
        out_.varint(function::kStartLine, std::get<2>(*one));
      });
    }
    number = 0;
    for (const std::string* one : modules_.keys()) {
      out_.message(profile::kMapping, [&] {
        out_.varint(mapping::kId, ++number);
        out_.varint(mapping::kFileName, text(*one));
        for (const uint32_t has : {mapping::kHasFunctions, mapping::kHasFileNames, mapping::kHasLineNumbers})
          out_.varint(has, 1);
      });
    }
  }

  void pass_on() {
    blocks_.block().append(out_.bytes());
    out_.clear();
    blocks_.flush();
  }

  const ExportedStacks& stacks_;
  BlockWriter blocks_;
  ProtoWriter out_;
  StringPool texts_;
  Numbers<std::string> modules_;
  Numbers<Function> functions_;
  Numbers<Location> locations_;
};

}  // namespace

void write_pprof(const Session& session, Sink& sink, const ExportOptions& options) {
  const ExportedStacks stacks(session, options.metric);
  PprofWriter(stacks, sink).write();
  sink.finish();
}

}  // namespace cgpu
