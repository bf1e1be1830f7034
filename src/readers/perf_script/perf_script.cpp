#include "readers/perf_script/perf_script.h"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/credentials.h"
#include "base/demangle.h"
#include "base/error.h"
#include "base/json_text.h"
#include "model/processor_time.h"
#include "readers/common/frame_stack.h"
#include "readers/common/input.h"
#include "readers/common/line_reader.h"
#include "readers/perf_script/lines.h"

namespace cgpu::perf_script {

namespace {

constexpr std::string_view kTraceError = "instruction trace error";

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// An event whose periods are nanoseconds.
bool is_clock(std::string_view event) {
  const std::string_view plain = event.substr(0, event.find(':'));
  return plain == "cpu-clock" || plain == "task-clock";
}

/// What `perf record --off-cpu` adds: how long a thread waited, in nanoseconds. These samples have no time of their
/// own.
bool is_off_cpu(std::string_view event) {
  return event.substr(0, event.find(':')) == "offcpu-time";
}

/// A thread under one name of its command: a process that starts a program becomes another.
struct Thread {
  uint32_t profile = 0;
  TrackIndex track = kNone;
  std::unique_ptr<FrameStack> calls;  // of traced branches
  std::vector<size_t> depths;         // of these calls
};

constexpr size_t kMostFrames = 10'000;  // of a sample: perf itself stops at 127 unless told otherwise

class Reader {
 public:
  Reader(TextSource& source, const std::string& path)
      : source_(source), lines_(source), path_(path), run_(new_run(path, "perf-script")) {}

  Run read() {
    for (std::string_view line; lines_.next(line);) read_line(line);
    finish_sample();
    add_source(source_, run_, "damaged_input");
    run_.notes.add("truncated_input", lines_.cut_lines(), "lines longer than 1 MB were cut", true);
    if (sample_count_ == 0 && branch_count_ == 0) throw Error(path_, "has no sample of perf that can be read");
    finish();
    return std::move(run_);
  }

 private:
  static Metric metric_of(const std::string& name, const char* unit, const std::string& about) {
    Metric metric;
    metric.name = name;
    metric.unit = unit;
    metric.about = about;
    return metric;
  }

  void read_line(std::string_view line) {
    if (is_blank(line)) return finish_sample();
    if (line.front() == '#') return read_header(line.substr(1));
    // Entries of a stack begin with a tab, names of commands are often indented with spaces.
    if (line.front() == '\t' && add_frame(line)) return;
    if (const auto sample = parse_sample_line(line)) {
      finish_sample();
      return sample->branch.empty() ? begin_sample(*sample) : add_branch(*sample);
    }
    if (line.front() == ' ' && add_frame(line)) return;
    if (line.find(kTraceError) != std::string_view::npos) {
      return skip("lost_events", "errors of the processor's trace: calls and returns are missing there");
    }
    skip("skipped_event", "lines that are no sample and no entry of a stack were left out");
  }

  bool add_frame(std::string_view line) {
    const auto frame = in_sample_ ? parse_frame_line(line) : std::nullopt;
    if (!frame) return false;
    if (frames_.size() < kMostFrames) {
      frames_.push_back(place_of(*frame));
    } else {
      ++frames_left_out_;
    }
    return true;
  }

  void skip(const char* code, const char* why) {
    ++run_.events.read;
    ++run_.events.skipped;
    run_.notes.add(code, 1, why);
  }

  /// "hostname : node7", of the header that `perf script --header` prints.
  void read_header(std::string_view line) {
    const size_t colon = line.find(" : ");
    if (colon == std::string_view::npos) return;
    const std::string key = valid_utf8(trim_json(line.substr(0, colon)));
    const std::string value = valid_utf8(trim_json(line.substr(colon + 3)));
    if (key == "hostname") run_.host = value;
    if (key == "perf version") run_.format_version = value;
    for (const char* shown : {"os release", "arch", "nrcpus online", "cpudesc", "total memory"}) {
      if (key == shown && !is_secret_value(value)) run_.metadata.emplace_back(key, value);
    }
  }

  uint32_t place_of(const FrameLine& frame) {
    key_.assign(frame.name).append(1, '\0').append(frame.module);
    const auto [at, is_new] = place_of_text_.try_emplace(key_, static_cast<uint32_t>(places_.size()));
    if (is_new) {
      CallPlace place;
      place.name = tree_.names().intern(valid_utf8(demangle(frame.name)));
      place.module = tree_.names().intern(valid_utf8(frame.module));
      places_.push_back(place);
    }
    return at->second;
  }

  Thread& thread_of(const SampleLine& line) {
    const auto key = std::tuple(line.process, line.thread, std::string(line.comm));
    const auto [at, is_new] = threads_.try_emplace(key);
    Thread& thread = at->second;
    if (is_new) {
      CallProfile profile;
      profile.name = valid_utf8(line.comm) + " " + std::to_string(line.thread);
      profile.thread = line.thread;
      thread.profile = tree_.add_profile(std::move(profile));
    }
    if (thread.track == kNone && line.time) {
      Track track;
      track.kind = TrackKind::host_thread;
      track.process = std::to_string(line.process >= 0 ? line.process : line.thread);
      track.thread = std::to_string(line.thread);
      track.process_name = valid_utf8(line.comm);
      thread.track = static_cast<TrackIndex>(run_.timeline.tracks.size());
      run_.timeline.tracks.push_back(std::move(track));
    }
    return thread;
  }

  MetricIndex samples_metric() {
    if (!samples_) {
      Metric metric = metric_of("samples", "", "samples of the call stacks of all events");
      metric.sample_value = 1;
      samples_ = tree_.add_metric(std::move(metric));
    }
    return *samples_;
  }

  MetricIndex metric_of_event(std::string_view event) {
    const auto [at, is_new] = event_metrics_.try_emplace(std::string(event), 0);
    if (is_new) {
      const std::string name = valid_utf8(event);
      const std::string plain = name.substr(0, name.find(':'));
      Metric metric = is_clock(event)     ? metric_of(name, "ns", "time on a processor, as the samples say")
                      : is_off_cpu(event) ? metric_of(name, "ns", "time without a processor, while it waited")
                                          : metric_of(name, "", "sum of the samples' periods");
      if (plain != name) metric.aliases.push_back(plain);
      at->second = tree_.add_metric(std::move(metric));
      if (!main_) main_ = at->second;
    }
    return at->second;
  }

  void begin_sample(const SampleLine& line) {
    in_sample_ = true;
    ++sample_count_;
    Thread& thread = thread_of(line);
    profile_ = thread.profile;
    track_ = thread.track;
    time_ = line.time;
    event_ = line.event;
    period_ = line.period;
    if (!line.rest.empty()) {
      if (const auto frame = parse_frame_line(line.rest)) frames_.push_back(place_of(*frame));
    }
  }

  void finish_sample() {
    if (!in_sample_) return;
    NodeIndex node = 0;
    for (auto place = frames_.rbegin(); place != frames_.rend(); ++place) node = tree_.child(node, *place);
    tree_.add(profile_, samples_metric(), node, 1);
    if (period_) {
      const MetricIndex metric = metric_of_event(event_);
      tree_.add(profile_, metric, node, static_cast<double>(*period_));
      const auto [only, is_new] = only_period_.try_emplace(metric, period_);
      if (!is_new && only->second != period_) only->second.reset();
    } else {
      ++without_period_;
    }
    if (time_ && !is_off_cpu(event_)) add_to_timeline();
    frames_.clear();
    in_sample_ = false;
  }

  /// A sample of a clock stands for the time that has passed on a processor since the one before, which is at most its
  /// period; of other events only the moment is known.
  void add_to_timeline() {
    Timeline& timeline = run_.timeline;
    const StringId place = frames_.empty() ? 0 : places_[frames_.front()].name;
    const StringId name = timeline.names.intern(frames_.empty() ? valid_utf8(event_) : tree_.names()[place]);
    ++run_.events.read;
    if (!is_clock(event_) || !period_ || timeline.slices.size() >= kNone - 1) {
      ++run_.events.instants;
      timeline.instants.push_back({*time_, name, track_});
      return;
    }
    if (!sample_category_) {
      sample_category_ = static_cast<uint16_t>(timeline.categories.size());
      timeline.categories.push_back({std::string(kSampleCategory), SliceKind::other});
    }
    last_sample_.resize(timeline.tracks.size(), INT64_MIN);
    int64_t& last = last_sample_[track_];
    const int64_t start = std::min(std::max(last, *time_ - std::clamp<int64_t>(*period_, 0, *time_)), *time_);
    last = std::max(last, *time_);
    run_.add_slice(
        {.start = start, .duration = *time_ - start, .name = name, .track = track_, .category = *sample_category_});
  }

  /// A call, a return, or another place where the processor left the straight path.
  void add_branch(const SampleLine& line) {
    ++branch_count_;
    const auto symbol = parse_branch_symbol(line.rest);
    Thread& thread = thread_of(line);
    const bool calls = line.branch == "call" || line.branch == "syscall" || line.branch == "int";
    const bool returns = line.branch == "return" || line.branch == "sysret" || line.branch == "iret";
    if (!calls && !returns) {
      ++run_.events.read;
      ++run_.events.instants;
      const std::string name = std::string(line.branch) + (symbol ? " " + demangle(symbol->name) : "");
      run_.timeline.instants.push_back({*line.time, run_.timeline.names.intern(valid_utf8(name)), thread.track});
      return;
    }
    if (!symbol) {
      return skip("skipped_event",
                  "calls and returns without the indented symbol that gives their depth were left out");
    }
    if (!sink_) {
      const MetricIndex time = tree_.add_metric(call_time_metric());
      sink_.emplace(FrameSink{run_, tree_, time, add_frame_category(run_.timeline, "traced call")});
    }
    if (!thread.calls) thread.calls = std::make_unique<FrameStack>(*sink_, thread.track, thread.profile);
    last_branch_ = std::max(last_branch_, *line.time);
    const size_t depth = symbol->depth;
    const size_t keep = calls ? depth : depth + 1;
    int64_t lost = 0;
    for (; !thread.depths.empty() && thread.depths.back() >= keep; ++lost) close(thread, last_branch_);
    run_.notes.add("unmatched_end", lost, "traced calls whose return is not in the trace end where the trace goes on");
    if (calls) {
      thread.calls->open(place_of({symbol->name, {}}), last_branch_);
      thread.depths.push_back(depth);
    } else if (!thread.depths.empty() && thread.depths.back() == depth) {
      close(thread, last_branch_);
      ++run_.events.read;
      ++run_.events.ends;
    } else {
      skip("unmatched_end", "traced returns from functions whose call is not in the trace were left out");
    }
  }

  static void close(Thread& thread, int64_t time) {
    thread.calls->close(time);
    thread.depths.pop_back();
  }

  void finish() {
    int64_t open = 0;
    for (auto& [key, thread] : threads_) {
      for (; !thread.depths.empty(); ++open) close(thread, last_branch_);
    }
    run_.notes.add("unmatched_end", open, "traced calls that had not returned at the end of the trace end with it");
    run_.notes.add("skipped_frame", frames_left_out_,
                   "outermost entries of stacks of more than 10,000 entries were left out");
    if (without_period_ > 0 && main_) {
      run_.notes.add("missing_period", without_period_, "samples without a period count only as samples");
    }
    name_frames(run_.timeline, tree_.names(), places_);
    for (const auto& [metric, period] : only_period_) {
      if (period && *period > 0) tree_.metric(metric).sample_value = static_cast<double>(*period);
    }
    run_.call_tree = tree_.finish(places_);
    run_.call_tree->main_metric = main_ ? main_ : samples_;
    if (!main_ && !samples_ && sink_) run_.call_tree->main_metric = sink_->time;
  }

  TextSource& source_;
  LineReader lines_;
  const std::string& path_;
  Run run_;
  CallTreeBuilder tree_;
  std::vector<CallPlace> places_;
  std::unordered_map<std::string, uint32_t> place_of_text_;  // by name and module, with a zero between them
  std::string key_;
  std::map<std::tuple<int64_t, int64_t, std::string>, Thread> threads_;  // by process, thread, command
  std::optional<MetricIndex> samples_;
  std::map<std::string, MetricIndex, std::less<>> event_metrics_;
  std::map<MetricIndex, std::optional<int64_t>> only_period_;  // of the events; absent where periods differ
  std::optional<MetricIndex> main_;
  std::optional<FrameSink> sink_;
  std::optional<uint16_t> sample_category_;
  std::vector<int64_t> last_sample_;  // of the tracks
  int64_t sample_count_ = 0;
  int64_t branch_count_ = 0;
  int64_t without_period_ = 0;
  int64_t frames_left_out_ = 0;
  int64_t last_branch_ = INT64_MIN;
  // The sample that is being read:
  bool in_sample_ = false;
  uint32_t profile_ = 0;
  TrackIndex track_ = kNone;
  std::optional<int64_t> time_;
  std::string event_;
  std::optional<int64_t> period_;
  std::vector<uint32_t> frames_;  // the innermost first
};

}  // namespace

bool is_script(const Input& input) {
  constexpr int kLines = 64;
  std::string_view rest = input.head;
  for (int i = 0; i < kLines && !rest.empty(); ++i) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_blank(line) || line.front() == '#') continue;
    if (line.front() == '{' || line.front() == '[') return false;
    const auto sample = parse_sample_line(line);
    if (sample && sample->time && (!sample->event.empty() || !sample->branch.empty())) return true;
  }
  return false;
}

Run read_script(const Input& input, const ReadOptions&) {
  return Reader(*input.source, input.path).read();
}

}  // namespace cgpu::perf_script
