#include <gtest/gtest.h>

#include "report/report.h"
#include "table/text.h"

namespace cgpu {
namespace {

Session measured(size_t launches) {
  Session session;
  Run& run = session.runs.emplace_back();
  run.launch_metrics.emplace();
  for (size_t i = 0; i < launches; ++i) {
    ProfiledLaunch& launch = run.launch_metrics->launches.emplace_back();
    launch.id = static_cast<int64_t>(i);
    launch.kernel = "kernel" + std::to_string(i) + "(int)";
    launch.duration_ns = static_cast<int64_t>(1000 * (i + 1));
    launch.compute_pct = 10;
    launch.memory_pct = i % 2 == 0 ? 90 : 20;
    launch.device = 0;
    launch.rules = {{"Unit", "S", "optimization", "m", 99, "unit"}, {"Whole", "S", "optimization", "m", 20, "kernel"}};
  }
  return session;
}

const Section* section(const Report& report, std::string_view table) {
  for (const Section& each : report.sections) {
    if (each.table.name == table) return &each;
  }
  return nullptr;
}

TEST(LaunchSections, SayWhatWasMeasured) {
  const Report report = make_report(measured(3));
  ASSERT_FALSE(report.headline.empty());
  EXPECT_EQ(
      report.headline[0],
      "3 kernel launches measured one by one on a device: 6.00 us of kernel time, the longest 3.00 us (kernel2).");
  const Section* launches = section(report, "launch_metrics");
  ASSERT_TRUE(launches);
  EXPECT_NE(launches->summary.find("memory (2 launches) and latency (1 launch)"), std::string::npos)
      << launches->summary;
  ASSERT_EQ(launches->page.row_count(), 3u);
  EXPECT_EQ(launches->page.cell(0, launches->page.column("kernel")), Cell("kernel2")) << "the longest first, in brief";
  EXPECT_EQ(launches->table.cell(0, launches->table.column("kernel")), Cell("kernel0(int)"));

  const Section* rules = section(report, "launch_rules");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->page.cell(0, rules->page.column("rule")), Cell("Whole")) << "gains of the whole kernel first";
  EXPECT_EQ(rules->table.row_count(), 6u);
  EXPECT_NE(rules->summary.find("Whole of kernel"), std::string::npos) << rules->summary;
}

TEST(LaunchSections, OneLaunchAndNone) {
  EXPECT_EQ(make_report(measured(1)).headline[0], "1 kernel launch measured on a device: kernel0 took 1.00 us.");
  Session session = measured(1);
  session.runs[0].launch_metrics->launches[0] = {};
  EXPECT_EQ(make_report(session).headline[0], "1 kernel launch measured on a device.");
  const Report none = make_report(measured(0));
  EXPECT_FALSE(section(none, "launch_metrics"));
  EXPECT_FALSE(render_report_text(none, {}).empty());
  EXPECT_NE(render_report_html(make_report(measured(2))).find("Measured launches"), std::string::npos);
}

}  // namespace
}  // namespace cgpu
