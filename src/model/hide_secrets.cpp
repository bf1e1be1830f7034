#include "model/hide_secrets.h"

#include <unordered_map>

#include "base/credentials.h"

namespace cgpu {

namespace {

class Hiding {
 public:
  void text(std::string& text) {
    const size_t found = hide_secrets(text, shown_);
    if (found == 0) return;
    text = shown_;
    hidden_ += static_cast<int64_t>(found);
  }

  void fact(const std::string& key, std::string& value) {
    if (is_secret_value_of(key, value)) {
      value = kHiddenValue;
      ++hidden_;
    } else {
      text(value);
    }
  }

  /// The ids of a pool whose texts changed, with their new ones. Names that become equal become one name.
  class Renaming {
   public:
    void operator()(StringId& id) const {
      const auto renamed = ids_.find(id);
      if (renamed != ids_.end()) id = renamed->second;
    }
    void operator()(std::vector<StringId>& ids) const {
      if (ids_.empty()) return;
      for (StringId& id : ids) (*this)(id);
    }
    void operator()(decltype(Slices::name)& ids) const {
      if (ids_.empty()) return;
      ids.replace_each([this](StringId id) {
        (*this)(id);
        return id;
      });
    }
    bool empty() const { return ids_.empty(); }

   private:
    friend class Hiding;
    std::unordered_map<StringId, StringId> ids_;
  };

  Renaming names(StringPool& pool) {
    Renaming renaming;
    for (StringId id = 1, end = pool.size(); id < end; ++id) {
      const size_t found = hide_secrets(pool[id], shown_);
      if (found == 0) continue;
      renaming.ids_.emplace(id, pool.intern(shown_));
      pool.forget(id);
      hidden_ += static_cast<int64_t>(found);
    }
    return renaming;
  }

  int64_t hidden() const { return hidden_; }

 private:
  std::string shown_;
  int64_t hidden_ = 0;
};

void hide_in(Timeline& timeline, Hiding& hide) {
  const auto rename = hide.names(timeline.names);
  if (!rename.empty()) {
    rename(timeline.slices.name);
    for (Collective& collective : timeline.collectives) {
      for (StringId* id : {&collective.name, &collective.group, &collective.type}) rename(*id);
    }
    for (Instant& instant : timeline.instants) rename(instant.name);
  }
  for (Category& category : timeline.categories) hide.text(category.name);
  for (Track& track : timeline.tracks) {
    for (std::string* text : {&track.process, &track.thread, &track.process_name, &track.thread_name}) hide.text(*text);
    for (std::string& above : track.above) hide.text(above);
  }
  for (CounterTrack& track : timeline.counters.tracks) {
    hide.text(track.process);
    hide.text(track.name);
  }
}

void hide_in(CallTree& tree, Hiding& hide) {
  const auto rename = hide.names(tree.names);
  rename(tree.nodes.name);
  rename(tree.nodes.file);
  rename(tree.nodes.module);
  for (Metric& metric : tree.metrics) {
    for (std::string* text : {&metric.name, &metric.unit, &metric.about, &metric.stall_reason}) hide.text(*text);
    for (std::string& alias : metric.aliases) hide.text(alias);
  }
  for (CallProfile& profile : tree.profiles) hide.text(profile.name);
}

void hide_in(LaunchMetrics& measured, Hiding& hide) {
  const auto rename = hide.names(measured.names);
  for (ProfiledLaunch& launch : measured.launches) {
    hide.text(launch.kernel);
    for (RuleResult& rule : launch.rules) {
      for (std::string* text : {&rule.rule, &rule.section, &rule.severity, &rule.message}) hide.text(*text);
    }
    if (rename.empty()) continue;
    for (MetricValue& metric : launch.metrics) {
      for (StringId* id : {&metric.name, &metric.section, &metric.unit, &metric.text}) rename(*id);
    }
    for (LaunchSection& section : launch.sections) {
      for (StringId* id : {&section.name, &section.title, &section.about}) rename(*id);
      for (SectionMetric& shown : section.metrics) {
        for (StringId* id : {&shown.chart, &shown.label, &shown.metric}) rename(*id);
      }
    }
    for (InstructionCount& count : launch.instruction_counts) rename(count.metric);
  }
  for (DeviceCode& code : measured.codes) {
    hide.text(code.function);
    for (DeviceInstruction& instruction : code.instructions) {
      for (StringId* id : {&instruction.operation, &instruction.file}) rename(*id);
    }
  }
  for (std::vector<std::string>& lines : measured.ptx) {
    for (std::string& line : lines) hide.text(line);
  }
}

void hide_in(OpGraph& graph, Hiding& hide) {
  const auto rename = hide.names(graph.names);
  if (rename.empty()) return;
  for (OpNode& node : graph.nodes) {
    for (StringId* id : {&node.name, &node.input_shapes, &node.input_types, &node.collective}) rename(*id);
  }
}

}  // namespace

void hide_secrets(Run& run) {
  Hiding hide;
  for (std::string* text : {&run.format_version, &run.host}) hide.text(*text);
  for (ParallelGroup& group : run.groups) {
    for (std::string* text : {&group.name, &group.description, &group.backend}) hide.text(*text);
  }
  for (auto& [key, value] : run.metadata) {
    hide.fact(key, value);
    hide.text(key);
  }
  for (Device& device : run.devices) {
    for (std::string* text : {&device.name, &device.vendor, &device.compute_capability}) hide.text(*text);
  }
  hide_in(run.timeline, hide);
  if (run.call_tree) hide_in(*run.call_tree, hide);
  if (run.launch_metrics) hide_in(*run.launch_metrics, hide);
  if (run.op_graph) hide_in(*run.op_graph, hide);
  for (StepTrace& trace : run.step_traces) hide.text(trace.step);
  run.notes.hide_secrets();
  run.notes.add("credentials_present", hide.hidden(),
                "values that look like credentials are in names and facts of the profile; they are shown as [hidden], "
                "but anybody with the file can read them");
}

}  // namespace cgpu
