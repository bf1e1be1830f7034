// A call tree of samples, from functions by their names.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "readers/common/call_tree_builder.h"

namespace cgpu::trace_event {

/// A function as a profile names it; absent facts are empty.
struct FrameText {
  std::string_view name;
  std::string_view file;
  std::string_view module;
  uint32_t line = 0;
};

class StackTree {
 public:
  StackTree();

  /// The node of a frame: equal frames of one caller are one node. 0 is the root.
  NodeIndex child(NodeIndex caller, const FrameText& frame);
  /// The number of a thread, by a name of its own.
  uint32_t profile(const std::string& name);
  void add_sample(uint32_t profile, NodeIndex node) { builder_.add(profile, 0, node, 1); }
  /// The tree; the builder is spent.
  CallTree finish();

 private:
  CallTreeBuilder builder_;
  std::map<std::string, uint32_t> profiles_;
};

}  // namespace cgpu::trace_event
