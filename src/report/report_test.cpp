#include "report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "base/test_sanitized.h"
#include "report/cells.h"
#include "report/charts.h"
#include "table/unicode.h"

namespace cgpu {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

/// Two steps of 10 ms on one GPU: launches, compute, communication, a copy, gaps, an op and a range around it.
TestRun training_run(int64_t rank, const std::string& kernel = "void ns::gemm<float>(float*)") {
  TestRun run(rank);
  run.run.rank_known = true;
  run.run.devices = {{.id = 0,
                      .name = "NVIDIA H100 80GB HBM3",
                      .vendor = "NVIDIA",
                      .sm_count = 132,
                      .memory_bytes = int64_t{80} << 30,
                      .warp_size = 32,
                      .compute_capability = "9.0"}};
  for (int64_t step = 0; step < 2; ++step) {
    const int64_t start = step * 10 * kMillisecond;
    const SliceIndex mark =
        run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), start, 10 * kMillisecond);
    const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", start + 1000, 2 * kMillisecond, mark);
    const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", start + 2000, 5000, op);
    run.kernel(kernel, start + kMillisecond, 4 * kMillisecond, {0, 7, OpKind::compute, KernelClass::gemm, call});
    const SliceIndex second = run.host(SliceKind::runtime_call, "cudaLaunchKernel", start + 8000, 5000, op);
    run.kernel("ncclKernel_AllReduce", start + 4 * kMillisecond, 3 * kMillisecond,
               {0, 20, OpKind::communication, KernelClass::collective, second});
    run.memcpy("Memcpy HtoD", start + 8 * kMillisecond, kMillisecond,
               {CopyKind::HtoD, MemoryKind::pageable, MemoryKind::device, 1 << 20});
  }
  run.run.timeline.memory = {{0, 100, 1 << 30, int64_t{2} << 30, 0},
                             {5 * kMillisecond, -100, 1 << 29, int64_t{2} << 30, 0}};
  run.run.format = "kineto";
  return run;
}

TestRun cpu_run() {
  TestRun run;
  const SliceIndex outer = run.host(SliceKind::framework_op, "aten::linear", 0, 100);
  run.host(SliceKind::framework_op, "aten::addmm", 10, 60, outer);
  return run;
}

std::vector<std::string> hostile_names() {
  return {"<script>alert(1)</script>",
          "\"quotes\" & 'apostrophes' > <",
          std::string(100'000, 'x'),
          std::string(5000, '<'),
          "\u202edesrever \u05d0\u05d1\u05d2",
          std::string("nul\0bell\a", 9),
          "\xff\xfe broken",
          "</title></svg></style>",
          "]]>--><!--"};
}

/// One run whose every text is this one.
TestRun hostile_run(const std::string& name) {
  TestRun run = training_run(3, name);
  run.host(SliceKind::framework_op, name, 0, 1000);
  run.host(SliceKind::annotation, name, 0, 1000);
  run.host(SliceKind::runtime_call, name, 0, 1000);
  run.run.devices[0].name = name;
  run.run.host = name;
  run.run.file = name;
  run.run.metadata = {{name, name}, {"version", name}};
  run.run.notes.add(name, 1, name, true);
  return run;
}

Session with_inputs(Session session, std::vector<std::string> inputs) {
  session.inputs = std::move(inputs);
  return session;
}

std::vector<Session> sessions() {
  std::vector<Session> all;
  all.emplace_back();
  all.push_back(session_of(cpu_run()));
  TestRun one;
  one.kernel("k", 5, 0);
  all.push_back(session_of(one));
  all.push_back(with_inputs(session_of(training_run(0)), {"dir/trace.json"}));
  all.push_back(with_inputs(session_of(training_run(0), training_run(1), training_run(2)), {"dir"}));
  for (const std::string& name : hostile_names()) all.push_back(with_inputs(session_of(hostile_run(name)), {name}));
  return all;
}

const Section* find_section(const Report& report, const std::string& table) {
  for (const Section& section : report.sections) {
    if (section.table.name == table) return &section;
  }
  return nullptr;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Throws where the elements of the page do not nest, where an attribute is not quoted or where a '<' is none of a tag.
void check_nesting(const std::string& page) {
  static const std::vector<std::string> kVoid = {"!DOCTYPE", "meta"};
  std::vector<std::string> open;
  for (size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    size_t end = at + 1;
    bool quoted = false;
    while (end < page.size() && (quoted || page[end] != '>')) {
      if (page[end] == '"') quoted = !quoted;
      if (page[end] == '<') throw std::runtime_error("'<' inside of a tag: " + page.substr(at, 80));
      ++end;
    }
    if (end == page.size()) throw std::runtime_error("a tag is not closed: " + page.substr(at, 80));
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" />", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      const std::string closes = tag.substr(1);
      if (open.empty() || open.back() != closes) throw std::runtime_error("</" + closes + "> closes nothing");
      open.pop_back();
    } else if (tag.back() != '/' && std::find(kVoid.begin(), kVoid.end(), name) == kVoid.end()) {
      open.push_back(name);
    }
    at = end;
  }
  if (!open.empty()) throw std::runtime_error("<" + open.back() + "> is left open");
}

TEST(Report, TellsTheStoryInOrder) {
  const Session session = with_inputs(session_of(training_run(0)), {"some/dir/trace.json"});
  const Report report = make_report(session);
  EXPECT_EQ(report.title, "trace.json");
  std::vector<std::string> names;
  for (const Section& section : report.sections) names.push_back(section.table.name);
  EXPECT_EQ(names, (std::vector<std::string>{"findings", "devices", "gpu_time", "streams", "steps", "idle",
                                             "kernel_classes", "kernels", "ops", "api", "processes", "transfers",
                                             "collectives", "launches", "queue", "ranges", "memory", "info"}));
  // First op 1 ms, last end 19 ms: 18 ms. Busy in each step 1-7 and 8-9 ms.
  EXPECT_EQ(
      report.verdict,
      "10.0 ms a step (2 steps): GPU 70.0% busy and 30.0% idle in steps; from its first op to its last 77.8% busy, "
      "22.2% exposed communication, 11.1% exposed copies, 22.2% idle, most of it unknown (11.1%).");
  ASSERT_EQ(report.headline.size(), 4u);
  EXPECT_EQ(report.headline[0], "Rank 0 on 1 GPU (NVIDIA H100 80GB HBM3): 20.0 ms recorded, 14 slices.");
  EXPECT_NE(report.headline[1].find("The GPU was busy 77.8% of the 18.0 ms from its first op to its last; 22.2% was "
                                    "exposed communication; 11.1% was exposed copies; idle 22.2%, "
                                    "of that "),
            std::string::npos)
      << report.headline[1];
  EXPECT_NE(report.headline[2].find("2 steps of 10.0 ms (median; 10.0 ms to 10.0 ms): kernel 40.0%"), std::string::npos)
      << report.headline[2];
  EXPECT_NE(report.headline[3].find("Top kernel: gemm<float>, 50.0%."), std::string::npos) << report.headline[3];

  const Section& gpu_time = *find_section(report, "gpu_time");
  EXPECT_EQ(gpu_time.title, "GPU utilization");
  EXPECT_NE(
      gpu_time.summary.find("compute 44.4%, exposed communication 22.2%, copies 11.1%. It was idle 22.2% (4.00 ms)."
                            " Of 6.00 ms of communication, compute hid 33.3%; 4.00 ms stayed exposed."),
      std::string::npos)
      << gpu_time.summary;
}

TEST(Report, TablesAreThoseOfTheAnalyses) {
  const Session session = session_of(training_run(0), training_run(1));
  const Report report = make_report(session);
  EXPECT_GT(report.sections.size(), 5U);
  for (const Section& section : report.sections) {
    const Table expected = make_table(section.table.name, session);
    EXPECT_EQ(section.table, expected) << section.table.name;
    expect_well_formed(section.page);
  }
}

TEST(Report, SeveralRanksNameTheWorst) {
  TestRun slow = training_run(1);
  slow.kernel("late", 40 * kMillisecond, kMillisecond, {0, 7, OpKind::compute, KernelClass::gemm, kNone});
  const Report report = make_report(session_of(training_run(0), slow));
  const std::string summary = find_section(report, "gpu_time")->summary;
  EXPECT_NE(summary.find("2 GPUs were busy"), std::string::npos) << summary;
  EXPECT_NE(summary.find("Least busy was rank 1, GPU 0"), std::string::npos) << summary;
}

TEST(Report, WhatIsNotThereIsNotShown) {
  EXPECT_TRUE(make_report(Session{}).sections.empty());
  const Report report = make_report(session_of(cpu_run()));
  EXPECT_EQ(find_section(report, "gpu_time"), nullptr);
  EXPECT_EQ(find_section(report, "steps"), nullptr);
  const Section* ops = find_section(report, "ops");
  ASSERT_NE(ops, nullptr);
  EXPECT_NE(ops->summary.find("aten::addmm 60.0%, aten::linear 40.0%"), std::string::npos) << ops->summary;
  EXPECT_NE(joined(report.headline).find("without device work"), std::string::npos);
}

TEST(Report, HeadlineNamesTheLargestPart) {
  const auto second_line = [](int64_t compute, int64_t communication, int64_t copy, int64_t idle) {
    TestRun run;
    int64_t at = 0;
    const auto kernel = [&](OpKind kind, int64_t duration) {
      TestOp op;
      op.kind = kind;
      if (duration > 0) run.kernel("kernel", at, duration, op);
      at += duration;
    };
    kernel(OpKind::compute, compute);
    kernel(OpKind::communication, communication);
    if (copy > 0) run.memcpy("copy", at, copy, {});
    at += copy + idle;
    if (idle > 0) run.kernel("last", at, 0, {});
    return make_report(with_inputs(session_of(run), {"trace.json"})).headline.at(1);
  };
  EXPECT_EQ(
      second_line(900, 100, 0, 0),
      "The device was busy 100.0% of the 1.00 us from its first op to its last; 10.0% was exposed communication; never idle.");
  EXPECT_EQ(second_line(100, 800, 100, 0),
            "The device spent 80.0% of the 1.00 us from its first op to its last on exposed communication; "
            "compute took 10.0%; 10.0% was exposed copies; never idle.");
  EXPECT_EQ(second_line(20, 10, 970, 0),
            "The device spent 97.0% of the 1.00 us from its first op to its last on exposed copies; compute "
            "took 2.0%; 1.0% was exposed communication; never idle.");
  EXPECT_EQ(
      second_line(100, 0, 0, 900),
      "The device was idle 90.0% of the 1.00 us from its first op to its last, of that unknown 100.0%; busy 10.0%.");
}

TEST(Report, HeadlineNamesLosses) {
  TestRun run = training_run(0);
  run.run.notes.add("truncated_input", 1, "the file ends early", true);
  const std::vector<std::string> headline = make_report(session_of(run)).headline;
  ASSERT_EQ(headline.size(), 5u);
  EXPECT_NE(headline.back().find("truncated_input"), std::string::npos);
}

TEST(Report, LongTablesAreCutOnThePageOnly) {
  TestRun run;
  for (int i = 0; i < 50; ++i) run.kernel("kernel" + std::to_string(i), i * 100, 10 + i);
  const Report report = make_report(session_of(run));
  const Section& kernels = *find_section(report, "kernels");
  EXPECT_EQ(kernels.table.row_count(), 50u);
  EXPECT_EQ(kernels.page.row_count(), 12u);
  EXPECT_EQ(kernels.cut, "12 of 50");
  EXPECT_NE(render_report_text(report, {}).find("kernels: 12 of 50"), std::string::npos);
}

TEST(ReportText, FitsEveryWidth) {
  for (const Session& session : sessions()) {
    const Report report = make_report(session);
    for (const size_t width : {20, 37, 60, 80, 100, 160, 250}) {
      std::istringstream text(render_report_text(report, {.width = width, .color = false}));
      for (std::string line; std::getline(text, line);) {
        ASSERT_EQ(printable(line), line);
        ASSERT_LE(display_width(line), width) << line;
      }
    }
  }
}

TEST(ReportText, ColourAddsEscapesOnly) {
  const Report report = make_report(session_of(training_run(0)));
  std::string colored = render_report_text(report, {.width = 80, .color = true});
  std::string plain;
  for (size_t at = 0; at < colored.size(); ++at) {
    if (colored[at] == '\x1b') {
      at = colored.find('m', at);
    } else {
      plain += colored[at];
    }
  }
  EXPECT_NE(plain, colored);
  EXPECT_EQ(plain, render_report_text(report, {.width = 80, .color = false}));
}

TEST(ReportText, BarsShowTheShares) {
  const std::string text = render_report_text(make_report(session_of(training_run(0))), {.width = 92});
  const auto count = [&](const std::string& line, const std::string& block) {
    size_t found = 0;
    for (size_t at = line.find(block); at != std::string::npos; at = line.find(block, at + 1)) ++found;
    return found;
  };
  // 90 columns: compute 8/18, exposed communication 4/18, exposed copies 2/18, idle 4/18.
  const size_t begin = text.find("\n\u2588") + 1;
  const std::string bar = text.substr(begin, text.find('\n', begin) - begin);
  EXPECT_EQ(count(bar, "\u2588"), 40u);
  EXPECT_EQ(count(bar, "\u2592"), 20u);
  EXPECT_EQ(count(bar, "\u2591"), 10u);
  EXPECT_EQ(count(bar, "\u00b7"), 20u);
}

TEST(ReportHtml, IsWellFormedAndSelfContained) {
  for (const Session& session : sessions()) {
    const Report report = make_report(session);
    const std::string page = render_report_html(report);
    ASSERT_NO_THROW(check_nesting(page));
    for (const char* bad : {"<script", "nan\"", "inf\"", "NaN", "nan%", "inf%", "src=", "url(", "http:", "https:"}) {
      EXPECT_EQ(page.find(bad), std::string::npos) << bad << " for " << report.title.substr(0, 40);
    }
    EXPECT_NE(page.find("default-src 'none'; style-src 'unsafe-inline'"), std::string::npos);
    EXPECT_EQ(page.find('\x07'), std::string::npos);
    EXPECT_EQ(page.find("\u202e"), std::string::npos);
  }
}

TEST(ReportHtml, LinksToTheViewerAndThePlacesOfFindings) {
  Report report = make_report(session_of(training_run(0)));
  const Table* findings = report.find("findings");
  ASSERT_NE(findings, nullptr);
  EXPECT_EQ(render_report_html(report).find("Open the timeline"), std::string::npos);
  report.viewer = {"a%20b.html", false};
  const std::string without_places = render_report_html(report);
  EXPECT_NE(without_places.find("<a href=\"a%20b.html\">Open the timeline</a>"), std::string::npos);
  EXPECT_EQ(without_places.find("in the timeline"), std::string::npos);
  report.viewer.same_times = true;
  const std::string page = render_report_html(report);
  ASSERT_NO_THROW(check_nesting(page));
  EXPECT_NE(page.find("<a href=\"a%20b.html#view=timeline&amp;t="), std::string::npos);
}

TEST(ReportHtml, IndentedLinesAreAListBelowTheLineBefore) {
  Report report;
  report.headline = {"busy <2 ms", "What explains it:", "   +1.50 ms   +0.9 %  aten::mm", "  gone", "Last"};
  EXPECT_NE(render_report_html(report).find("<ul class=\"headline\">\n"
                                            "<li>busy &lt;2 ms</li>\n"
                                            "<li>What explains it:\n<ul>\n"
                                            "<li><span>+1.50 ms</span> <span>+0.9 %</span> aten::mm</li>\n"
                                            "<li>gone</li>\n</ul>\n</li>\n"
                                            "<li>Last</li>\n</ul>\n"),
            std::string::npos);
  report.headline = {"  indented, below nothing"};
  EXPECT_NE(render_report_html(report).find("<ul class=\"headline\">\n<li>  indented, below nothing</li>\n</ul>"),
            std::string::npos);
}

TEST(ReportHtml, DrawsWhatThereIs) {
  const Session session = session_of(training_run(0));
  const std::string page = render_report_html(make_report(session));
  for (const char* chart :
       {"Span of the device by what it did", "What each device did over time", "Steps by what their time went to",
        "Idle time by cause", "Device time by class of kernel", "Kernels with the largest total time",
        "Bytes moved by direction and kind of memory", "Memory of the allocator over time"}) {
    EXPECT_NE(page.find(std::string("<figcaption>") + chart), std::string::npos) << chart;
  }
  const Session cpu = session_of(cpu_run());
  const std::string cpu_page = render_report_html(make_report(cpu));
  EXPECT_NE(cpu_page.find("<figcaption>Framework ops by own time"), std::string::npos);
  EXPECT_EQ(cpu_page.find("Kernels with"), std::string::npos);
}

/// Of six ranks one computes 300 ns longer: that is the darkest of the heat map, and the others are as the median.
TEST(ReportHtml, DrawsDevicesAgainstTheMedianOne) {
  Table gpu_time(
      "gpu_time", "",
      {number_column("rank", ""), number_column("device", ""), time_column("compute_ns", ""),
       time_column("exposed_comm_ns", ""), time_column("exposed_memory_ns", ""), time_column("idle_ns", "")});
  for (int64_t rank = 0; rank < 6; ++rank) {
    const int64_t compute = rank == 4 ? 1'300 : 1'000;
    gpu_time.append({rank, int64_t{0}, compute, int64_t{50}, int64_t{0}, 2'000 - compute});
  }
  const std::string map = draw_deviations(gpu_time, nullptr);
  EXPECT_NE(map.find("rank 4, 0: compute 300 ns more, where the median is 1.00 us"), std::string::npos) << map;
  EXPECT_NE(map.find("rank 4, 0: idle 300 ns less, where the median is 1.00 us"), std::string::npos);
  const auto count = [&](const std::string& words) {
    size_t found = 0;
    for (size_t at = map.find(words); at != std::string::npos; at = map.find(words, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("class=\"more5\""), 1U);
  EXPECT_EQ(count("class=\"less5\""), 1U);
  EXPECT_EQ(count("class=\"c-track\""), 10U);
  EXPECT_EQ(count("communication"), 0U) << "what is alike on all devices is left out";
  Table few = gpu_time;
  few.keep_rows([&](const RowView& row) { return integer_of(gpu_time, row, "rank") < 3; });
  EXPECT_EQ(draw_deviations(few, nullptr), "");
}

Table activity_of(size_t devices, size_t buckets, const std::function<std::array<int64_t, 3>(size_t, size_t)>& times) {
  Table table("rank_activity", "",
              {number_column("rank", ""), number_column("device", ""), moment_column("start_ns", ""),
               time_column("duration_ns", ""), time_column("compute_ns", ""), time_column("exposed_comm_ns", ""),
               time_column("exposed_memory_ns", ""), time_column("idle_ns", "")});
  for (size_t device = 0; device < devices; ++device) {
    for (size_t bucket = 0; bucket < buckets; ++bucket) {
      const auto [compute, communication, copies] = times(device, bucket);
      table.append({static_cast<int64_t>(device), int64_t{0}, static_cast<int64_t>(1024 * bucket), int64_t{1024},
                    compute, communication, copies, 1024 - compute - communication - copies});
    }
  }
  return table;
}

/// Of 1,000 ranks one is late in one bucket, when it computes and all others wait: its row is drawn of its group.
TEST(ReportHtml, AStragglerIsSeenAmongManyRanks) {
  const Table activity = activity_of(1000, 64, [](size_t device, size_t bucket) -> std::array<int64_t, 3> {
    const auto noise = static_cast<int64_t>((7 * device + 3 * bucket) % 40);
    if (bucket % 8 < 6 || (device == 522 && bucket == 23)) return {1000 - noise, 0, 0};
    return {0, 1000 - noise, 0};
  });
  const std::string map = draw_activity(activity, nullptr);
  EXPECT_NE(map.find("of every 8 the one that falls behind the median device most"), std::string::npos);
  EXPECT_NE(map.find("rank 522, 0, 16.4 us to 24.6 us: compute"), std::string::npos);
  EXPECT_NE(map.find(">520\u2013527<"), std::string::npos);
  EXPECT_EQ(map.find("rank 521, 0"), std::string::npos);
  EXPECT_EQ(map.find("exposed copies"), std::string::npos) << "there are none";
}

TEST(ReportHtml, AMapOfManyRanksStaysSmall) {
  std::mt19937 random(3);
  const Table activity = activity_of(600, 512, [&](size_t, size_t) -> std::array<int64_t, 3> {
    return {static_cast<int64_t>(random() % 400), static_cast<int64_t>(random() % 400),
            static_cast<int64_t>(random() % 200)};
  });
  EXPECT_LT(draw_activity(activity, nullptr).size(), 800'000U);
}

TEST(ReportHtml, ColoursSayWhatMostOfTheTimeWentTo) {
  const std::array<std::array<int64_t, 3>, 4> states = {{{1024, 0, 0}, {300, 600, 0}, {0, 100, 400}, {200, 0, 0}}};
  const std::string map =
      draw_activity(activity_of(1, 4, [&](size_t, size_t bucket) { return states[bucket]; }), nullptr);
  EXPECT_NE(map.find("<path class=\"c-blue s4\" d=\"M0 0H1V100H0z\"/>"), std::string::npos) << map;
  EXPECT_NE(map.find("<path class=\"c-orange s2\" d=\"M1 0H2V100H1z\"/>"), std::string::npos);
  EXPECT_NE(map.find("<path class=\"c-grey s2\" d=\"M2 0H3V100H2z\"/>"), std::string::npos) << "524 of 1,024 ns";
  EXPECT_NE(map.find("<path class=\"c-grey s3\" d=\"M3 0H4V100H3z\"/>"), std::string::npos);
}

/// Of a summary there are no histories: the strips come out of the table.
TEST(ReportHtml, FewDevicesHaveStripsWithoutTheirTimelines) {
  const Table activity = activity_of(2, 8, [](size_t, size_t) -> std::array<int64_t, 3> { return {512, 0, 0}; });
  const std::string strips = draw_timeline({}, activity, Table(), nullptr);
  EXPECT_NE(strips.find("rank 1, 0"), std::string::npos);
  EXPECT_NE(strips.find("d=\"M0 100H8V50H0z\""), std::string::npos) << strips;
  EXPECT_EQ(draw_timeline({}, Table(), Table(), nullptr), "");
}

TEST(ReportHtml, StaysSmall) {
  std::mt19937 random(7);
  std::vector<TestRun> runs;
  Session session;
  for (int64_t rank = 0; rank < 16; ++rank) {
    TestRun run(rank);
    int64_t time = 0;
    for (int i = 0; i < (kSanitized ? 2000 : 20'000); ++i) {
      time += static_cast<int64_t>(random() % 2000);
      const auto kind = static_cast<OpKind>(random() % 3);
      run.kernel("kernel" + std::to_string(random() % 3000), time, 1 + static_cast<int64_t>(random() % 1500),
                 {0, static_cast<int64_t>(random() % 4), kind, KernelClass::gemm, kNone});
      run.run.timeline.memory.push_back({time, 1, static_cast<int64_t>(random() % 100000), 100000, 0});
    }
    for (int step = 0; step < 500; ++step) {
      run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), step * 40'000, 39'000);
    }
    session.runs.push_back(std::move(run.run));
  }
  EXPECT_LT(render_report_html(make_report(session)).size(), size_t{1} << 20);
}

TEST(ReportMarkdown, NothingOfANameIsMarkup) {
  for (const Session& session : sessions()) {
    const std::string text = render_report_markdown(make_report(session));
    EXPECT_EQ(text.find("<script"), std::string::npos);
    EXPECT_EQ(text.find('\a'), std::string::npos);
  }
  const Report report = make_report(session_of(training_run(0)));
  const std::string text = render_report_markdown(report);
  EXPECT_EQ(text.rfind("# Profile\n\n10.0 ms a step ", 0), 0u) << text.substr(0, 80);
  for (const Section& section : report.sections) {
    const bool shown = text.find("\n## " + section.title + "\n") != std::string::npos;
    EXPECT_EQ(shown, !section.page.empty()) << section.title;
  }
}

}  // namespace
}  // namespace cgpu
