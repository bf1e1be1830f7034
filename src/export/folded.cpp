// Folded stacks, which flame graphs are drawn from: docs/formats/folded.md, "What cgpu writes".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/string_pool.h"
#include "export/export.h"
#include "export/exported_stacks.h"
#include "table/unicode.h"

namespace cgpu {

namespace {

/// Stacks of functions with what each costs by itself: lines and loops count to their function, and what was called
/// from several lines is one stack.
class StackSums {
 public:
  void add(const TreeOfRun& exported, const ExportedMetric& metric) {
    const auto index = metric.metric.in(*exported.tree);
    if (!index) return;
    const CallTree& tree = *exported.tree;
    const std::vector<double> own = exclusive_values(tree, *index);
    std::vector<uint32_t> place(tree.nodes.size(), kRoot);  // of the stack of each node
    if (!is_absent(exported.rank)) place[0] = stack(kRoot, fmt::format("rank {}", std::get<int64_t>(exported.rank)));
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      if (node > 0) {
        const uint32_t above = place[tree.nodes.parent[node]];
        place[node] =
            is_inside_function(tree.nodes.kind[node]) && above != kRoot ? above : stack(above, tree.name_of(node));
      }
      if (own[node] > 0 && place[node] != kRoot) value_[place[node]] += own[node];
    }
  }

  void write(const ExportedMetric& metric, BlockWriter& blocks) const {
    std::vector<uint32_t> stack;
    for (uint32_t end = 0; end < parent_.size(); ++end) {
      const int64_t value = metric.value_of(value_[end]);
      if (value <= 0) continue;
      stack.clear();
      for (uint32_t at = end; at != kRoot; at = parent_[at]) stack.push_back(at);
      std::string& out = blocks.block();
      for (size_t i = stack.size(); i-- > 0;) {
        out += names_[name_[stack[i]]];
        if (i > 0) out += ';';
      }
      fmt::format_to(std::back_inserter(out), " {}\n", value);
      blocks.flush_if_full();
    }
  }

 private:
  static constexpr uint32_t kRoot = UINT32_MAX;

  /// ';' and the end of a line separate here.
  static std::string as_frame(const std::string& name) {
    std::string frame = printable(name);
    std::replace(frame.begin(), frame.end(), ';', ',');
    return frame.empty() ? "?" : frame;
  }

  uint32_t stack(uint32_t above, const std::string& frame) {
    const StringId name = names_.intern(as_frame(frame));
    const auto [found, is_new] =
        numbers_.try_emplace(uint64_t{above} << 32 | name, static_cast<uint32_t>(parent_.size()));
    if (is_new) {
      parent_.push_back(above);
      name_.push_back(name);
      value_.push_back(0);
    }
    return found->second;
  }

  StringPool names_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by stack above and name
  // By number of a stack:
  std::vector<uint32_t> parent_;
  std::vector<StringId> name_;
  std::vector<double> value_;
};

}  // namespace

void write_folded(const Session& session, Sink& sink, const ExportOptions& options) {
  const ExportedStacks stacks(session, options.metric);
  StackSums sums;
  for (const TreeOfRun& tree : stacks.trees()) sums.add(tree, stacks.metric());
  BlockWriter blocks(sink);
  sums.write(stacks.metric(), blocks);
  blocks.flush();
  sink.finish();
}

}  // namespace cgpu
