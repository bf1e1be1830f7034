#include "readers/trace_event/stack_tree.h"

namespace cgpu::trace_event {

StackTree::StackTree() {
  Metric samples;
  samples.name = "samples";
  samples.sample_value = 1;
  samples.about = "samples of the program's call stacks";
  builder_.add_metric(std::move(samples));
}

NodeIndex StackTree::child(NodeIndex caller, const FrameText& frame) {
  StringPool& names = builder_.names();
  return builder_.child(
      caller, CallPlace{names.intern(frame.name), names.intern(frame.file), names.intern(frame.module), frame.line});
}

uint32_t StackTree::profile(const std::string& name) {
  const auto [at, added] = profiles_.try_emplace(name, 0);
  if (added) {
    CallProfile thread;
    thread.name = name;
    at->second = builder_.add_profile(std::move(thread));
  }
  return at->second;
}

CallTree StackTree::finish() {
  CallTree tree = builder_.finish();
  tree.main_metric = 0;
  return tree;
}

}  // namespace cgpu::trace_event
