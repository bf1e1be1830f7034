#include "session/summary.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/test_file.h"
#include "session/summary_archive.h"

namespace cgpu {
namespace {

Table built_table() {
  Table table("built", "for this test",
              {{"name", ColumnType::text, "", "a text", ColumnRole::key},
               {"ns", ColumnType::integer, "ns", "a time"},
               {"share", ColumnType::real, "%", "a share"}});
  table.append({std::string("a\0b", 3), int64_t{-5}, 0.25});
  table.append({Cell(), Cell(), Cell()});
  table.append({std::string(), INT64_MAX, -1e300});
  return table;
}

Summary built_summary() {
  Summary summary;
  for (int64_t rank = 0; rank < 3; ++rank) {
    cgpu::Run& run = summary.session.runs.emplace_back();
    run.file = "trace.json";
    run.format = "kineto";
    run.rank = rank;
    run.rank_known = true;
    run.world_size = 8;
    run.devices.push_back({0, "NVIDIA H100", "NVIDIA", {}, {}, {}, ""});
    run.notes.add("orphan_device_op", 3, "without a launch", rank == 1);
    run.let_go.emplace();
    run.let_go->slices = 100 + rank;
    run.let_go->extent = Interval{-7, 1'000'000};
    run.let_go->used_devices = {0, 3};
    summary.numbers.push_back(static_cast<uint32_t>(2 - rank));
  }
  summary.session.inputs = {"folder"};
  summary.partials["kernels"] = std::string(300, '\x7f');
  summary.tables.push_back(built_table());
  summary.left_out = {"call_tree"};
  summary.figures = "figures";
  return summary;
}

TEST(Summary, ComesBackAsItWas) {
  const std::string bytes = summary_to_bytes(built_summary());
  const Summary read = summary_from_bytes(bytes, "run.cgpu");
  ASSERT_EQ(read.session.runs.size(), 3U);
  const cgpu::Run& run = read.session.runs[1];
  EXPECT_EQ(run.rank, 1);
  EXPECT_EQ(run.world_size, 8);
  EXPECT_EQ(run.devices.at(0).name, "NVIDIA H100");
  EXPECT_EQ(run.notes.count("orphan_device_op"), 3);
  EXPECT_TRUE(run.notes.all().at(0).damage);
  EXPECT_EQ(run.let_go->slices, 101);
  EXPECT_EQ(run.let_go->extent, (Interval{-7, 1'000'000}));
  EXPECT_FALSE(run.let_go->event_extent.has_value());
  EXPECT_EQ(run.let_go->used_devices, (std::set<int32_t>{0, 3}));
  EXPECT_EQ(read.numbers, (std::vector<uint32_t>{2, 1, 0}));
  ASSERT_EQ(read.tables.size(), 1U);
  EXPECT_TRUE(read.tables[0] == built_table());
  EXPECT_EQ(read.tables[0].columns[2].about, "a share");
  EXPECT_EQ(summary_to_bytes(read), bytes);
}

TEST(Summary, DamagedOnesAreRefused) {
  const std::string bytes = summary_to_bytes(built_summary());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(summary_from_bytes(bytes.substr(0, size), "x"), Error) << size;
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      EXPECT_THROW(summary_from_bytes(flipped, "x"), Error) << at << " bit " << bit;
    }
  }
  EXPECT_THROW(summary_from_bytes(bytes + "x", "x"), Error);
}

TEST(Summary, AnotherVersionSaysSo) {
  std::string bytes = summary_to_bytes(built_summary());
  ++bytes[std::string("\x89"
                      "cgpu run\r\n")
              .size()];
  try {
    summary_from_bytes(bytes, "run.cgpu");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("run.cgpu: is a summary of version 2"), std::string::npos) << error.what();
  }
}

TEST(Summary, TablesAreReadWithSuspicion) {
  ByteWriter writer;
  write_table(writer, built_table());
  const std::string bytes = writer.take();
  for (size_t at = 0; at < bytes.size(); ++at) {  // without a checksum in front of it
    for (int change = 1; change < 256; change += 5) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] + change);
      try {
        ByteReader reader(changed, "x");
        const Table table = read_table(reader);
        for (const RowView row : table.rows()) EXPECT_EQ(row.cells().size(), table.columns.size());
      } catch (const Error&) {
      }
    }
  }
}

TEST(Summary, TimesThatCannotBeAreRefused) {
  Summary summary = built_summary();
  summary.session.runs[2].let_go->extent = Interval{INT64_MIN, INT64_MAX};
  EXPECT_THROW(summary_from_bytes(summary_to_bytes(summary), "x"), Error);
}

TEST(Summary, ARecordedCallTreeHasNoPartialResult) {
  Summary summary = built_summary();
  summary.session.runs[0].call_tree.emplace();
  summary.partials["functions"] = "anything";
  EXPECT_THROW(fold_summary(summary_from_bytes(summary_to_bytes(summary), "x"), "x", {{&find_analysis("functions")}}),
               Error);
}

TEST(Summary, TablesThatAreNotKeptSayWhy) {
  const auto message = [](const WantedTable& wanted) {
    try {
      fold_summary(built_summary(), "run.cgpu", {wanted});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({&find_analysis("slices")}).find("needs the timeline"), std::string::npos);
  EXPECT_NE(message({&find_analysis("call_tree")}).find("too large"), std::string::npos);
  TableOptions base;
  base.set("names", {"base"});
  EXPECT_NE(message({&find_analysis("kernels"), base}).find("without options"), std::string::npos);
  EXPECT_NE(message({&find_analysis("kernels")}).find("is no partial result"), std::string::npos);
  EXPECT_EQ(message({&find_analysis("findings"), {}, true}), "");
}

}  // namespace
}  // namespace cgpu
