#include "readers/speedscope/speedscope.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "base/demangle.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/parse_number.h"
#include "model/time_range.h"
#include "readers/common/frame_stack.h"
#include "readers/common/input.h"
#include "readers/common/json_reader.h"
#include "readers/common/py_spy_frames.h"

namespace cgpu::speedscope {

namespace {

using Token = JsonReader::Token;

/// A number as written, in the unit of its profile, which may be said later.
struct Amount {
  int64_t digits = 0;
  int32_t exponent = 0;
};

struct Event {
  Amount at;
  uint32_t frame = 0;
  bool opens = false;
};

struct Profile {
  std::string type;
  std::string name;
  std::string unit;
  std::optional<Amount> start;
  std::optional<Amount> end;
  std::vector<Event> events;
  std::vector<NodeIndex> samples;  // in the tree of stacks
  std::vector<std::optional<Amount>> weights;
};

constexpr uint32_t kMaxFrames = 1U << 28;  // numbers beyond are no frames of any document

std::optional<Amount> amount_of(std::string_view text) {
  const auto decimal = Decimal::parse(text);
  if (!decimal || decimal->exponent > 400 || decimal->exponent < -400) return std::nullopt;
  for (int shift = 0; shift < 40; ++shift) {  // beyond 18 digits the last ones are rounded off
    const auto digits = Decimal{decimal->digits, 0, decimal->sticky}.scaled(-shift);
    if (digits) return Amount{*digits, decimal->exponent + shift};
  }
  return std::nullopt;
}

/// The power of ten that makes nanoseconds of a unit; empty where it is none of time.
std::optional<int> nanosecond_shift(const std::string& unit) {
  if (unit == "nanoseconds") return 0;
  if (unit == "microseconds") return 3;
  if (unit == "milliseconds") return 6;
  if (unit == "seconds") return 9;
  return std::nullopt;
}

std::optional<int64_t> nanoseconds(const Amount& amount, int shift) {
  const auto ns = Decimal{amount.digits, amount.exponent}.scaled(shift);
  return ns && is_time(*ns) ? ns : std::nullopt;
}

/// The thread of a profile that is called `Process 12 Thread 34 "MainThread"`, as py-spy --subprocesses does.
std::optional<PySpyThread> thread_of(std::string_view name) {
  PySpyThread thread;
  if (!take(name, "Process ")) return std::nullopt;
  thread.process = take_digits(name);
  if (thread.process.empty() || !take(name, " Thread ")) return std::nullopt;
  thread.thread = name.substr(0, name.find(' '));
  name.remove_prefix(thread.thread.size());
  if (thread.thread.empty() || !take(name, " \"") || !name.ends_with('"')) return std::nullopt;
  thread.thread_name = name.substr(0, name.size() - 1);
  return thread;
}

double real(const Amount& amount) {
  return static_cast<double>(amount.digits) * std::pow(10.0, amount.exponent);
}

class Reader {
 public:
  Reader(TextSource& source, const std::string& path)
      : source_(source), json_(source), path_(path), run_(new_run(path, "speedscope")) {}

  Run read() {
    if (json_.next() != Token::begin_object) throw Error(path_, "is no JSON object");
    json_.each_member([&](std::string_view key) { read_member(key); });
    json_.note_end(run_.notes, "; what came before it was read");
    add_source(source_, run_, "damaged_input");
    add_profiles();
    if (profiles_ == 0) throw Error(path_, "is a speedscope document without a profile that can be read");
    finish();
    return std::move(run_);
  }

 private:
  void read_member(std::string_view key) {
    const Token value = json_.next();
    if (key == "shared" && value == Token::begin_object) {
      json_.each_member([&](std::string_view part) {
        const Token frames = json_.next();
        if (part != "frames" || frames != Token::begin_array) return json_.skip();
        json_.each_element([&](Token frame) { read_frame(frame); });
      });
    } else if (key == "profiles" && value == Token::begin_array) {
      json_.each_element([&](Token profile) { read_profile(profile); });
    } else if (value == Token::string) {
      if (key == "name" || key == "exporter") run_.metadata.emplace_back(key, json_.text());
      if (key == "version") run_.format_version = json_.text();
    } else {
      json_.skip();
    }
  }

  void read_frame(Token value) {
    CallPlace& place = places_.emplace_back();
    if (value != Token::begin_object) return json_.skip();
    json_.each_member([&](std::string_view key) {
      const Token member = json_.next();
      if (member == Token::string && key == "name") place.name = tree_.names().intern(demangle(json_.text()));
      if (member == Token::string && key == "file") place.file = tree_.names().intern(json_.text());
      if (member == Token::number && key == "line") place.line = parse_number<uint32_t>(json_.text()).value_or(0);
      json_.skip();
    });
  }

  /// The frame that the last token names.
  std::optional<uint32_t> frame() const {
    const auto index = parse_number<uint32_t>(json_.text());
    return index && *index < kMaxFrames ? index : std::nullopt;
  }

  void read_profile(Token value) {
    if (value != Token::begin_object) return json_.skip();
    Profile profile;
    json_.each_member([&](std::string_view key) {
      const Token member = json_.next();
      if (member == Token::string) {
        if (key == "type") profile.type = json_.text();
        if (key == "name") profile.name = json_.text();
        if (key == "unit") profile.unit = json_.text();
      } else if (member == Token::number) {
        if (key == "startValue") profile.start = amount_of(json_.text());
        if (key == "endValue") profile.end = amount_of(json_.text());
      } else if (member == Token::begin_array && key == "events") {
        json_.each_element([&](Token event) { read_event(event, profile); });
      } else if (member == Token::begin_array && key == "samples") {
        json_.each_element([&](Token sample) { read_sample(sample, profile); });
      } else if (member == Token::begin_array && key == "weights") {
        json_.each_element([&](Token weight) {
          profile.weights.push_back(weight == Token::number ? amount_of(json_.text()) : std::nullopt);
          json_.skip();
        });
      } else {
        json_.skip();
      }
    });
    profiles_read_.push_back(std::move(profile));
    if (!places_.empty()) add_profiles();
  }

  void read_event(Token value, Profile& profile) {
    if (value != Token::begin_object) {
      json_.skip();
      return skip("skipped_event", "events that are no objects were left out");
    }
    std::optional<Amount> at;
    std::optional<uint32_t> index;
    std::string type;
    json_.each_member([&](std::string_view key) {
      const Token member = json_.next();
      if (key == "type" && member == Token::string) type = json_.text();
      if (key == "at" && member == Token::number) at = amount_of(json_.text());
      if (key == "frame" && member == Token::number) index = frame();
      json_.skip();
    });
    if (!json_.damage().empty()) return;  // the event is cut off
    if (!at || !index || (type != "O" && type != "C")) {
      return skip("skipped_event", "events without a type, a time or a frame were left out");
    }
    profile.events.push_back({*at, *index, type == "O"});
  }

  /// The node of a stack, whose outermost frame comes first.
  void read_sample(Token value, Profile& profile) {
    NodeIndex node = 0;
    if (value == Token::begin_array) {
      json_.each_element([&](Token entry) {
        const auto index = entry == Token::number ? frame() : std::nullopt;
        if (index) node = stacks_.child(node, *index);
        if (!index) run_.notes.add("invalid_number", 1, "entries of stacks that are no frames were left out", true);
        json_.skip();
      });
    } else {
      json_.skip();
    }
    if (json_.damage().empty()) profile.samples.push_back(node);
  }

  void skip(const char* code, const char* why, int64_t count = 1) {
    run_.events.read += count;
    run_.events.skipped += count;
    run_.notes.add(code, count, why);
  }

  void add_profiles() {
    for (Profile& profile : profiles_read_) add_profile(profile);
    profiles_read_.clear();
  }

  void add_profile(Profile& profile) {
    if (profile.type != "evented" && profile.type != "sampled") {
      run_.notes.add("skipped_event", 1, "profiles that are neither evented nor sampled were left out", true);
      return;
    }
    if (profile.name.empty()) profile.name = "profile " + std::to_string(profiles_);
    ++profiles_;
    std::optional<PySpyThread> thread = thread_of(profile.name);
    if (thread && !profile.samples.empty()) thread->command = functions_of(profile.samples.front()).command;
    CallProfile description;
    description.name = thread ? thread->name() : profile.name;
    const uint32_t number = tree_.add_profile(std::move(description));
    const auto shift = nanosecond_shift(profile.unit);
    if (profile.type == "evented") {
      add_events(profile, add_track(profile, thread), number, shift);
    } else if (shift) {
      add_timed_samples(profile, add_track(profile, thread), number, *shift);
    } else {
      add_samples(profile, number);
    }
  }

  TrackIndex add_track(const Profile& profile, const std::optional<PySpyThread>& thread) {
    Track track;
    track.kind = TrackKind::host_thread;
    track.process = thread ? thread->process : std::to_string(profiles_);
    track.thread = thread ? thread->thread : profile.name;
    if (thread) track.process_name = thread->command;
    if (thread) track.thread_name = thread->thread_name;
    run_.timeline.tracks.push_back(std::move(track));
    return static_cast<TrackIndex>(run_.timeline.tracks.size() - 1);
  }

  MetricIndex time_metric() {
    if (!time_) time_ = tree_.add_metric(call_time_metric());
    return *time_;
  }
  /// The metric of what is not counted in units of time.
  MetricIndex other_metric(const std::string& unit) {
    std::optional<MetricIndex>& metric = unit == "bytes" ? bytes_ : value_;
    if (metric) return *metric;
    Metric description;
    description.name = unit == "bytes" ? "bytes" : "value";
    description.unit = unit == "bytes" ? "B" : "";
    description.about =
        unit == "bytes" ? "bytes, as the samples weigh" : "weight, of a unit that the profile does not say";
    metric = tree_.add_metric(std::move(description));
    return *metric;
  }

  FrameSink sink(bool of_time, const std::string& unit, const char* category) {
    FrameSink sink{run_, tree_, of_time ? time_metric() : other_metric(unit), 0};
    std::vector<Category>& known = run_.timeline.categories;
    const auto found = std::find_if(known.begin(), known.end(), [&](const Category& c) { return c.name == category; });
    sink.category = found == known.end() ? add_frame_category(run_.timeline, category)
                                         : static_cast<uint16_t>(found - known.begin());
    return sink;
  }

  void add_events(const Profile& profile, TrackIndex track, uint32_t number, std::optional<int> shift) {
    if (!shift) {
      run_.notes.add("no_unit", 1, "profiles of calls whose times have no unit of time: one unit is shown as 1 ns");
    }
    FrameSink to = sink(shift.has_value(), profile.unit, "call");
    FrameStack stack(to, track, number);
    int64_t last = INT64_MIN;
    for (const Event& event : profile.events) {
      const auto at = nanoseconds(event.at, shift.value_or(0));
      if (!at) {
        skip("invalid_number", "events whose time cannot be true (beyond a century) were left out");
        continue;
      }
      if (*at < last) run_.notes.add("unsorted", 1, "events that go back in time were taken to be at the time before");
      last = std::max(last, *at);
      if (event.opens) {
        stack.open(event.frame, last);
      } else {
        close(stack, event.frame, last);
      }
    }
    if (stack.depth() == 0) return;
    run_.notes.add("unmatched_end", static_cast<int64_t>(stack.depth()),
                   "calls that do not return were taken to last until the end of the profile");
    const auto end = profile.end ? nanoseconds(*profile.end, shift.value_or(0)) : std::nullopt;
    if (end) last = std::max(last, *end);
    while (stack.depth() > 0) stack.close(last);
  }

  /// A return of what is not innermost returns from all that it called as well.
  void close(FrameStack& stack, uint32_t frame, int64_t at) {
    size_t depth = stack.depth();
    while (depth > 0 && stack.place(depth - 1) != frame) --depth;
    if (depth == 0) return skip("unmatched_end", "returns from functions that were not called were left out");
    if (depth < stack.depth()) {
      run_.notes.add("unmatched_end", static_cast<int64_t>(stack.depth() - depth),
                     "calls were still open when their caller returned: they were taken to return with it");
    }
    while (stack.depth() >= depth) stack.close(at);
    ++run_.events.read;
    ++run_.events.ends;
  }

  /// The number of samples with a weight.
  size_t weighed(const Profile& profile) {
    const auto [fewer, more] = std::minmax({profile.samples.size(), profile.weights.size()});
    run_.notes.add("skipped_event", static_cast<int64_t>(more - fewer),
                   "samples without a weight, or weights without a sample, were left out", true);
    return fewer;
  }

  /// Writes the functions of a sample into functions_; gives what py-spy says below them.
  PySpyThread functions_of(NodeIndex sample) {
    functions_.clear();
    for (NodeIndex node = sample; node != 0; node = stacks_.parent(node)) functions_.push_back(stacks_.place(node));
    PySpyThread thread;
    while (!functions_.empty() && functions_.back() < places_.size() &&
           thread.take_frame(tree_.names()[places_[functions_.back()].name])) {
      functions_.pop_back();
    }
    std::reverse(functions_.begin(), functions_.end());
    return thread;
  }

  void add_samples(const Profile& profile, uint32_t number) {
    const MetricIndex metric = other_metric(profile.unit);
    for (size_t i = 0, count = weighed(profile); i < count; ++i) {
      const double weight = profile.weights[i] ? real(*profile.weights[i]) : kNoValue;
      if (!std::isfinite(weight)) {
        run_.notes.add("invalid_number", 1, "samples whose weight is no number were left out", true);
        continue;
      }
      functions_of(profile.samples[i]);
      NodeIndex node = 0;
      for (const uint32_t function : functions_) node = tree_.child(node, function);
      tree_.add(number, metric, node, weight);
    }
  }

  /// A sample stands for as long as it weighs; a function that is on several in a row is one call.
  void add_timed_samples(const Profile& profile, TrackIndex track, uint32_t number, int shift) {
    FrameSink to = sink(true, profile.unit, "sampled call");
    FrameStack stack(to, track, number);
    int64_t at = (profile.start ? nanoseconds(*profile.start, shift) : std::nullopt).value_or(0);
    for (size_t i = 0, count = weighed(profile); i < count; ++i) {
      const auto weight = profile.weights[i] ? nanoseconds(*profile.weights[i], shift) : std::nullopt;
      if (!weight || *weight < 0 || at + *weight >= kMostTime) {
        run_.notes.add("invalid_number", 1, "samples whose weight is no length of time were left out", true);
        continue;
      }
      functions_of(profile.samples[i]);
      size_t same = 0;
      while (same < std::min(functions_.size(), stack.depth()) && stack.place(same) == functions_[same]) ++same;
      while (stack.depth() > same) stack.close(at);
      for (; same < functions_.size(); ++same) stack.open(functions_[same], at);
      at += *weight;
      if (functions_.empty()) tree_.add(number, to.time, 0, static_cast<double>(*weight));
    }
    while (stack.depth() > 0) stack.close(at);
  }

  void finish() {
    int64_t unknown = 0;
    for (NodeIndex node = 1; node < tree_.nodes(); ++node) unknown += tree_.place(node) >= places_.size() ? 1 : 0;
    run_.notes.add("damaged_input", unknown, "places in the program whose frame is not in the list of frames", true);
    name_frames(run_.timeline, tree_.names(), places_);
    run_.call_tree = tree_.finish(places_);
    run_.call_tree->main_metric = time_ ? time_ : value_ ? value_ : bytes_;
  }

  TextSource& source_;
  JsonReader json_;
  const std::string& path_;
  Run run_;
  CallTreeBuilder tree_;
  CallTreeBuilder stacks_;              // the samples' stacks as they are in the file
  std::vector<CallPlace> places_;       // the frames
  std::vector<Profile> profiles_read_;  // not added yet: what is no function is known by the frames
  std::vector<uint32_t> functions_;     // of one sample, from the outermost in
  int64_t profiles_ = 0;
  std::optional<MetricIndex> time_;
  std::optional<MetricIndex> value_;
  std::optional<MetricIndex> bytes_;
};

}  // namespace

bool is_profile(const Input& input) {
  const std::string_view head = trim_json(input.head);
  return head.starts_with('{') && (head.find("speedscope.app/file-format-schema") != std::string_view::npos ||
                                   head.find("\"speedscope@") != std::string_view::npos);
}

Run read_profile(const Input& input, const ReadOptions&) {
  return Reader(*input.source, input.path).read();
}

}  // namespace cgpu::speedscope
