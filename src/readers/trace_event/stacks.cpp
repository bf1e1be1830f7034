#include "readers/trace_event/stacks.h"

#include <simdjson.h>

#include <map>
#include <string_view>
#include <unordered_map>

#include "readers/trace_event/stack_tree.h"

namespace cgpu::trace_event {

namespace {

namespace dom = simdjson::dom;

/// A number or string, as text.
std::string text_or_number(dom::element element) {
  std::string_view string;
  int64_t number = 0;
  if (!element.get(string)) return std::string(string);
  if (!element.get(number)) return std::to_string(number);
  return "";
}
std::string text_or_number(const simdjson::simdjson_result<dom::element>& result) {
  dom::element element;
  return result.get(element) ? "" : text_or_number(element);
}

int64_t integer_of(const simdjson::simdjson_result<dom::element>& result, int64_t otherwise) {
  int64_t value = 0;
  return result.get(value) ? otherwise : value;
}

std::string thread_name(const std::string& process, const std::string& thread) {
  return process.empty() ? "thread " + thread : "process " + process + " thread " + thread;
}

/// Frames that name their caller, and the nodes that they get when a sample needs them.
class Frames {
 public:
  explicit Frames(StackTree& tree) : tree_(tree) {}

  struct Frame {
    std::string name, file, module, caller;  // the caller's id, "" for none
    uint32_t line = 0;
    NodeIndex node = kNoNode;
    bool open = false;  // its callers are being looked for
  };

  void add(std::string id, Frame frame) { frames_.try_emplace(std::move(id), std::move(frame)); }

  /// The node of a frame and its callers; kNoNode where there is no such frame. Callers that lead back to the frame, or
  /// to nothing, count as the outermost.
  NodeIndex node(const std::string& id) {
    std::vector<Frame*> stack;  // without a node, the innermost first
    NodeIndex above = 0;
    const auto first = frames_.find(id);
    if (first == frames_.end()) return kNoNode;
    for (auto at = first; at != frames_.end(); at = frames_.find(at->second.caller)) {
      if (at->second.node != kNoNode) {
        above = at->second.node;
        break;
      }
      if (at->second.open) break;
      at->second.open = true;
      stack.push_back(&at->second);
    }
    for (; !stack.empty(); stack.pop_back()) {
      Frame& frame = *stack.back();
      frame.open = false;
      above = frame.node = tree_.child(above, {frame.name, frame.file, frame.module, frame.line});
    }
    return above;
  }

 private:
  StackTree& tree_;
  std::unordered_map<std::string, Frame> frames_;
};

/// `samples`, `stackFrames`, and P events that name a frame.
class NamedStacks {
 public:
  NamedStacks(StackTree& tree, Run& run) : run_(run), tree_(tree), frames_(tree) {}

  void read_frames(const std::string& json) {
    dom::parser parser;
    dom::object object;
    if (parser.parse(json).get(object)) return;
    for (const auto& [id, value] : object) {
      dom::object fields;
      if (value.get(fields)) continue;
      Frames::Frame frame;
      frame.name = text_or_number(fields["name"]);
      frame.module = text_or_number(fields["category"]);
      frame.caller = text_or_number(fields["parent"]);
      frames_.add(std::string(id), std::move(frame));
    }
  }

  void read_samples(const std::string& json) {
    dom::parser parser;
    dom::array array;
    if (parser.parse(json).get(array)) return;
    for (const dom::element element : array) {
      ++run_.events.read;
      add(text_or_number(element["sf"]), thread_name(text_or_number(element["pid"]), text_or_number(element["tid"])));
    }
  }

  void add(const std::string& frame, const std::string& thread) {
    const NodeIndex node = frames_.node(frame);
    if (node == kNoNode) {
      ++run_.events.skipped;
      ++unknown_;
    } else {
      ++run_.events.samples;
      ++samples_;
      tree_.add_sample(tree_.profile(thread), node);
    }
  }

  int64_t samples() const { return samples_; }
  int64_t unknown() const { return unknown_; }

 private:
  Run& run_;
  StackTree& tree_;
  Frames frames_;
  int64_t samples_ = 0;
  int64_t unknown_ = 0;
};

/// Processor profiles of JavaScript: each comes in pieces that add nodes and samples to it.
class CpuProfiles {
 public:
  explicit CpuProfiles(StackTree& tree) : tree_(tree) {}

  void read(const Track& track, const CpuProfile& piece) {
    // The first event of a profile is on the thread that it is of.
    const auto [at, is_new] = profiles_.try_emplace({track.process, piece.id}, tree_);
    Profile& profile_of = at->second;
    if (is_new) profile_of.thread = thread_name(track.process, track.thread);
    dom::object arguments;
    dom::object profile;
    if (parser_.parse(piece.json).get(arguments)) return;
    if (arguments["data"]["cpuProfile"].get(profile)) return;  // the beginning or the end of a profile
    Frames& frames = profile_of.frames;
    dom::array nodes;
    if (!profile["nodes"].get(nodes)) add_nodes(nodes, frames);
    dom::array samples;
    if (profile["samples"].get(samples)) return;
    for (const dom::element element : samples) {
      const NodeIndex node = frames.node(text_or_number(element));
      if (node == kNoNode) {
        ++unknown_;
      } else {
        tree_.add_sample(tree_.profile(profile_of.thread), node);
        ++samples_;
      }
    }
  }

  int64_t samples() const { return samples_; }
  int64_t unknown() const { return unknown_; }

 private:
  static void add_nodes(dom::array nodes, Frames& frames) {
    std::unordered_map<std::string, std::string> parents;  // where nodes list their children instead
    for (const dom::element element : nodes) {
      dom::array children;
      if (element["children"].get(children)) continue;
      for (const dom::element child : children)
        parents.try_emplace(text_or_number(child), text_or_number(element["id"]));
    }
    for (const dom::element element : nodes) {
      const auto call = element["callFrame"];
      Frames::Frame frame;
      frame.name = text_or_number(call["functionName"]);
      if (frame.name == "(root)") frame.node = 0;  // the tree has one
      if (frame.name.empty()) frame.name = "(anonymous)";
      frame.file = text_or_number(call["url"]);
      const int64_t line = integer_of(call["lineNumber"], -1);
      if (line >= 0 && line < INT32_MAX) frame.line = static_cast<uint32_t>(line) + 1;
      std::string id = text_or_number(element["id"]);
      frame.caller = text_or_number(element["parent"]);
      const auto parent = parents.find(id);
      if (frame.caller.empty() && parent != parents.end()) frame.caller = parent->second;
      frames.add(std::move(id), std::move(frame));
    }
  }

  StackTree& tree_;
  dom::parser parser_;
  struct Profile {
    explicit Profile(StackTree& tree) : frames(tree) {}
    Frames frames;
    std::string thread;
  };
  std::map<std::pair<std::string, std::string>, Profile> profiles_;  // by process and id
  int64_t samples_ = 0;
  int64_t unknown_ = 0;
};

}  // namespace

void read_stacks(const Parts& parts, const std::vector<std::pair<std::string, std::string>>& header, Run& run) {
  StackTree tree;
  NamedStacks stacks(tree, run);
  CpuProfiles profiles(tree);
  for (const auto& [key, json] : header) {
    if (key == "stackFrames") stacks.read_frames(json);
  }
  for (const auto& [key, json] : header) {
    if (key == "samples") stacks.read_samples(json);
  }
  for (const Part& part : parts.rows) {
    const Track& track = run.timeline.tracks[part.track];
    if (part.kind == PartKind::sample) {
      stacks.add(std::string(parts.keys[part.key]), thread_name(track.process, track.thread));
    } else if (part.kind == PartKind::cpu_profile) {
      ++run.events.samples;
      profiles.read(track, parts.cpu_profiles[part.key]);
    }
  }
  run.notes.add("unknown_frame", stacks.unknown() + profiles.unknown(),
                "samples of a call stack that is not in the file were left out");
  if (stacks.samples() + profiles.samples() > 0) run.call_tree = tree.finish();
}

}  // namespace cgpu::trace_event
