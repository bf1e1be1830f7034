// The page of a history (report/history_report.h), of what a history says (gate/history.h).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gate/history.h"
#include "report/history_report.h"

namespace cgpu {
namespace {

CheckedRun run_of(const std::string& input, int64_t day, double step_us, int64_t peak) {
  CheckedRun run{input, {}};
  RunFigures& figures = run.figures;
  figures.recorded = day * 86'400'000'000'000;
  figures.ranks = figures.world_size = 1;
  figures.devices["H100"] = 1;
  figures.peak_bytes = peak;
  figures.steady = 6;
  const auto time = static_cast<int64_t>(step_us * 1000);
  for (int64_t i = 0; i < 6; ++i)
    figures.iterations[i] = {time + 1000 * (i % 3), time / 2, 0, time / 2, 1, true, false};
  figures.kernels["gemm"] = {6, 3 * time, 0.001, 0};
  return run;
}

std::string page_of(std::vector<CheckedRun> runs) {
  const History history = history_of(std::move(runs));
  return render_report_html(make_history_report(
      {history.runs, history.changes, history.change_points, history.parts, history.latest}, history.remarks, ""));
}

size_t count_of(const std::string& page, const std::string& text) {
  size_t count = 0;
  for (size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++count;
  return count;
}

TEST(HistoryPage, NamesWhatChangedAndDrawsIt) {
  std::vector<CheckedRun> runs;
  for (int64_t day = 0; day < 30; ++day) {
    const std::string name = "nightly/" + std::to_string(day) + ".cgpu";
    runs.push_back(run_of(name, day, (day < 18 ? 1000 : 1100) + static_cast<double>(day % 4), int64_t{1} << 30));
  }
  const std::string page = page_of(runs);
  EXPECT_NE(
      page.find("<p class=\"verdict\">1 change of level in 30 runs. The last run, 29.cgpu, against the 11 runs of its "
                "level before it: pass.</p>"),
      std::string::npos);
  EXPECT_NE(page.find("<li>Run 18, 18.cgpu (1970-01-19 00:00:00): step_time +10.0% (1.00 ms to 1.10 ms)"),
            std::string::npos);
  EXPECT_NE(page.find("kernel gemm +50.2 us (+10%)"), std::string::npos);
  EXPECT_EQ(count_of(page, "<svg class=\"chart\""), 2U);  // time, memory
  EXPECT_EQ(count_of(page, "class=\"step\""), 1U);        // the change of time
  EXPECT_EQ(count_of(page, "class=\"level\""), 2U);
  EXPECT_NE(page.find("<code>cgpu history INPUT --format json</code>"), std::string::npos);
  for (const char* from_outside : {"<script", "http:", "https:", "src=", "url("}) {
    EXPECT_EQ(page.find(from_outside), std::string::npos) << from_outside;
  }
}

TEST(HistoryPage, SeriesHavePicturesOfTheirOwn) {
  std::vector<CheckedRun> runs;
  for (int64_t day = 0; day < 24; ++day) {
    runs.push_back(run_of(std::to_string(day), day, day % 2 == 0 ? 1000 : 3000, 1 << 20));
    if (day % 2 == 1) runs.back().figures.devices = {{"A100", 1}};
  }
  const std::string page = page_of(runs);
  EXPECT_EQ(count_of(page, "<svg class=\"chart\""), 4U);
  EXPECT_NE(page.find("Step time, series 1: 1 x A100"), std::string::npos);
  EXPECT_NE(page.find("No change of level in 24 runs."), std::string::npos);
  EXPECT_NE(page.find("the runs are of 2 series"), std::string::npos);
}

TEST(HistoryPage, OfFewRunsOrUnevenOnes) {
  EXPECT_NE(page_of({}).find("No change of level in 0 runs."), std::string::npos);
  EXPECT_EQ(count_of(page_of({run_of("a", 0, 1000, 0)}), "<svg class=\"chart\""), 0U);
  std::vector<CheckedRun> runs;
  for (int64_t day = 0; day < 12; ++day) runs.push_back(run_of("a", day, day == 5 ? 90000 : 1000, 0));
  EXPECT_NE(page_of(runs).find("run beyond the axis"), std::string::npos);
  for (CheckedRun& run : runs) run.figures.recorded.reset();
  EXPECT_NE(page_of(runs).find("Run 11, a (of unknown time)"), std::string::npos);
  runs.clear();
  for (int64_t day = 0; day < 12; ++day) {
    runs.push_back({"a", {}});
    runs.back().figures.calls = {.metric = "CPUTIME", .unit = "sec", .whole = day < 6 ? 3 : 3.5, .paths = {}};
  }
  const std::string page = page_of(runs);
  EXPECT_NE(page.find("<figcaption>CPUTIME; dashed lines"), std::string::npos);
  EXPECT_NE(page.find("CPUTIME +16.7% (3.000 s to 3.500 s)"), std::string::npos);
}

TEST(HistoryPage, EscapesNames) {
  std::vector<CheckedRun> runs;
  for (int64_t day = 0; day < 20; ++day) {
    runs.push_back(
        run_of("<script>alert(" + std::to_string(day) + ")</script>\"'", day, day < 10 ? 1000 : 1200, 1 << 20));
    runs.back().figures.kernels["</style></svg><b>"] = {6, day < 10 ? 600'000 : 1'800'000, 0.001, 0};
    runs.back().figures.devices = {{"<i>", 1}};
  }
  const std::string page = page_of(runs);
  for (const char* markup : {"<script", "</style></svg>", "<b>", "<i>"}) {
    EXPECT_EQ(page.find(markup), std::string::npos) << markup;
  }
  EXPECT_NE(page.find("&lt;script&gt;alert(10)"), std::string::npos);
}

}  // namespace
}  // namespace cgpu
