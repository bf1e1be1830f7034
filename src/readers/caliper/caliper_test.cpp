#include "readers/caliper/caliper.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/reader.h"

namespace cgpu::caliper {
namespace {

/// Attributes: 20 region (nested), 21 mpi.rank, 22 sum#time.duration ("Time", usec), 23 inclusive..., 24 min#..., 25 a
/// kernel's name, 26 its activity, 27 sourceloc#pc, 28 hidden, 29 a global, 30 avg#x.
constexpr const char* kAttributes =
    "__rec=node,id=11,attr=8,data=attribute.alias,parent=3\n"
    "__rec=node,id=12,attr=8,data=attribute.unit,parent=3\n"
    "__rec=node,id=13,attr=10,data=256,parent=3\n"
    "__rec=node,id=14,attr=10,data=1,parent=5\n"
    "__rec=node,id=15,attr=10,data=129,parent=5\n"
    "__rec=node,id=16,attr=10,data=512,parent=3\n"
    "__rec=node,id=17,attr=12,data=usec,parent=14\n"
    "__rec=node,id=18,attr=11,data=Time\\, all\\=both,parent=17\n"
    "__rec=node,id=20,attr=8,data=region,parent=13\n"
    "__rec=node,id=21,attr=8,data=mpi.rank,parent=1\n"
    "__rec=node,id=22,attr=8,data=sum#time.duration,parent=18\n"
    "__rec=node,id=23,attr=8,data=inclusive#sum#time.duration,parent=14\n"
    "__rec=node,id=24,attr=8,data=min#time.duration,parent=14\n"
    "__rec=node,id=25,attr=8,data=cupti.kernel.name,parent=3\n"
    "__rec=node,id=26,attr=8,data=cupti.activity.kind,parent=3\n"
    "__rec=node,id=27,attr=8,data=sourceloc#pc,parent=3\n"
    "__rec=node,id=28,attr=8,data=hidden,parent=15\n"
    "__rec=node,id=29,attr=8,data=jobsize,parent=16\n"
    "__rec=node,id=30,attr=8,data=avg#x,parent=14\n"
    "__rec=node,id=31,attr=8,data=api_token,parent=16\n";

constexpr const char* kPaths =
    "__rec=node,id=40,attr=20,data=main\n"
    "__rec=node,id=41,attr=20,data=a\\\\b\\nc,parent=40\n"
    "__rec=node,id=42,attr=25,data=_Z1kv\n"
    "__rec=node,id=43,attr=20,data=launch,parent=42\n"
    "__rec=node,id=44,attr=26,data=memcpy\n"
    "__rec=node,id=45,attr=27,data=dir/f.c:12,parent=41\n";

Run read(const std::string& text) {
  const test::TestFile file(text, ".cali");
  return std::move(open_inputs({file.path()}, {}).runs.front());
}
Run read_records_of(const std::string& snapshots) {
  return read(std::string(kAttributes) + kPaths + snapshots);
}

/// The inclusive value at a path such as "main/a"; NaN where there is no such node.
double value(const Run& run, std::string_view metric, const std::string& path) {
  const CallTree& tree = *run.call_tree;
  const auto index = tree.find_metric(metric);
  for (NodeIndex node = 0; index && node < tree.nodes.size(); ++node) {
    std::string names;
    for (NodeIndex n = node; n != 0; n = tree.nodes.parent[n]) names = tree.name_of(n) + (n == node ? "" : "/") + names;
    if (names == path) return inclusive_value(tree, *index, node);
  }
  return kNoValue;
}

TEST(CaliperRecords, ValuesAreSummedOverPathsAndRanks) {
  const auto run = read_records_of(
      "__rec=ctx,attr=21=22,data=0=1\n"
      "__rec=ctx,ref=40,attr=21=22,data=0=10\n"
      "__rec=ctx,ref=41,attr=21=22=28,data=0=100=7\n"
      "__rec=ctx,ref=41,attr=21=22,data=3=1000\n");
  EXPECT_EQ(run.format, "caliper");
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.metrics.size(), 1u);  // what is hidden is none
  EXPECT_EQ(tree.metrics[0].name, "Time, all=both");
  EXPECT_EQ(tree.metrics[0].unit, "us");
  EXPECT_EQ(tree.find_metric("sum#time.duration"), 0u);
  EXPECT_EQ(tree.find_metric("time"), 0u);
  EXPECT_EQ(value(run, "time", ""), 1111);
  EXPECT_EQ(value(run, "time", "main"), 1110);
  EXPECT_EQ(value(run, "time", "main/a\\b\nc"), 1100);
  ASSERT_EQ(tree.profiles.size(), 2u);
  EXPECT_EQ(tree.profiles[1].name, "rank 3");
  EXPECT_EQ(tree.profile_values->of_node(1, 0)[0].value, 110);
  EXPECT_EQ(run.world_size, 4);
  EXPECT_TRUE(run.notes.all().empty());
}

TEST(CaliperRecords, InclusiveValuesAreNotSummedUp) {
  const auto run = read_records_of(
      "__rec=ctx,attr=23,data=5\n__rec=ctx,ref=40,attr=23,data=100\n__rec=ctx,ref=41,attr=23,data=60\n");
  EXPECT_EQ(value(run, "time", ""), 105);
  EXPECT_EQ(value(run, "time", "main"), 100);
  EXPECT_EQ(exclusive_values(*run.call_tree, 0), (std::vector<double>{5, 40, 60}));
}

TEST(CaliperRecords, AQuantityGivenTwiceIsShownOnce) {
  const auto run = read_records_of("__rec=ctx,ref=40,attr=22=23,data=4=9\n__rec=ctx,ref=41,attr=22=23,data=5=5\n");
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.metrics.size(), 2u);
  EXPECT_TRUE(tree.metrics[*tree.main_metric].visible);
  EXPECT_FALSE(tree.metrics[1 - *tree.main_metric].visible);
  EXPECT_EQ(value(run, "time", "main"), 9);
  EXPECT_EQ(value(run, "inclusive#sum#time.duration", "main"), 9);
}

TEST(CaliperRecords, LeastAndAverageValues) {
  const auto run = read_records_of(
      "__rec=ctx,attr=24,data=9\n__rec=ctx,ref=40,attr=24=30,data=7=1\n__rec=ctx,ref=40,attr=24=30,data=5=2\n");
  EXPECT_EQ(value(run, "min#time.duration", "main"), 5);
  EXPECT_TRUE(std::isnan(value(run, "min#time.duration", "")));
  EXPECT_TRUE(std::isnan(value(run, "avg#x", "main")));
  EXPECT_EQ(run.notes.count("ambiguous_value"), 1);
}

TEST(CaliperRecords, WhatRanOnADeviceIsInnermost) {
  const auto run = read_records_of(
      "__rec=ctx,ref=40=43,attr=22,data=1\n__rec=ctx,ref=40=44,attr=22,data=2\n__rec=ctx,ref=45,attr=22,data=4\n");
  EXPECT_EQ(value(run, "time", "main/launch/k()"), 1);
  EXPECT_EQ(value(run, "time", "main/memcpy"), 2);
  EXPECT_EQ(value(run, "time", "main/a\\b\nc/f.c:12"), 4);
}

TEST(CaliperRecords, FactsWithoutSecrets) {
  const auto run = read_records_of(
      "__rec=node,id=50,attr=29,data=16\n__rec=node,id=51,attr=31,data=abc,parent=50\n"
      "__rec=ctx,ref=40,attr=22,data=1\n__rec=globals,ref=51,attr=30,data=x\n");
  EXPECT_EQ(run.world_size, 16);
  EXPECT_EQ(run.notes.count("credentials_present"), 1);
  for (const auto& [key, fact] : run.metadata) EXPECT_NE(key, "api_token");
}

TEST(CaliperRecords, TimeSeriesAreATimeline) {
  const std::string text = std::string(kAttributes) + kPaths +
                           "__rec=node,id=60,attr=8,data=timeseries.starttime,parent=14\n"
                           "__rec=node,id=61,attr=8,data=timeseries.duration,parent=14\n"
                           "__rec=node,id=62,attr=8,data=timeseries.snapshot,parent=14\n"
                           "__rec=node,id=63,attr=8,data=loop.iterations,parent=14\n"
                           "__rec=ctx,ref=41,attr=22=62=63,data=3=0=20\n"
                           "__rec=ctx,ref=40,attr=60=62=61=60=63,data=100.000001=0=0.25=100.3=20\n"
                           "__rec=ctx,ref=40,attr=60=62=61=63,data=100.250001=1=-1=20\n"
                           "__rec=ctx,ref=40,attr=60=62=61=63,data=1e300=1=1=5\n";
  const auto run = read(text);
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base, 100'000'001'000);
  ASSERT_EQ(run.timeline.slices.size(), 1u);
  EXPECT_EQ(run.timeline.slices.duration[0], 250'000'000);
  EXPECT_EQ(run.timeline.name(0), "main");
  ASSERT_EQ(run.timeline.counters.value.size(), 1u);
  EXPECT_EQ(run.timeline.counters.value[0], 20);
  EXPECT_EQ(value(run, "loop.iterations", "main"), 45);
  EXPECT_EQ(run.events.skipped, 2);
  EXPECT_EQ(run.events.read, run.events.slices + run.events.counters + run.events.skipped);
}

TEST(CaliperRecords, BadInput) {
  const std::string good = "__rec=ctx,ref=41,attr=22,data=1\n";
  for (const char* bad :
       {"__rec=ctx,ref=99,attr=22,data=1\n", "__rec=ctx,ref=40,attr=22=21,data=1\n",
        "__rec=ctx,ref=40,attr=99,data=1\n", "__rec=ctx,ref=,attr=,data=\n", "__rec=ctx,ref=40,attr=22,data=1e999\n",
        "__rec=ctx,ref=40,attr=22,data=nan\n", "__rec=node,id=70,attr=20,data=x,parent=70\n",
        "__rec=node,id=40,attr=20,data=again\n", "__rec=node,id=70\n",
        "__rec=node,id=18446744073709551616,attr=20,data=x\n", "garbage\n", "__rec=\n", "__rec=other\n"}) {
    const auto run = read_records_of(bad + good);
    EXPECT_EQ(value(run, "time", "main/a\\b\nc"), 1) << bad;
    EXPECT_FALSE(run.notes.all().empty()) << bad;
  }
  std::string deep(kAttributes);
  for (int i = 100; i < 20000; ++i) {
    deep +=
        "__rec=node,id=" + std::to_string(i) + ",attr=20,data=x,parent=" + std::to_string(i == 100 ? 3 : i - 1) + "\n";
  }
  EXPECT_GT(read(deep + "__rec=ctx,ref=19999=4000,attr=22,data=1\n").notes.count("damaged_input"), 0);
  EXPECT_THROW(read(kAttributes), Error);
}

TEST(CaliperRecords, ALastLineWithoutAnEndIsCutWhereFieldsAreMissing) {
  const auto is_cut = [](const std::string& last) {
    return read_records_of("__rec=ctx,ref=41,attr=22,data=1\n" + last).notes.count("truncated_input") > 0;
  };
  EXPECT_FALSE(is_cut("__rec=ctx,ref=41,attr=21=22,data=1=100"));
  EXPECT_FALSE(is_cut("__rec=globals,ref=51"));
  EXPECT_TRUE(is_cut("__rec=ctx,ref=41,attr=21=22,data=1"));
  EXPECT_TRUE(is_cut("__rec=node,id=70,attr=20"));
}

TEST(CaliperRecords, CutAnywhere) {
  const std::string whole = std::string(kAttributes) + kPaths +
                            "__rec=ctx,ref=40=43,attr=21=22,data=0=10\n__rec=ctx,ref=41=44,attr=21=22,data=1=100\n";
  for (size_t size = 0; size < whole.size(); ++size) {
    try {
      const cgpu::Run run = read(whole.substr(0, size));
      EXPECT_EQ(run.events.read, run.events.slices + run.events.counters + run.events.skipped);
    } catch (const Error&) {
    }
  }
}

constexpr const char* kDocument = R"({
  "data": [[1, 0, 4, null], [10, 0, 3, 0], [100, 1, 2, 1], [5, 1, 1, 2]],
  "columns": ["sum#time.duration", "mpi.rank", "count", "path"],
  "column_metadata": [{"is_value": true, "attribute.unit": "sec", "attribute.alias": "time"}, {"is_value": true},
                      {"is_value": true}, {"is_value": false}],
  "nodes": [{"label": "main", "column": "path"}, {"label": "f", "column": "path", "parent": 0},
            {"label": "g", "column": "path", "parent": 1}],
  "cali.caliper.version": "2.10.0", "mpi.world.size": "2", "password": "x"})";

TEST(CaliperJsonSplit, RowsBecomeACallTree) {
  const auto run = read(kDocument);
  EXPECT_EQ(run.format, "caliper");
  EXPECT_EQ(run.format_version, "2.10.0");
  EXPECT_EQ(run.world_size, 2);
  EXPECT_EQ(value(run, "time", ""), 116);
  EXPECT_EQ(value(run, "time", "main/f"), 105);
  EXPECT_EQ(value(run, "time", "main/f/g"), 5);
  EXPECT_EQ(value(run, "count", ""), 10);
  EXPECT_EQ(run.call_tree->metrics[*run.call_tree->main_metric].unit, "sec");
  EXPECT_EQ(run.call_tree->profiles.size(), 2u);
  EXPECT_EQ(run.notes.count("credentials_present"), 1);
}

TEST(CaliperJsonSplit, SamplesOfCallPaths) {
  const auto run = read(R"({"data": [[3, 0, 2], [4, 1, null], [5, 1, 3]],
    "columns": ["count", "source.function#callpath.address", "sourceloc#pc"],
    "column_metadata": [{"is_value": true}, {"is_value": false}, {"is_value": false}],
    "nodes": [{"label": "main"}, {"label": "f", "parent": 0}, {"label": "d/x.c:7"}, {"label": "UNKNOWN"}]})");
  EXPECT_EQ(value(run, "count", "main/x.c:7"), 3);
  EXPECT_EQ(value(run, "count", "main/f"), 9);
  EXPECT_EQ(value(run, "count", ""), 12);
}

TEST(CaliperJsonSplit, BadInput) {
  const std::string columns = R"("columns": ["sum#time.duration", "path"], "column_metadata": [{"is_value": true},
      {"is_value": false}], "nodes": [{"label": "main", "parent": 5}, {"label": "f", "parent": 0}, 7])";
  const auto run =
      read("{" + columns + R"(, "data": [[1], [2, 1, 3], [4, 99], [5, -1], ["x", 1], 6, [7, 1.5], [8, 1]]})");
  EXPECT_EQ(value(run, "time", "main/f"), 10);
  EXPECT_EQ(value(run, "time", ""), 27);
  EXPECT_GT(run.notes.count("damaged_input"), 0);
  EXPECT_GT(run.notes.count("ragged_row"), 0);
  EXPECT_GT(run.notes.count("invalid_number"), 0);
  EXPECT_THROW(read(R"({"data": [[1, 2]]})"), Error);
}

TEST(CaliperJsonSplit, CutAnywhere) {
  const std::string whole = kDocument;
  int read_some = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    try {
      EXPECT_GT(read(whole.substr(0, size)).notes.count("truncated_input"), 0) << size;
      ++read_some;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read_some, 100);
}

TEST(Caliper, OtherDocumentsAreNotTaken) {
  EXPECT_TRUE(is_json_split(kDocument));
  EXPECT_TRUE(is_json_split("{\"data\":[[1,null"));
  EXPECT_TRUE(is_json_split("{\"data\": [\n [ 1.5, 0, null ],\n"));
  EXPECT_FALSE(is_json_split(R"({"data": [[1, "x"]]})"));
  EXPECT_FALSE(is_json_split(R"({"data": [{"a": 1}]})"));
  EXPECT_FALSE(is_json_split(R"({"traceEvents": []})"));
  EXPECT_FALSE(is_records("__re"));
}

}  // namespace
}  // namespace cgpu::caliper
