#include "watch/prometheus_text.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(PrometheusText, LabelsAreEscaped) {
  EXPECT_EQ(prometheus_label("/a \"b\"\\c\nd"), R"(/a \"b\"\\c\nd)");
  EXPECT_EQ(prometheus_label("\xff"), "\xef\xbf\xbd");
}

TEST(PrometheusText, IsInSecondsAndBytesAndLeavesOutWhatIsNotKnown) {
  WatchMetrics metrics{.folder = "/in", .waiting = 4, .oldest_waits_s = 2.5};
  metrics.runs[static_cast<size_t>(WatchOutcome::regression)] = 2;
  const std::string before = prometheus_text(metrics);
  EXPECT_NE(before.find("\ncgpu_watch_runs_total{folder=\"/in\",outcome=\"regression\"} 2\n"), std::string::npos);
  EXPECT_NE(before.find("\ncgpu_watch_waiting_runs{folder=\"/in\"} 4\n"), std::string::npos);
  EXPECT_NE(before.find("\ncgpu_watch_oldest_waiting_seconds{folder=\"/in\"} 2.5\n"), std::string::npos);
  EXPECT_EQ(before.find("last"), std::string::npos);
  VerdictLine& last = metrics.last.emplace();
  last.judged_unix_ns = INT64_C(1795890691535319977);
  last.took_ns = 1'500'000'000;
  last.step_ns = 2'500'000;
  const std::string after = prometheus_text(metrics);
  EXPECT_TRUE(after.starts_with(before));
  EXPECT_NE(after.find("\ncgpu_watch_last_verdict_timestamp_seconds{folder=\"/in\"} 1795890691.535\n"),
            std::string::npos);
  EXPECT_NE(after.find("\ncgpu_watch_last_verdict_duration_seconds{folder=\"/in\"} 1.5\n"), std::string::npos);
  EXPECT_NE(after.find("\ncgpu_watch_last_step_seconds{folder=\"/in\"} 0.0025\n"), std::string::npos);
  EXPECT_EQ(after.find("bytes"), std::string::npos);
}

}  // namespace
}  // namespace cgpu
