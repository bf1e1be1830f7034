#include "readers/perf_script/perf_script.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/perf_script/lines.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu::perf_script {
namespace {

constexpr const char* kSamples =
    "# hostname : node7\n"
    "# perf version : 6.1\n"
    "#\n"
    "my app  7/9 [002] 10.000001:    1000 cpu-clock: \n"
    "\t     6f1 _Z5innerv+0x1c (/bin/app)\n"
    "\t     789 main (/bin/app)\n"
    "\n"
    "my app  7/9 [002] 10.000003:    1000 cpu-clock: \n"
    "\t     789 main (/bin/app)\n"
    "\n"
    "my app  7/8 [003] 10.000003500:    5 cycles:u: \n"
    "\tffffffff81 [unknown] ([kernel.kallsyms])\n"
    "\t     789 main (/bin/app)\n";

Run read(const std::string& text) {
  const test::TestFile file(text, ".txt");
  return std::move(open_inputs({file.path()}, {}).runs.front());
}

double value(const Run& run, const char* metric, NodeIndex node = 0) {
  const auto index = run.call_tree->find_metric(metric);
  return index ? inclusive_value(*run.call_tree, *index, node) : kNoValue;
}

TEST(PerfScriptLines, Samples) {
  struct Case {
    const char* line;
    const char* comm;
    int64_t process, thread;
    int32_t cpu;
    int64_t time, period;
    const char* event;
  };
  const Case cases[] = {
      {"a 1 2.5: e:", "a", -1, 1, -1, 2'500'000'000, -1, "e"},
      {"swapper     0 [003] 203265.377022:    1001001 cpu-clock: ", "swapper", -1, 0, 3, 203265377022000, 1001001,
       "cpu-clock"},
      {"        perf  11/12    [010] 5.000000001:  7 cycles:ppp:", "perf", 11, 12, 10, 5'000'000'001, 7, "cycles:ppp"},
      {"kworker/0:1 23 [000] 1.0: 1 cpu/event=0x3c,umask=0x0/u:", "kworker/0:1", -1, 23, 0, 1'000'000'000, 1,
       "cpu/event=0x3c,umask=0x0/u"},
      {"my 12 app 3 [001] 1.5: 9 sched:sched_switch: prev_comm=x", "my 12 app", -1, 3, 1, 1'500'000'000, 9,
       "sched:sched_switch"},
      {":16 16/16 [010] 2.0:     1 e: ", ":16", 16, 16, 10, 2'000'000'000, 1, "e"},
  };
  for (const Case& c : cases) {
    const auto line = parse_sample_line(c.line);
    ASSERT_TRUE(line) << c.line;
    EXPECT_EQ(line->comm, c.comm) << c.line;
    EXPECT_EQ(line->process, c.process) << c.line;
    EXPECT_EQ(line->thread, c.thread) << c.line;
    EXPECT_EQ(line->cpu, c.cpu) << c.line;
    EXPECT_EQ(line->time.value_or(-1), c.time) << c.line;
    EXPECT_EQ(line->period.value_or(-1), c.period) << c.line;
    EXPECT_EQ(line->event, c.event) << c.line;
  }
  for (const char* line : {"", "a", "a 1", "a b c", "\t6f1 main (/bin/app)", "a 1 2.5", "a x/y 2.5: e:", "12 13"}) {
    EXPECT_FALSE(parse_sample_line(line)) << line;
  }
}

TEST(PerfScriptLines, Frames) {
  struct Case {
    const char* line;
    const char* name;
    const char* module;
  };
  const Case cases[] = {
      {"\t     6f1 _Z5gammav (/workdir/forks)", "_Z5gammav", "/workdir/forks"},
      {"\t 7f1 main+0x1c (/lib/x.so (deleted))", "main", "/lib/x.so (deleted)"},
      {"\tff f(int, char)+0x2 (/a b/c)", "f(int, char)", "/a b/c"},
      {"\tff (anonymous namespace)::f() (inlined)", "(anonymous namespace)::f()", ""},
      {"\tff operator new(unsigned long)", "operator new(unsigned long)", ""},
      {"\tff [unknown] ([unknown])", "[unknown]", ""},
      {"\tadd (/bin/x)", "add", "/bin/x"},
  };
  for (const Case& c : cases) {
    const auto frame = parse_frame_line(c.line);
    ASSERT_TRUE(frame) << c.line;
    EXPECT_EQ(frame->name, c.name) << c.line;
    EXPECT_EQ(frame->module, c.module) << c.line;
  }
  for (const char* line : {"", "\t", "\tfoo.c:12", "text"}) EXPECT_FALSE(parse_frame_line(line)) << line;
}

TEST(PerfScript, SamplesBecomeACallTree) {
  const auto run = read(kSamples);
  EXPECT_EQ(run.format, "perf-script");
  EXPECT_EQ(run.host, "node7");
  EXPECT_EQ(run.format_version, "6.1");
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.nodes.size(), 4u);
  EXPECT_EQ(tree.name_of(1), "main");
  EXPECT_EQ(tree.name_of(2), "inner()");
  EXPECT_EQ(tree.names[tree.nodes.module[3]], "[kernel.kallsyms]");
  EXPECT_EQ(value(run, "samples"), 3);
  EXPECT_EQ(value(run, "cpu-clock", 1), 2000);
  EXPECT_EQ(value(run, "cpu-clock", 2), 1000);
  EXPECT_EQ(value(run, "cycles:u"), 5);
  EXPECT_EQ(value(run, "cycles"), 5);
  EXPECT_EQ(tree.metrics[*tree.main_metric].name, "cpu-clock");
  ASSERT_EQ(tree.profiles.size(), 2u);
  EXPECT_EQ(tree.profiles[0].name, "my app 9");
  // Samples of the clock stand for at most their period; of other events only the moment is known.
  ASSERT_EQ(run.timeline.slices.size(), 2u);
  EXPECT_EQ(run.timeline.slices.start[0], 10'000'000'000);
  EXPECT_EQ(run.timeline.slices.duration[0], 1000);
  EXPECT_EQ(run.timeline.slices.start[1], 10'000'002'000);
  EXPECT_EQ(run.timeline.name(0), "inner()");
  ASSERT_EQ(run.timeline.instants.size(), 1u);
  EXPECT_EQ(run.timeline.instants[0].time, 10'000'003'500);
  EXPECT_EQ(run.events.read, test::accounted(run));
  EXPECT_TRUE(run.notes.all().empty());
}

TEST(PerfScript, WaitingHasNoTimeOfItsOwn) {
  // perf record --off-cpu gives its samples a time behind all others.
  const auto run = read(
      "a 1 1.0: 7 cpu-clock: \n\t6f1 main (/bin/app)\n\n"
      "a 1 18446744069.414584: 2500000 offcpu-time: \n\t6f1 main (/bin/app)\n\n");
  EXPECT_EQ(value(run, "offcpu-time"), 2'500'000);
  EXPECT_EQ(value(run, "cpu-clock"), 7);
  EXPECT_EQ(run.timeline.slices.size(), 1u);
  EXPECT_TRUE(run.timeline.instants.empty());
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(PerfScript, StacksMayBeOnTheLineOrMissing) {
  const auto run = read("a 1 1.0: 7 cycles:  6f1 main (/bin/app)\na 1 2.0: 3 cycles: \nb 2 3.0: 1 cycles:  \n");
  EXPECT_EQ(value(run, "cycles"), 11);
  EXPECT_EQ(value(run, "cycles", 1), 7);
  EXPECT_EQ(run.call_tree->profiles.size(), 2u);
}

TEST(PerfScript, WithoutTimesOrPeriods) {
  const auto run = read("a 1 1.0: e: \n\t1 f (x)\n\na 1 e: \n\t1 f (x)\n\n");
  EXPECT_EQ(value(run, "samples"), 2);
  EXPECT_EQ(run.timeline.instants.size(), 1u);
  EXPECT_EQ(run.call_tree->metrics.size(), 1u);
}

TEST(PerfScript, TracedCallsNestByIndentation) {
  const auto run = read(
      " app 1/1 [000] 1.000000000:   call                    f                         1 main+0x1 (/bin/app)\n"
      " app 1/1 [000] 1.000000010:   call                        g                     2 f+0x1 (/bin/app)\n"
      " app 1/1 [000] 1.000000030:   return                      g                     3 g+0x9 (/bin/app)\n"
      " instruction trace error type 1 time 1.0 cpu 0 pid 1 tid 1 ip 0x1 code 6: lost\n"
      " app 1/1 [000] 1.000000035:   tr end  syscall                                   7fb22e726bc5 f+0x5 (/bin/app)\n"
      " app 1/1 [000] 1.000000040:   return                  f                         4 f+0x9 (/bin/app)\n"
      " app 1/1 [000] 1.000000050:   return              main                          5 main+0x9 (/bin/app)\n");
  ASSERT_EQ(run.timeline.slices.size(), 2u);
  EXPECT_EQ(run.timeline.name(0), "f");
  EXPECT_EQ(run.timeline.slices.duration[0], 40);
  EXPECT_EQ(run.timeline.name(1), "g");
  EXPECT_EQ(run.timeline.slices.duration[1], 20);
  EXPECT_EQ(value(run, "time", 1), 40);
  EXPECT_EQ(run.notes.count("lost_events"), 1);
  EXPECT_EQ(run.notes.count("unmatched_end"), 1);
  EXPECT_EQ(run.timeline.instants.size(), 1u);
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(PerfScript, CutAnywhere) {
  const std::string whole = kSamples;
  for (size_t size = 1; size < whole.size(); ++size) {
    try {
      const auto run = read(whole.substr(0, size));
      EXPECT_EQ(run.events.read, test::accounted(run));
    } catch (const Error&) {
    }
  }
}

TEST(PerfScript, NumbersAtTheirLimits) {
  for (const char* line : {"a 99999999999999999999 1.0: 1 cpu-clock:", "a 1 [99999999999] 1.0: 1 cpu-clock:",
                           "a 1 99999999999999999999.0: 1 cpu-clock:", "a 1 1.0: 99999999999999999999 cpu-clock:",
                           "a 1 0.0: 9223372036854775807 cpu-clock:", "a 1/9223372036854775807 1.0: 0 cpu-clock:"}) {
    const auto run = read(std::string("a 1 1.0: 1 cpu-clock: \n\n") + line + " \n\t1 f (x)\n");
    EXPECT_EQ(run.events.read, test::accounted(run)) << line;
  }
}

TEST(PerfScript, OtherTextsAreNotTaken) {
  const auto is = [](const std::string& head) { return is_script({"x", false, nullptr, head}); };
  EXPECT_TRUE(is(kSamples));
  EXPECT_FALSE(is("{\"a\": 1}\na 1 1.0: 1 e:\n"));
  EXPECT_FALSE(is("Start (ns),Duration (ns)\n1,2\n"));
  EXPECT_FALSE(is("plain text: with 12 words 3.5: or so\n"));
}

TEST(PerfScript, AStackWithoutAnEndIsCut) {
  std::string text = "a 7/9 [002] 10.000001:    1000 cpu-clock: \n";
  for (int i = 0; i < 10'007; ++i) text += "\t     6f1 f+0x1c (/bin/app)\n";
  const cgpu::Run run = read(text);
  EXPECT_EQ(run.notes.count("skipped_frame"), 7);
  EXPECT_EQ(value(run, "samples"), 1);
}

TEST(PerfScript, OfEventsWithOnePeriodTheSamplesCanBeCounted) {
  const auto run =
      read(std::string(kSamples) + "\nmy app  7/8 [003] 10.000003600:    6 cycles:u: \n\t     789 main (/bin/app)\n");
  const auto sample_value = [&](const char* metric) {
    return run.call_tree->metrics[*run.call_tree->find_metric(metric)].sample_value;
  };
  EXPECT_EQ(sample_value("samples"), 1);
  EXPECT_EQ(sample_value("cpu-clock"), 1000);
  EXPECT_EQ(sample_value("cycles:u"), std::nullopt) << "periods of 5 and 6";
}

}  // namespace
}  // namespace cgpu::perf_script
