#include "readers/hpctoolkit/traces.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/processor_time.h"
#include "model/sample_length.h"
#include "model/time_range.h"
#include "readers/hpctoolkit/structures.h"

namespace cgpu::hpctoolkit {

namespace {

/// What an operation or a sample is, by the place in the call tree that it names.
struct Activity {
  StringId name = 0;
  uint16_t category = 0;
  CopyKind copy = CopyKind::none;
  bool known = false;
};

enum CategoryIndex : uint16_t { sample, kernel, copy, memset_, synchronization, other };
const std::vector<Category>& categories() {
  static const std::vector<Category> list{{std::string(kSampleCategory), SliceKind::other},
                                          {"gpu kernel", SliceKind::kernel},
                                          {"gpu copy", SliceKind::memcpy},
                                          {"gpu memset", SliceKind::memset},
                                          {"gpu sync", SliceKind::synchronization},
                                          {"gpu other", SliceKind::other}};
  return list;
}

struct Placeholder {
  std::string_view name;
  CategoryIndex category;
  CopyKind copy;
};
// HPCToolkit puts every operation of a device under a function of such a name, below the call that started it.
constexpr Placeholder kPlaceholders[] = {
    {"<gpu kernel>", kernel, CopyKind::none},    {"<gpu copy>", copy, CopyKind::unknown},
    {"<gpu copyin>", copy, CopyKind::HtoD},      {"<gpu copyout>", copy, CopyKind::DtoH},
    {"<gpu memset>", memset_, CopyKind::memset}, {"<gpu sync>", synchronization, CopyKind::none},
    {"<gpu alloc>", other, CopyKind::none},      {"<gpu delete>", other, CopyKind::none},
    {"<gpu trace>", other, CopyKind::none},      {"<no activity>", other, CopyKind::none},
};

class TraceReader {
 public:
  TraceReader(const Bytes& file, const Meta& meta, const Profiles& profiles, const Processes& processes, Run& run)
      : file_(file),
        meta_(meta),
        tree_(*run.call_tree),
        profiles_(profiles),
        processes_(processes),
        run_(run),
        timeline_(run.timeline) {
    timeline_.categories = categories();
    node_names_.resize(tree_.nodes.size());
  }

  void read() {
    const auto header = read_file_header(file_, "trce", 1);
    const auto section = header ? read_structure<ContextTraces>(file_, header->sections[0].offset) : std::nullopt;
    if (!section) {
      run_.notes.add("damaged_input", 1, "trace.db is cut off or damaged: there is no timeline", true);
      return;
    }
    run_.clock_is_unix = true;
    run_.clock_base = section->earliest < kMostTime ? static_cast<int64_t>(section->earliest) : 0;
    const Array traces = file_.clip(section->traces, ContextTrace::kEnd);
    cut_ += static_cast<int64_t>(section->traces.count - traces.count);
    std::vector<ContextTrace> found;
    uint64_t elements = 0;
    for (uint64_t i = 0; i < traces.count; ++i) {
      const auto trace = read_structure<ContextTrace>(file_, traces[i]);
      // Traces do not overlap in a sound file, so that all together are no longer than it.
      if (!trace || (elements + trace->elements.count) * TraceElement::kEnd > file_.size()) {
        ++cut_;
        continue;
      }
      elements += trace->elements.count;
      cut_ += trace->cut ? 1 : 0;
      found.push_back(*trace);
    }
    number_devices();
    find_sample_lengths(found);
    for (const ContextTrace& trace : found) read_trace(trace);
    run_.events.read = static_cast<int64_t>(elements);
    report();
  }

 private:
  /// A device is what the identities call one; without a name of its own, each context (a process has one for each
  /// device).
  void number_devices() {
    std::map<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>, int32_t> numbers;
    bool one_process = true;
    bool named = true;
    const Identity* first = nullptr;
    for (const Identity& id : profiles_.identities()) {
      if (!id.stream) continue;
      if (!first) first = &id;
      one_process = one_process && first->node == id.node && first->rank == id.rank;
      named = named && id.device && *id.device <= INT32_MAX;
    }
    for (const Identity& id : profiles_.identities()) {
      if (!id.stream) {
        devices_.push_back(-1);
      } else if (one_process && named) {
        devices_.push_back(static_cast<int32_t>(*id.device));
      } else {
        const auto key = std::tuple(id.node.value_or(0), id.rank.value_or(0), id.device.value_or(0),
                                    id.device ? 0 : id.context.value_or(0));
        devices_.push_back(numbers.try_emplace(key, static_cast<int32_t>(numbers.size())).first->second);
      }
    }
  }

  const Identity& identity_of(const ContextTrace& trace) const {
    static const Identity kUnknown;
    const auto profile = profiles_.profile_at(trace.profile);
    return profile ? profiles_.identities()[*profile] : kUnknown;
  }

  /// The most that a sample of each thread is drawn for; of threads of few samples by those of all of them.
  void find_sample_lengths(const std::vector<ContextTrace>& traces) {
    constexpr size_t kEnough = 8;
    std::vector<int64_t> of_all;
    std::vector<uint32_t> of_few;
    for (const ContextTrace& trace : traces) {
      if (identity_of(trace).stream) continue;
      std::vector<int64_t> distances;
      for (uint64_t i = 0; i + 1 < trace.elements.count; ++i) {
        const Fields element = file_.known_fields(trace.elements[i]);
        const uint64_t start = element.u64(TraceElement::kTimestamp);
        const uint64_t end = file_.known_fields(trace.elements[i + 1]).u64(TraceElement::kTimestamp);
        const bool sampled = element.u32(TraceElement::kContext) != kNotRunning;
        if (sampled && start < end && end < kMostTime) distances.push_back(static_cast<int64_t>(end - start));
      }
      of_all.insert(of_all.end(), distances.begin(), distances.end());
      if (distances.size() < kEnough) {
        of_few.push_back(trace.profile);
      } else {
        most_[trace.profile] = sample_length(std::move(distances)).most;
      }
    }
    if (of_all.empty()) return;
    const int64_t most = sample_length(std::move(of_all)).most;
    for (const uint32_t position : of_few) most_[position] = most;
  }

  void read_trace(const ContextTrace& trace) {
    const auto profile = profiles_.profile_at(trace.profile);
    const Identity& identity = identity_of(trace);
    const auto limit = most_.find(trace.profile);
    const int64_t most = limit == most_.end() ? INT64_MAX : limit->second;
    const bool on_device = identity.stream.has_value();
    if (trace.elements.count == 0) {
      empty_threads_ += on_device ? 0 : 1;
      return;
    }
    const auto track = static_cast<TrackIndex>(timeline_.tracks.size());
    timeline_.tracks.push_back(track_of(identity, trace.profile, profile ? processes_.of(*profile) : 0));
    const int32_t device = profile ? devices_[*profile] : -1;
    for (uint64_t i = 0; i < trace.elements.count; ++i) {
      const Fields element = file_.known_fields(trace.elements[i]);
      const bool last = i + 1 == trace.elements.count;
      const uint64_t start = element.u64(TraceElement::kTimestamp);
      const uint64_t end = last ? start : file_.known_fields(trace.elements[i + 1]).u64(TraceElement::kTimestamp);
      const uint32_t context = element.u32(TraceElement::kContext);
      if (context == kNotRunning) {
        ++run_.events.instants;
      } else if (start >= kMostTime || end >= kMostTime) {
        ++bad_times_;
      } else {
        if (last && on_device) ++open_ends_;
        const auto begin = static_cast<int64_t>(start);
        const bool shortened = end > start && static_cast<int64_t>(end) - begin > most;
        shortened_ += shortened ? 1 : 0;
        add_slice(track, begin, shortened ? begin + most : static_cast<int64_t>(end), context, identity, device,
                  trace.elements[i]);
      }
    }
  }

  void add_slice(TrackIndex track, int64_t start, int64_t end, uint32_t context, const Identity& identity,
                 int32_t device, uint64_t source) {
    const Activity& activity = activity_of(context, identity.stream.has_value());
    if (end < start) ++backward_;
    const SliceIndex slice = run_.add_slice({.start = start - run_.clock_base,
                                             .duration = std::max<int64_t>(end - start, 0),
                                             .source = source,
                                             .name = activity.name,
                                             .track = track,
                                             .category = activity.category});
    if (!is_device_op(timeline_.kind(slice))) return;
    const bool moves = activity.category == copy;
    const bool fills = activity.category == memset_;
    timeline_.device_ops.append({.slice = slice,
                                 .device = device,
                                 .stream = static_cast<int64_t>(*identity.stream),
                                 .copy = activity.copy,
                                 .source = moves ? MemoryKind::unknown : MemoryKind::none,
                                 .destination = moves || fills ? MemoryKind::unknown : MemoryKind::none});
  }

  /// The function at a context; on a stream, which operation it is: that of the placeholder at or above it.
  const Activity& activity_of(uint32_t context, bool on_device) {
    const NodeIndex node = meta_.contexts.node_of(context);
    if (node == kNoNode) {
      ++unknown_contexts_;
      unknown_ = {timeline_.names.intern("<unknown>"), on_device ? kernel : sample, CopyKind::none, true};
      return unknown_;
    }
    Activity& activity = node_names_[node];
    if (activity.known) return activity;
    activity = {timeline_.names.intern(tree_.name_of(tree_.function_of(node))), on_device ? kernel : sample,
                CopyKind::none, true};
    for (NodeIndex at = node; on_device && at != kNoNode; at = tree_.nodes.parent[at]) {
      const std::string_view name = tree_.names[tree_.nodes.name[at]];
      const auto found = std::find_if(std::begin(kPlaceholders), std::end(kPlaceholders),
                                      [&](const Placeholder& p) { return p.name == name; });
      if (found == std::end(kPlaceholders)) continue;
      activity.category = found->category;
      activity.copy = found->copy;
      break;
    }
    return activity;
  }

  Track track_of(const Identity& id, uint32_t position, uint32_t process) const {
    Track track;
    track.kind = id.stream ? TrackKind::device_stream : id.thread ? TrackKind::host_thread : TrackKind::other;
    track.process = id.rank ? "rank " + std::to_string(*id.rank) : "process";
    track.process_name = meta_.title;
    if (process > 0) {
      track.process = (id.rank ? track.process + " " : "") + "process " + std::to_string(process);
      track.process_name = processes_.programs[process - 1];
    }
    if (id.rank && *id.rank <= INT64_MAX) track.rank = static_cast<int64_t>(*id.rank);
    track.thread = id.stream   ? "stream " + std::to_string(*id.stream)
                   : id.thread ? "thread " + std::to_string(*id.thread)
                               : "profile " + std::to_string(position);
    track.sampled = true;
    return track;
  }

  void report() {
    Notes& notes = run_.notes;
    run_.events.skipped += bad_times_;
    if (cut_ > 0) notes.add("damaged_input", cut_, "traces that trace.db holds only in part", true);
    if (bad_times_ > 0) notes.add("invalid_number", bad_times_, "elements of traces at impossible times", true);
    if (backward_ > 0) {
      notes.add("negative_duration", backward_,
                "elements of a trace that come before the one ahead of them: duration 0");
    }
    if (unknown_contexts_ > 0) {
      notes.add("damaged_input", unknown_contexts_, "elements of traces at a context that is not in the call tree",
                true);
    }
    if (open_ends_ > 0) {
      notes.add("unmatched_end", open_ends_, "operations of a device whose end was not recorded: duration 0");
    }
    notes.add("shortened_sample", shortened_,
              "samples that the next one follows later than usual (beyond 1.5 times the middle distance on their "
              "thread) stand for that long: what their threads did after it is unknown");
    if (empty_threads_ > 0) {
      notes.add("missing_calls", empty_threads_,
                "threads were not sampled, only their device operations: what the host did meanwhile is unknown");
    }
  }

  static constexpr uint32_t kNotRunning = 0;

  const Bytes& file_;
  const Meta& meta_;
  const CallTree& tree_;
  const Profiles& profiles_;
  const Processes& processes_;
  Run& run_;
  Timeline& timeline_;
  std::vector<int32_t> devices_;      // of the profiles; -1 for threads
  std::map<uint32_t, int64_t> most_;  // ns that a sample is drawn for, by position of the thread's profile
  std::vector<Activity> node_names_;
  Activity unknown_;
  int64_t cut_ = 0, bad_times_ = 0, backward_ = 0, unknown_contexts_ = 0, open_ends_ = 0, empty_threads_ = 0,
          shortened_ = 0;
};

/// Reads the context of a trace element again.
class TraceNodes : public SampledNodes {
 public:
  TraceNodes(std::shared_ptr<const MappedFile> trace, ContextNodes contexts)
      : mapped_(std::move(trace)), file_(mapped_->bytes()), contexts_(std::move(contexts)) {}

  NodeIndex node_of(uint64_t source) const override {
    const auto element = file_.fields(source, TraceElement::kEnd);
    return element ? contexts_.node_of(element->u32(TraceElement::kContext)) : kNoNode;
  }

 private:
  std::shared_ptr<const MappedFile> mapped_;
  Bytes file_;
  ContextNodes contexts_;
};

}  // namespace

std::shared_ptr<const SampledNodes> sampled_nodes(std::shared_ptr<const MappedFile> trace, ContextNodes contexts) {
  return std::make_shared<TraceNodes>(std::move(trace), std::move(contexts));
}

void read_traces(const Bytes& file, const Meta& meta, const Profiles& profiles, const Processes& processes, Run& run) {
  TraceReader(file, meta, profiles, processes, run).read();
}

std::vector<CallProfile> call_profiles(const std::vector<Identity>& identities, const Processes& processes) {
  const bool several_nodes = std::any_of(identities.begin(), identities.end(),
                                         [&](const Identity& id) { return id.node != identities.front().node; });
  std::vector<CallProfile> profiles;
  for (const Identity& id : identities) {
    CallProfile profile;
    const auto add = [&](const char* what, const std::optional<uint64_t>& value) {
      if (!value) return;
      if (!profile.name.empty()) profile.name += ' ';
      profile.name += what + std::to_string(*value);
    };
    if (several_nodes) add("node ", id.node);
    add("rank ", id.rank);
    const uint32_t process = processes.of(static_cast<uint32_t>(profiles.size()));
    if (process > 0) add("process ", process);
    add("thread ", id.thread);
    add("GPU ", id.device);
    add("GPU context ", id.context);
    add("stream ", id.stream);
    if (profile.name.empty()) profile.name = "profile " + std::to_string(profiles.size());
    if (process > 0 && !processes.programs[process - 1].empty()) {
      profile.name += " (" + processes.programs[process - 1] + ")";
    }
    if (id.rank) profile.rank = static_cast<int64_t>(*id.rank);
    if (id.thread) profile.thread = static_cast<int64_t>(*id.thread);
    profile.device = id.stream.has_value();
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

}  // namespace cgpu::hpctoolkit
