#include "watch/prometheus_text.h"

#include <fmt/format.h>

#include "base/json_text.h"

namespace cgpu {

namespace {

constexpr double kNsPerSecond = 1e9;

class MetricText {
 public:
  explicit MetricText(const std::string& folder) : folder_(prometheus_label(folder)) {}

  /// `name`: behind the prefix of all.
  void begin(const char* name, const char* type, const char* about) {
    name_ = fmt::format("cgpu_watch_{}", name);
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name_, about, name_, type);
  }
  template <typename Value>
  void sample(Value value, const std::string& further_labels = "") {
    text_ += fmt::format("{}{{folder=\"{}\"{}}} {}\n", name_, folder_, further_labels, value);
  }
  template <typename Value>
  void gauge(const char* name, const char* about, Value value) {
    begin(name, "gauge", about);
    sample(value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string folder_;
  std::string name_;
  std::string text_;
};

}  // namespace

std::string prometheus_label(std::string_view value) {
  std::string escaped;
  for (const char c : valid_utf8(value)) {
    if (c == '\n') {
      escaped += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string prometheus_text(const WatchMetrics& metrics) {
  MetricText text(metrics.folder);
  text.begin("runs_total", "counter", "Runs that were judged, by outcome.");
  for (size_t i = 0; i < kWatchOutcomes; ++i) {
    text.sample(metrics.runs[i],
                fmt::format(",outcome=\"{}\"", prometheus_label(text_of(static_cast<WatchOutcome>(i)))));
  }
  text.gauge("waiting_runs", "Runs that are complete and not judged yet.", metrics.waiting);
  text.gauge("oldest_waiting_seconds", "How long the first of these has waited.", metrics.oldest_waits_s);
  if (!metrics.last) return text.take();
  const VerdictLine& last = *metrics.last;
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) / kNsPerSecond; };
  text.gauge("last_verdict_timestamp_seconds", "When the last run was judged, since 1970.",
             fmt::format("{:.3f}", seconds(last.judged_unix_ns)));
  text.gauge("last_verdict_duration_seconds", "How long reading and judging the last run took.", seconds(last.took_ns));
  if (last.step_ns) {
    text.gauge("last_step_seconds", "Typical (median) iteration of the last run; without iterations the whole.",
               *last.step_ns / kNsPerSecond);
  }
  if (last.peak_bytes) {
    text.gauge("last_peak_memory_bytes", "Peak of the device memory of the last run.", *last.peak_bytes);
  }
  return text.take();
}

}  // namespace cgpu
