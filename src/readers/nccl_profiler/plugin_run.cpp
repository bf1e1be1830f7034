#include "readers/nccl_profiler/plugin_run.h"

#include <algorithm>
#include <utility>

#include "base/json_text.h"

namespace cgpu::nccl_profiler {

namespace {

constexpr double kMsOfNs = 1e-6;

void earlier(std::optional<int64_t>& than, std::optional<int64_t> time) {
  if (time) than = std::min(*time, than.value_or(*time));
}
void later(std::optional<int64_t>& than, std::optional<int64_t> time) {
  if (time) than = std::max(*time, than.value_or(*time));
}

}  // namespace

void PluginRun::add_communicator(const std::string& group, int64_t rank, std::optional<int64_t> size,
                                 const std::string& name) {
  if (group.empty() || rank < 0 || rank > INT32_MAX) return;
  const auto [at, added] = communicators_[group].try_emplace(rank);
  ParallelGroup& made = at->second;
  if (added) {
    made.name = valid_utf8(group);
    made.description = valid_utf8(name);
    made.backend = "nccl";
    made.place = rank;
  }
  if (size && *size > rank && *size <= INT32_MAX) made.size = *size;
}

size_t PluginRun::add(const PluginCollective& collective) {
  const size_t next = entries_.size();
  if (!collective.launch.empty()) {
    const auto [at, added] = by_launch_.try_emplace(collective.launch + ' ' + collective.name, next);
    if (!added) {
      PluginCollective& of = entries_[at->second].of;
      if (of.type != collective.type || collective.count < 0 ||
          __builtin_add_overflow(of.count, collective.count, &of.count)) {
        of.count = -1;
      }
      return at->second;
    }
  }
  entries_.push_back({collective, {}, {}, {}, {}});
  return next;
}

void PluginRun::add_channel(size_t collective, std::optional<int64_t> start, std::optional<int64_t> end,
                            std::optional<int64_t> device_start, std::optional<int64_t> device_end) {
  Entry& entry = entries_[collective];
  earlier(entry.start, start);
  later(entry.end, end);
  earlier(entry.device_start, device_start);
  later(entry.device_end, device_end);
}

void PluginRun::add_call(const std::string& process, const std::string& thread, const std::string& name, int64_t start,
                         int64_t end) {
  into_.add_slice({.start = start,
                   .name = into_.timeline.names.intern(valid_utf8(name)),
                   .track = into_.thread_track(valid_utf8(process), valid_utf8(thread)),
                   .category = into_.category("nccl", SliceKind::annotation)},
                  end);
}

void PluginRun::add_step(const std::string& process, const std::string& lane, const std::string& name, int64_t start,
                         int64_t end) {
  steps_[{valid_utf8(process), valid_utf8(lane)}].push_back(
      {start, end, into_.timeline.names.intern(valid_utf8(name))});
}

void PluginRun::finish() {
  set_ranks();
  bool several_ranks = false;
  for (const auto& [group, ranks] : communicators_) several_ranks |= ranks.size() > 1;
  for (const Entry& entry : entries_) add_op(entry, several_ranks);
  place_steps();
}

/// The rank of a process is that in its largest communicator, where all of that size agree.
void PluginRun::set_ranks() {
  int64_t largest = 0;
  for (const auto& [id, ranks] : communicators_) {
    const ParallelGroup& group = ranks.begin()->second;
    const bool is_one = ranks.size() == 1;
    if (is_one) run_.groups.push_back(group);
    const int64_t size = std::max<int64_t>(group.size, 1);
    if (size > largest) {
      largest = size;
      run_.rank = is_one ? group.place.value_or(0) : 0;
      run_.rank_known = is_one;
    } else if (size == largest && (!is_one || group.place != run_.rank)) {
      run_.rank_known = false;
    }
  }
  if (!run_.rank_known) run_.rank = 0;
}

void PluginRun::add_op(const Entry& entry, bool several_ranks) {
  const PluginCollective& of = entry.of;
  RecordedCollective made;
  made.group = valid_utf8(of.group);
  made.name = valid_utf8(of.name);
  made.type = valid_utf8(of.type);
  made.is_p2p = of.is_p2p;
  made.sequence = made.p2p_sequence = of.sequence;
  made.state = "completed";
  made.started = entry.start;
  made.completed = entry.end;
  if (several_ranks && of.rank >= 0 && of.rank <= INT32_MAX) made.device = static_cast<int32_t>(of.rank);
  std::optional<int64_t> size;
  if (const auto group = communicators_.find(of.group); group != communicators_.end()) {
    if (const auto rank = group->second.find(of.rank); rank != group->second.end() && rank->second.size > 0) {
      size = rank->second.size;
      made.group_size = static_cast<int32_t>(*size);
    }
  }
  set_elements(made, of.count, size);
  int64_t on_device = 0;
  if (const auto kernel = kernels_.find(of.external); kernel != kernels_.end()) {
    made.device = kernel->second.device;
    made.started = kernel->second.start;
    made.completed = kernel->second.end;
  } else if (entry.device_start && entry.device_end &&
             !__builtin_sub_overflow(*entry.device_end, *entry.device_start, &on_device) && on_device > 0) {
    // The host sees a kernel begin late, where it is busy with other ranks.
    made.duration_ms = static_cast<double>(on_device) * kMsOfNs;
  }
  if (!made.completed) {
    ++run_.events.read;
    return skip("skipped_event", "collectives without an end in the log were left out");
  }
  if (!made.started) made.started = made.completed;
  collectives_.add_completed(made);
}

void PluginRun::place_steps() {
  const uint16_t category = into_.category("step", SliceKind::other);
  for (auto& [key, steps] : steps_) {
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.start < b.start; });
    std::vector<int64_t> lane_ends;
    for (const Step& step : steps) {
      auto lane = std::find_if(lane_ends.begin(), lane_ends.end(), [&](int64_t end) { return end <= step.start; });
      if (lane == lane_ends.end()) lane = lane_ends.insert(lane, INT64_MIN);
      *lane = std::max(step.start, step.end);
      const int64_t number = lane - lane_ends.begin() + 1;
      const std::string name = number == 1 ? key.second : key.second + " #" + std::to_string(number);
      into_.add_slice(
          {.start = step.start, .name = step.name, .track = into_.thread_track(key.first, name), .category = category},
          step.end);
    }
  }
}

}  // namespace cgpu::nccl_profiler
