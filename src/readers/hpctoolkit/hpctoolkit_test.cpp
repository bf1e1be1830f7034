#include "readers/hpctoolkit/hpctoolkit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "readers/hpctoolkit/test_database.h"

namespace cgpu::hpctoolkit {
namespace {

using test::DatabaseBuilder;
using test::TestContext;
using test::TestDatabase;
using test::TestFolder;
using test::TestProfile;

/// main (2) calls work (4) in line 11 (3); work has a loop (5); below the loop, instruction 9 has the values and is not
/// in the tree. The stream 7 of a device ran the kernel of context 7.
DatabaseBuilder small_program() {
  DatabaseBuilder builder;
  builder.metrics = {"CPUTIME (sec)", "GKER (sec)", "GKER:COUNT", "GKER:BLK_THR_ACUMU"};
  const TestContext loop{5, 0, 1, "", "/src/work.c", 30, "/bin/program", 0x1169, {}};
  const TestContext nothing{6, 1, 0, "", "", 0, "", 0, {}};
  const TestContext device_code{7, 1, 0, "kernel(int)", "/src/work.cu", 70000, "/bin/program", 0, {}};
  const TestContext placeholder{8, 1, 0, "<gpu kernel>", "", 0, "", 0, {device_code}};
  const TestContext work{4, 1, 0, "work", "/src/work.c", 20, "/bin/program", 0, {loop, nothing, placeholder}};
  const TestContext line{3, 0, 2, "", "/src/main.c", 11, "", 0, {work}};
  builder.entries = {{1, "main thread", {{2, 1, 0, "main", "/src/main.c", 10, "/bin/program", 0, {line}}}}};

  TestProfile first{{{test::node, 1}, {test::thread, 0}}, {}, {{1000, 0}, {1010, 5}, {1030, 4}, {1060, 0}}};
  TestProfile second{{{test::node, 1}, {test::thread, 1}}, {}, {}};
  TestProfile stream{{{test::node, 1}, {test::gpu_context, 3}, {test::gpu_stream, 7}},
                     {},
                     {{1100, 7}, {1150, 0}, {1200, 7}, {1260, 0}}};
  for (const uint32_t context : {0u, 1u, 2u, 3u, 4u}) {
    first.set(context, 0, 0, 3);
    second.set(context, 0, 0, 1);
    first.set(context, 1, 0, 110e-9);
    first.set(context, 2, 0, 2);
    first.set(context, 3, 0, 64);
  }
  first.set(4, 0, 1, 3);
  first.set(5, 0, 0, 2);
  first.set(9, 0, 2, 2);
  second.set(5, 0, 0, 1);
  second.set(9, 0, 1, 1);
  for (const uint32_t context : {8u, 7u}) {
    first.set(context, 1, context == 7 ? 110e-9 : 0, 110e-9);
    first.set(context, 2, context == 7 ? 2 : 0, 2);
    first.set(context, 3, context == 7 ? 64 : 0, 64);
  }
  builder.profiles = {first, second, stream};
  return builder;
}

Input folder_input(const std::string& path) {
  return {path, true, nullptr, ""};
}
Run read(const TestFolder& folder) {
  return read_database(folder_input(folder.path()), {});
}

double value_at(const CallTree& tree, const std::string& metric, NodeIndex node) {
  return inclusive_value(tree, tree.find_metric(metric).value(), node);
}
NodeIndex node_called(const CallTree& tree, const std::string& name) {
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    if (tree.name_of(node) == name) return node;
  }
  ADD_FAILURE() << "no node is called " << name;
  return 0;
}
bool has_damage(const Run& run) {
  return std::any_of(run.notes.all().begin(), run.notes.all().end(), [](const Note& note) { return note.damage; });
}

/// Whatever the files say, the model must hold together.
void expect_sound(const Run& run) {
  ASSERT_TRUE(run.call_tree);
  const CallTree& tree = *run.call_tree;
  ASSERT_GE(tree.nodes.size(), 1u);
  EXPECT_EQ(tree.nodes.parent[0], kNoNode);
  for (NodeIndex node = 1; node < tree.nodes.size(); ++node) EXPECT_LT(tree.nodes.parent[node], node);
  for (MetricIndex m = 0; m < tree.metrics.size(); ++m) {
    const Metric& metric = tree.metrics[m];
    ASSERT_EQ(metric.node.size(), metric.value.size());
    EXPECT_TRUE(std::is_sorted(metric.node.begin(), metric.node.end()));
    for (const NodeIndex node : metric.node) EXPECT_LT(node, tree.nodes.size());
    for (const MetricIndex part : metric.parts) EXPECT_LT(part, tree.metrics.size());
    exclusive_values(tree, m);
    if (!tree.profile_values || !metric.measured()) continue;
    for (uint32_t p = 0; p < tree.profiles.size(); ++p) {
      for (const NodeValue& value : tree.profile_values->of_profile(p, m)) EXPECT_LT(value.node, tree.nodes.size());
      for (const std::string& scope : tree.profile_values->scopes()) {
        for (const NodeValue& value : tree.profile_values->of_scope(scope, m, p)) {
          EXPECT_LT(value.node, tree.nodes.size());
        }
      }
    }
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      for (const ProfileValue& value : tree.profile_values->of_node(node, m)) {
        EXPECT_LT(value.profile, tree.profiles.size());
      }
    }
  }
  const Timeline& timeline = run.timeline;
  for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
    EXPECT_GE(timeline.slices.duration[i], 0);
    EXPECT_LT(timeline.slices.track[i], timeline.tracks.size());
    EXPECT_LT(timeline.slices.category[i], timeline.categories.size());
  }
  EXPECT_EQ(run.events.read, run.events.slices + run.events.instants + run.events.skipped);
}

TEST(Hpctoolkit, TreeAndValues) {
  const TestFolder folder(small_program().build());
  ASSERT_TRUE(is_database(folder_input(folder.path())));
  const auto run = read(folder);
  expect_sound(run);
  EXPECT_FALSE(has_damage(run));
  EXPECT_EQ(run.format, "hpctoolkit-v4");
  EXPECT_EQ(run.format_version, "4.0");
  const CallTree& tree = *run.call_tree;
  std::vector<std::string> names;
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) names.push_back(tree.name_of(node));
  EXPECT_EQ(names,
            (std::vector<std::string>{"<program root>", "main thread", "main", "main.c:11", "work", "loop at work.c:30",
                                      "<unknown function>", "<gpu kernel>", "kernel(int)"}));
  EXPECT_EQ(tree.nodes.line[8], 70000u);  // more than 16 bits
  EXPECT_EQ(tree.names[tree.nodes.module[5]], "/bin/program");
  EXPECT_EQ(tree.nodes.relation[4], NodeRelation::call);

  EXPECT_EQ(value_at(tree, "CPUTIME", 0), 4);
  EXPECT_EQ(value_at(tree, "CPUTIME", node_called(tree, "loop at work.c:30")), 3);
  EXPECT_TRUE(std::isnan(value_at(tree, "CPUTIME", node_called(tree, "<gpu kernel>"))));
  EXPECT_EQ(value_at(tree, "GKER:BLK_THR", 0), 32);  // 64 over 2 kernels
  EXPECT_EQ(run.notes.count("folded_context"), 1);
  EXPECT_EQ(tree.profiles[2].name, "GPU context 3 stream 7");
}

TEST(Hpctoolkit, ExclusiveValuesAddUpToTheRoot) {
  const auto run = read(TestFolder(small_program().build()));
  const CallTree& tree = *run.call_tree;
  for (const char* name : {"CPUTIME", "GKER", "GKER:COUNT"}) {
    double sum = 0;
    for (const double value : exclusive_values(tree, *tree.find_metric(name))) sum += std::isnan(value) ? 0 : value;
    EXPECT_DOUBLE_EQ(sum, value_at(tree, name, 0)) << name;
  }
  const auto own = exclusive_values(tree, *tree.find_metric("CPUTIME"));
  EXPECT_EQ(own[node_called(tree, "loop at work.c:30")], 3);  // the hidden instruction's
  EXPECT_EQ(own[node_called(tree, "work")], 1);
  EXPECT_EQ(own[node_called(tree, "main")], 0);
}

TEST(Hpctoolkit, EveryScopeAsStored) {
  const TestFolder folder(small_program().build());
  const cgpu::Run run = read(folder);
  const CallTree& tree = *run.call_tree;
  EXPECT_EQ(tree.profile_values->scopes(), std::vector<std::string>{"point"});
  const MetricIndex time = *tree.find_metric("CPUTIME");
  const auto at_work = [&](std::optional<uint32_t> profile) {
    for (const NodeValue& value : tree.profile_values->of_scope("point", time, profile)) {
      if (value.node == node_called(tree, "work")) return value.value;
    }
    return 0.0;
  };
  EXPECT_EQ(at_work(std::nullopt), 1);
  EXPECT_EQ(at_work(0), 1);
  EXPECT_EQ(at_work(1), 0);
  EXPECT_TRUE(tree.profile_values->of_scope("unheard of", time, std::nullopt).empty());
}

TEST(Hpctoolkit, MetricsThatTheDatabaseComputes) {
  const TestFolder folder(small_program().build());
  std::filesystem::create_directory(folder.path() + "/metrics");
  folder.write("metrics/default.yaml", R"(version: 0
roots:
  - name: Threads a second
    variants:
      Sum: {formula: {inclusive: {standard: {/: [{metric: "GKER:BLK_THR_ACUMU"}, {metric: GKER (sec)}]}}}}
)");
  const cgpu::Run run = read(folder);
  EXPECT_FALSE(has_damage(run));
  EXPECT_DOUBLE_EQ(value_at(*run.call_tree, "Threads a second", 0), 64 / 110e-9);
  folder.write("metrics/default.yaml", "roots: [");
  EXPECT_TRUE(has_damage(read(folder)));
}

TEST(Hpctoolkit, NamesAsPeopleTypeThem) {
  const auto run = read(TestFolder(small_program().build()));
  const CallTree& tree = *run.call_tree;
  const auto kernel_time = tree.find_metric("GKER");
  ASSERT_TRUE(kernel_time);
  for (const char* name : {"GKER (sec)", "gker (inc)", "gker", "Gker:Sum (sec)", "GKER.inclusive"}) {
    EXPECT_EQ(tree.find_metric(name), kernel_time) << name;
  }
  EXPECT_EQ(tree.find_metric("time"), tree.find_metric("CPUTIME"));
  EXPECT_EQ(tree.find_metric("time"), tree.main_metric);
  EXPECT_FALSE(tree.find_metric("gkerx"));
  EXPECT_EQ(tree.metrics[*kernel_time].unit, "sec");
  EXPECT_FALSE(tree.metrics[*tree.find_metric("GKER:BLK_THR_ACUMU")].visible);
}

TEST(Hpctoolkit, TracesBecomeATimeline) {
  const auto run = read(TestFolder(small_program().build()));
  const Timeline& timeline = run.timeline;
  ASSERT_EQ(timeline.slices.size(), 4u);
  EXPECT_EQ(run.events.read, 8);
  EXPECT_EQ(run.events.instants, 4);  // "not running"
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base, 1000);
  EXPECT_EQ(timeline.slices.start, (std::vector<int64_t>{10, 30, 100, 200}));
  EXPECT_EQ(timeline.slices.duration, (std::vector<int64_t>{20, 30, 50, 60}));
  EXPECT_EQ(timeline.name(0), "work");
  EXPECT_EQ(timeline.name(2), "kernel(int)");
  EXPECT_EQ(timeline.kind(0), SliceKind::other);
  ASSERT_EQ(timeline.device_ops.size(), 2u);
  EXPECT_EQ(timeline.device_ops.stream, (std::vector<int64_t>{7, 7}));
  EXPECT_EQ(timeline.device_ops.device, (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(timeline.tracks[1].kind, TrackKind::device_stream);
  EXPECT_EQ(run.notes.count("missing_calls"), 1);  // the second thread has no trace
}

TEST(Hpctoolkit, ASampleBeforeAGapIsDrawnNoLongerThanUsual) {
  DatabaseBuilder builder = small_program();
  std::vector<std::pair<uint64_t, uint32_t>>& busy = builder.profiles[0].trace;
  std::vector<std::pair<uint64_t, uint32_t>>& brief = builder.profiles[1].trace;
  busy.clear();
  for (uint64_t i = 0; i < 20; ++i) busy.emplace_back(1000 + 10 * i, 4);  // every 10 ns until 1190
  busy.emplace_back(1203, 4);                                             // a little late
  busy.emplace_back(5000, 4);                                             // it has waited in between
  busy.emplace_back(9000, 0);                                             // its end
  brief = {{1000, 4}, {8000, 0}};                                         // too few to say it themselves
  const auto run = read(TestFolder(builder.build()));
  const Timeline& timeline = run.timeline;
  std::vector<int64_t> durations;
  int64_t gaps = 0;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (timeline.tracks[timeline.slices.track[slice]].kind != TrackKind::host_thread) continue;
    durations.push_back(timeline.slices.duration[slice]);
    EXPECT_LE(durations.back(), 15);
    gaps += durations.back() == 15 ? 1 : 0;
  }
  EXPECT_EQ(durations.size(), 23u) << "each sample is there";
  EXPECT_EQ(std::count(durations.begin(), durations.end(), 13), 1);
  EXPECT_EQ(gaps, 3);
  EXPECT_EQ(run.notes.count("shortened_sample"), 3);
  EXPECT_EQ(run.events.read, run.events.slices + run.events.instants);
  EXPECT_EQ(timeline.slices.duration[timeline.slices.size() - 1], 60) << "what a device ran is as it was recorded";
}

TEST(Hpctoolkit, SlicesOfATimelineKnowTheirPlaceInTheCallTree) {
  const auto run = read(TestFolder(small_program().build()));
  const CallTree& tree = *run.call_tree;
  ASSERT_TRUE(tree.sampled_nodes);
  for (SliceIndex slice = 0; slice < run.timeline.slices.size(); ++slice) {
    const NodeIndex node = tree.sampled_nodes->node_of(run.timeline.slices.source[slice]);
    ASSERT_NE(node, kNoNode);
    EXPECT_EQ(tree.name_of(tree.function_of(node)), run.timeline.name(slice));
  }
  EXPECT_EQ(tree.sampled_nodes->node_of(kNoSource), kNoNode);
}

TEST(Hpctoolkit, CopiesAndWaitsOnAStream) {
  DatabaseBuilder builder = small_program();
  TestContext& work = builder.entries[0].below[0].below[0].below[0];
  work.below.push_back({20, 1, 0, "<gpu copyin>", "", 0, "", 0, {}});
  work.below.push_back({21, 1, 0, "<gpu sync>", "", 0, "", 0, {}});
  work.below.push_back({22, 1, 0, "<gpu memset>", "", 0, "", 0, {}});
  builder.profiles[2].trace = {{1100, 20}, {1150, 21}, {1200, 22}};
  const auto run = read(TestFolder(builder.build()));
  const Timeline& timeline = run.timeline;
  EXPECT_EQ(timeline.kind(2), SliceKind::memcpy);
  EXPECT_EQ(timeline.kind(3), SliceKind::synchronization);
  EXPECT_EQ(timeline.kind(4), SliceKind::memset);
  EXPECT_EQ(timeline.slices.duration[4], 0);  // its end was not recorded
  EXPECT_EQ(run.notes.count("unmatched_end"), 1);
  EXPECT_EQ(timeline.device_ops.copy, (std::vector<CopyKind>{CopyKind::HtoD, CopyKind::memset}));
}

TEST(Hpctoolkit, DevicesOfSeveralRanksAreToldApart) {
  DatabaseBuilder builder = small_program();
  builder.profiles = {};
  for (const uint32_t rank : {0u, 1u}) {
    builder.profiles.push_back(
        {{{test::rank, rank}, {test::gpu_device, 0}, {test::gpu_stream, 7}}, {}, {{1000, 7}, {1010, 0}}});
  }
  const auto run = read(TestFolder(builder.build()));
  EXPECT_EQ(run.timeline.device_ops.device, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(run.world_size, 2);
  EXPECT_EQ(run.call_tree->profiles[1].name, "rank 1 GPU 0 stream 7");
}

/// By profile, by node, and by node without cct.db: the same values.
void expect_both_orders_agree(const CallTree& tree, const CallTree& without_cct) {
  for (MetricIndex m = 0; m < tree.metrics.size(); ++m) {
    if (!tree.metrics[m].measured()) continue;
    std::map<std::pair<NodeIndex, uint32_t>, double> by_profile, by_node, by_node_without;
    for (uint32_t p = 0; p < tree.profiles.size(); ++p) {
      for (const NodeValue& v : tree.profile_values->of_profile(p, m)) by_profile[{v.node, p}] = v.value;
    }
    std::map<NodeIndex, double> sums;
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      for (const ProfileValue& v : tree.profile_values->of_node(node, m)) {
        by_node[{node, v.profile}] = v.value;
        sums[node] += v.value;
      }
      for (const ProfileValue& v : without_cct.profile_values->of_node(node, m))
        by_node_without[{node, v.profile}] = v.value;
    }
    EXPECT_EQ(by_profile, by_node);
    EXPECT_EQ(by_profile, by_node_without);
    for (const auto& [node, sum] : sums) EXPECT_DOUBLE_EQ(sum, inclusive_value(tree, m, node));
  }
}

/// A tree of random shape in which each context holds something, and half of the leaves are not listed.
DatabaseBuilder random_program(uint32_t seed) {
  std::mt19937 random(seed);
  DatabaseBuilder builder;
  builder.metrics = {"CPUTIME (sec)", "odd name"};
  builder.profiles.resize(1 + random() % 5);
  for (uint32_t p = 0; p < builder.profiles.size(); ++p) builder.profiles[p].identity = {{test::thread, p}};
  uint32_t next = 1;
  using Totals = std::vector<std::vector<double>>;  // by metric and profile
  const auto none = [&] { return Totals(2, std::vector<double>(builder.profiles.size())); };
  const auto store = [&](uint32_t id, const Totals& own, const Totals& all) {
    for (uint16_t m = 0; m < 2; ++m) {
      for (size_t p = 0; p < builder.profiles.size(); ++p) builder.profiles[p].set(id, m, own[m][p], all[m][p]);
    }
  };
  const auto add = [&](Totals& to, const Totals& what) {
    for (size_t m = 0; m < 2; ++m) {
      for (size_t p = 0; p < to[m].size(); ++p) to[m][p] += what[m][p];
    }
  };
  const auto grow = [&](auto&& self, uint32_t depth, Totals& total) -> TestContext {
    TestContext context;
    context.id = next++;
    context.type = static_cast<uint8_t>(random() % 4);
    if (context.type == 0) context.function = "f" + std::to_string(random() % 6);
    if (context.type != 0 && random() % 2) context.file = "/a/b.c";
    context.line = static_cast<uint32_t>(random() % 100000);
    if (context.type == 3) context.module = "/lib/m.so";
    Totals own = none();
    for (auto& of_metric : own) {
      for (double& value : of_metric) value = random() % 3 == 0 ? static_cast<double>(random() % 1000) : 0;
    }
    Totals all = own;
    for (uint32_t child = random() % 4; depth < 6 && child > 0; --child) {
      Totals below = none();
      TestContext made = self(self, depth + 1, below);
      add(all, below);
      if (!made.below.empty() || random() % 2) context.below.push_back(std::move(made));
    }
    store(context.id, own, all);
    total = all;
    return context;
  };
  Totals root = none();
  for (uint32_t entry = 0; entry < 1 + seed % 3; ++entry) {
    Totals all = none();
    TestContext top = grow(grow, 0, all);
    const uint32_t id = next++;
    store(id, none(), all);
    builder.entries.push_back({id, "entry", {std::move(top)}});
    add(root, all);
  }
  store(0, none(), root);
  return builder;
}

TEST(Hpctoolkit, RandomProgramsConserveTheirCost) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    DatabaseBuilder builder = random_program(seed);
    const TestDatabase database = builder.build();
    const auto run = read(TestFolder(database));
    TestDatabase without_cct = database;
    without_cct.cct.clear();
    const TestFolder folder_without(without_cct);
    const auto run_without = read(folder_without);
    expect_sound(run);
    EXPECT_FALSE(has_damage(run)) << seed;
    expect_both_orders_agree(*run.call_tree, *run_without.call_tree);
    for (MetricIndex m = 0; m < run.call_tree->metrics.size(); ++m) {
      double sum = 0;
      for (const double value : exclusive_values(*run.call_tree, m)) sum += std::isnan(value) ? 0 : value;
      const double root = inclusive_value(*run.call_tree, m, 0);
      EXPECT_DOUBLE_EQ(sum, std::isnan(root) ? 0 : root) << seed;
    }

    builder.wider = 16;
    const auto wide = read(TestFolder(builder.build()));
    ASSERT_EQ(wide.call_tree->nodes.size(), run.call_tree->nodes.size());
    for (MetricIndex m = 0; m < run.call_tree->metrics.size(); ++m) {
      EXPECT_EQ(wide.call_tree->metrics[m].value, run.call_tree->metrics[m].value);
    }
  }
}

TEST(Hpctoolkit, FoundByContent) {
  const TestDatabase database = small_program().build();
  const TestFolder folder(database);
  const Input meta{folder.path() + "/meta.db", false, nullptr, database.meta.substr(0, 100)};
  ASSERT_TRUE(is_database(meta));
  EXPECT_EQ(read_database(meta, {}).call_tree->nodes.size(), 9u);
  EXPECT_FALSE(is_database({folder.path() + "/profile.db", false, nullptr, database.profile.substr(0, 100)}));
  folder.write("meta.db", "something else");
  EXPECT_FALSE(is_database(folder_input(folder.path())));
}

TEST(Hpctoolkit, TheFormatBeforeIsRefusedWithAReason) {
  TestDatabase database;
  database.profile = "HPCPROF-pmsdb___" + std::string(112, '\0');
  const TestFolder folder(database);
  ASSERT_TRUE(is_database(folder_input(folder.path())));
  try {
    read(folder);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("hpcprof"), std::string::npos);
  }
}

TEST(Hpctoolkit, ALaterMajorVersionIsRefused) {
  TestDatabase database = small_program().build();
  database.meta[14] = 5;
  EXPECT_THROW(read(TestFolder(database)), Error);
}

TEST(Hpctoolkit, MissingFilesLeaveTheRest) {
  const TestDatabase whole = small_program().build();
  for (std::string TestDatabase::*file : {&TestDatabase::profile, &TestDatabase::cct, &TestDatabase::trace}) {
    TestDatabase part = whole;
    (part.*file).clear();
    const TestFolder folder(part);
    const auto run = read(folder);
    expect_sound(run);
    EXPECT_EQ(run.call_tree->nodes.size(), 9u);
    EXPECT_EQ(has_damage(run),
              file == &TestDatabase::profile);  // values of cct.db are in profile.db; traces are optional
  }
}

struct NamedFile {
  const char* name;
  std::string TestDatabase::*bytes;
};
constexpr NamedFile kFiles[] = {{"meta.db", &TestDatabase::meta},
                                {"profile.db", &TestDatabase::profile},
                                {"cct.db", &TestDatabase::cct},
                                {"trace.db", &TestDatabase::trace}};

/// Reads the database with a file replaced; an Error is an answer, else what was read must hold together. Whether
/// anything was said about damage.
bool survives(const TestFolder& folder, const char* file, const std::string& bytes) {
  folder.write(file, bytes);
  try {
    const auto run = read(folder);
    expect_sound(run);
    return has_damage(run);
  } catch (const Error&) {
    return true;
  }
}

TEST(Hpctoolkit, CutOffAnywhereIsReadAsFarAsItGoes) {
  const TestDatabase whole = random_program(7).build();
  for (const auto& [name, bytes] : kFiles) {
    const TestFolder folder(whole);
    for (size_t part = 1; part < 64; ++part) {
      const std::string cut = (whole.*bytes).substr(0, (whole.*bytes).size() * part / 64);
      EXPECT_TRUE(cut.empty() || survives(folder, name, cut)) << name << " part " << part;
    }
  }
}

TEST(Hpctoolkit, AnyFieldMayBeWrong) {
  const TestDatabase whole = small_program().build();
  for (const auto& [name, bytes] : kFiles) {
    const TestFolder folder(whole);
    const size_t size = (whole.*bytes).size();
    for (size_t at = 0; at < size; at += 4) {
      for (const char fill : {'\0', '\xff'}) {
        std::string changed = whole.*bytes;
        for (size_t i = at; i < std::min(at + (at % 8 == 0 ? 8 : 4), size); ++i) changed[i] = fill;
        survives(folder, name, changed);
      }
    }
  }
}

TEST(Hpctoolkit, CyclicChildrenEnd) {
  const TestDatabase whole = small_program().build();
  // Point the children of each 8-aligned word that looks like (size, offset) back at every other.
  std::vector<size_t> pairs;
  const auto word = [&](size_t at) {
    uint64_t value = 0;
    std::memcpy(&value, whole.meta.data() + at, 8);
    return value;
  };
  for (size_t at = 0x90; at + 16 <= whole.meta.size(); at += 8) {
    const uint64_t size = word(at);
    const uint64_t offset = word(at + 8);
    if (size >= 32 && size < 400 && size % 8 == 0 && offset > 0x90 && offset + size <= whole.meta.size() &&
        offset % 8 == 0) {
      pairs.push_back(at);
    }
  }
  ASSERT_GE(pairs.size(), 4u);
  int64_t damaged = 0;
  const TestFolder folder(whole);
  for (const size_t from : pairs) {
    for (const size_t to : pairs) {
      if (from == to) continue;
      std::string changed = whole.meta;
      std::memcpy(changed.data() + from, whole.meta.data() + to, 16);
      damaged += survives(folder, "meta.db", changed) ? 1 : 0;
    }
  }
  EXPECT_GT(damaged, 0);
}

TEST(Hpctoolkit, ValuesThatAreNoNumbersAreLeftOutAndCounted) {
  DatabaseBuilder builder = small_program();
  builder.profiles[0].values[5][1] = std::nan("");
  const auto run = read(TestFolder(builder.build()));
  EXPECT_EQ(run.notes.count("invalid_number"), 1);
  expect_sound(run);
}

TEST(Hpctoolkit, TimesBeyondACenturyAreLeftOutAndCounted) {
  DatabaseBuilder builder = small_program();
  builder.profiles[2].trace.push_back({kMostTime, 7});
  const auto run = read(TestFolder(builder.build()));
  EXPECT_EQ(run.notes.count("invalid_number"), 1);
  EXPECT_EQ(run.events.skipped, 1);
  for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) EXPECT_TRUE(is_time(run.timeline.slices.end(i)));
  expect_sound(run);
}

TEST(Hpctoolkit, PartsThatDoNotAddUpAreNoted) {
  DatabaseBuilder builder = small_program();
  builder.profiles[0].values[9][0] = 7;
  EXPECT_TRUE(has_damage(read(TestFolder(builder.build()))));
}

}  // namespace
}  // namespace cgpu::hpctoolkit
