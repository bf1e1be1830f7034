#include "readers/tensorrt/tensorrt.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/parse_number.h"
#include "readers/common/call_tree_builder.h"
#include "readers/common/input.h"
#include "readers/common/json_reader.h"
#include "readers/common/timeline_builder.h"

namespace cgpu::tensorrt {

namespace {

using Token = JsonReader::Token;

/// The members of an object: numbers as written, texts.
using Fields = std::map<std::string, std::string, std::less<>>;
constexpr size_t kMostFields = 100;

std::string_view text_of(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? std::string_view() : found->second;
}

/// Nanoseconds of a member in milliseconds.
std::optional<int64_t> nanoseconds(const Fields& fields, std::string_view key) {
  const auto decimal = Decimal::parse(text_of(fields, key));
  return decimal ? decimal->scaled(6) : std::nullopt;
}

/// Calls visit(fields) for each object of the list that the document is.
template <typename Visit>
void each_record(JsonReader& json, Visit visit) {
  if (json.next() != Token::begin_array) return;
  json.each_object([&] {
    Fields fields;
    json.each_member([&](std::string_view key) {
      const Token value = json.next();
      if (value != Token::string && value != Token::number) return json.skip();
      if (fields.size() < kMostFields) fields.emplace(key, json.text());
    });
    visit(fields);
  });
}

// ---------------------------------------------------------------- layers

/// The layers of an engine, with what all runs took in each.
class LayerReader {
 public:
  explicit LayerReader(Run& run) : run_(run) {
    Metric time;
    time.name = "time";
    time.unit = "ns";
    time.about = "time of the layer in all runs";
    time_ = tree_.add_metric(std::move(time));
    Metric runs;
    runs.name = "runs";
    runs.about = "runs of the engine that were measured";
    runs.additive = false;
    runs_ = tree_.add_metric(std::move(runs), Combine::only);
    Metric average;
    average.name = "average";
    average.unit = "ns";
    average.about = "average time of the layer in a run";
    average.additive = false;
    average_ = tree_.add_metric(std::move(average), Combine::only);
    Metric median;
    median.name = "median";
    median.unit = "ns";
    median.about = "median time of the layer in a run";
    median.additive = false;
    median_ = tree_.add_metric(std::move(median), Combine::only);
    tree_.add_profile({});
  }

  void add(const Fields& fields) {
    ++run_.events.read;
    if (const auto count = parse_number(text_of(fields, "count")); count && text_of(fields, "name").empty()) {
      ++run_.events.metadata;
      count_ = *count;
      return;
    }
    const auto time = nanoseconds(fields, "timeMs");
    const std::string_view name = text_of(fields, "name");
    if (!time || *time < 0 || name.empty()) {
      ++run_.events.skipped;
      run_.notes.add("skipped_event", 1, "layers without a name and a time were left out");
      return;
    }
    ++run_.events.samples;
    const NodeIndex node = tree_.child_named(0, name);
    tree_.add(0, time_, node, static_cast<double>(*time));
    if (count_ > 0) tree_.add_inclusive(0, runs_, node, static_cast<double>(count_));
    const auto add_of_a_run = [&](std::string_view key, MetricIndex metric) {
      if (const auto ns = nanoseconds(fields, key)) tree_.add_inclusive(0, metric, node, static_cast<double>(*ns));
    };
    add_of_a_run("averageMs", average_);
    add_of_a_run("medianMs", median_);
  }

  void finish() {
    if (count_ > 0) {
      tree_.add_inclusive(0, runs_, 0, static_cast<double>(count_));
      run_.metadata.emplace_back("runs", std::to_string(count_));
    }
    run_.call_tree = tree_.finish();
    run_.call_tree->main_metric = time_;
  }

 private:
  Run& run_;
  CallTreeBuilder tree_;
  MetricIndex time_ = 0;
  MetricIndex runs_ = 0;
  MetricIndex average_ = 0;
  MetricIndex median_ = 0;
  int64_t count_ = 0;
};

// ---------------------------------------------------------------- runs

/// The runs of an engine, one after another or several at a time.
class RunReader {
 public:
  explicit RunReader(Run& run) : run_(run), into_(run) {}

  void add(const Fields& fields) {
    ++run_.events.read;
    const auto start = nanoseconds(fields, "startComputeMs");
    const auto end = nanoseconds(fields, "endComputeMs");
    if (!start || !end) return into_.skip("skipped_event", "runs without a start and an end were left out");
    const int64_t number = ++runs_;
    const auto first = nanoseconds(fields, "startH2dMs");
    const auto last = nanoseconds(fields, "endD2hMs");
    const auto enqueued = nanoseconds(fields, "startEnqMs");
    const auto returned = nanoseconds(fields, "endEnqMs");
    const TrackIndex host = into_.thread_track("trtexec", "runs");
    // An iteration has the ops that are launched in its mark; the next run is put in the queue while this one computes.
    const bool has_call = enqueued && returned && *enqueued <= *returned;
    const SliceIndex mark = add_slice("iteration " + std::to_string(number), host, SliceKind::annotation,
                                      has_call ? *enqueued : first.value_or(*start),
                                      has_call ? *returned : last.value_or(*end), kNoCorrelation);
    if (mark == kNone) return;
    // The slices of one run are one event of the file.
    const auto add_part = [&](const char* from, const char* to, const auto& visit) {
      const auto begin = nanoseconds(fields, from);
      const auto finish = nanoseconds(fields, to);
      // Times have six digits: a short call may have lost its length.
      if (begin && finish && *begin <= *finish) visit(*begin, *finish);
    };
    add_part("startEnqMs", "endEnqMs", [&](int64_t from, int64_t to) {
      add_slice("enqueue", into_.thread_track("trtexec", "enqueue"), SliceKind::runtime_call, from, to, number);
    });
    const int64_t stream = take_stream(first.value_or(*start), last.value_or(*end));
    add_part("startH2dMs", "endH2dMs", [&](int64_t from, int64_t to) {
      if (from == to) return;  // nothing was copied
      add_op("Memcpy HtoD", SliceKind::memcpy, CopyKind::HtoD, stream, from, to, number);
    });
    add_op("inference", SliceKind::kernel, CopyKind::none, stream, *start, *end, number);
    add_part("startD2hMs", "endD2hMs", [&](int64_t from, int64_t to) {
      if (from == to) return;
      add_op("Memcpy DtoH", SliceKind::memcpy, CopyKind::DtoH, stream, from, to, number);
    });
  }

  int64_t runs() const { return runs_; }

 private:
  SliceIndex add_slice(const std::string& name, TrackIndex track, SliceKind kind, int64_t start, int64_t end,
                       int64_t correlation) {
    const int64_t skipped = run_.events.skipped;
    const int64_t slices = run_.events.slices;
    const SliceIndex slice = into_.add_slice({.start = start,
                                              .correlation = correlation,
                                              .name = run_.timeline.names.intern(name),
                                              .track = track,
                                              .category = into_.category(text_of(kind), kind)},
                                             end);
    // More than one slice an event: all are counted as read.
    const bool first = kind == SliceKind::annotation;
    if (!first) run_.events.read += run_.events.skipped - skipped + run_.events.slices - slices;
    return slice;
  }

  void add_op(const std::string& name, SliceKind kind, CopyKind copy, int64_t stream, int64_t start, int64_t end,
              int64_t correlation) {
    DeviceOp op;
    op.slice = add_slice(name, into_.stream_track(0, stream), kind, start, end, correlation);
    op.device = 0;
    op.stream = stream;
    op.copy = copy;
    if (kind == SliceKind::memcpy) {
      op.source = copy == CopyKind::HtoD ? MemoryKind::host : MemoryKind::device;
      op.destination = copy == CopyKind::HtoD ? MemoryKind::device : MemoryKind::host;
    }
    if (op.slice != kNone) run_.timeline.device_ops.append(op);
  }

  /// Runs that overlap are of different streams, which the file does not name.
  int64_t take_stream(int64_t start, int64_t end) {
    auto free = std::find_if(busy_until_.begin(), busy_until_.end(), [&](int64_t until) { return until <= start; });
    if (free == busy_until_.end()) free = busy_until_.insert(free, 0);
    *free = end;
    return free - busy_until_.begin();
  }

  Run& run_;
  TimelineBuilder into_;
  int64_t runs_ = 0;
  std::vector<int64_t> busy_until_;
};

enum class Kind : uint8_t { none, layers, runs };

Kind kind_of(std::string_view head) {
  const auto take = [&](std::string_view token) { return take_json(head, token); };
  const std::string_view whole = head;
  if (!take("[") || !take("{")) return Kind::none;
  const auto has = [&](std::string_view key) { return whole.find(key) != std::string_view::npos; };
  if (take("\"count\"") && take(":") && has("\"timeMs\"") && has("\"averageMs\"")) return Kind::layers;
  return has("\"startComputeMs\"") && has("\"endComputeMs\"") ? Kind::runs : Kind::none;
}

}  // namespace

bool is_profile(const Input& input) {
  return input.source && kind_of(input.head) != Kind::none;
}

Run read_profile(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "tensorrt");
  JsonReader json(*input.source);
  bool any = false;
  if (kind_of(input.head) == Kind::runs) {
    run.format_version = "times of runs";
    RunReader reader(run);
    each_record(json, [&](const Fields& fields) { reader.add(fields); });
    any = reader.runs() > 0;
  } else {
    run.format_version = "times of layers";
    LayerReader reader(run);
    each_record(json, [&](const Fields& fields) { reader.add(fields); });
    any = run.events.samples > 0;
    if (any) reader.finish();
  }
  if (!any) throw Error(input.path, json.damage().empty() ? "has no layer or run with a time" : json.damage());
  json.note_end(run.notes);
  add_source(*input.source, run);
  return run;
}

}  // namespace cgpu::tensorrt
