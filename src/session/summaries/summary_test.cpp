#include "session/summaries/summary.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "analysis/idle/idle_causes.h"
#include "analysis/ranks/device_cycles.h"
#include "base/error.h"
#include "base/test_file.h"
#include "base/test_sanitized.h"
#include "kernels/kernel_class.h"
#include "links/clocks.h"
#include "session/summaries/summary_messages.h"
#include "session/summaries/summary_session.h"

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

RunRecord built_record(int64_t rank) {
  RunRecord record;
  cgpu::Run& run = record.run;
  run.file = "trace_" + std::to_string(rank) + ".json";
  run.format = "kineto";
  run.rank = rank;
  run.rank_known = true;
  run.world_size = 8;
  run.clock_is_unix = true;
  run.clock_base = 1'000'000'000 * rank;
  run.metadata = {{"torch", "2.9"}};
  run.events.read = 1000;
  run.groups.push_back({"13", "mesh_pp", "nccl", 8, {}, rank});
  run.devices.push_back({0, "NVIDIA H100", "NVIDIA", 132, {}, {}, "9.0"});
  run.notes.add("orphan_device_op", 3, "without a launch", rank == 1);
  run.released_totals.emplace();
  run.released_totals->slices = 100 + rank;
  run.released_totals->extent = Interval{-7, 1'000'000};
  run.released_totals->used_devices = {0, 3};
  Timeline& timeline = run.timeline;
  timeline.categories = {{"kernel", SliceKind::kernel}};
  timeline.tracks.resize(2);
  timeline.tracks[1].process = "4711";
  for (int64_t step = 0; step < 4; ++step) {
    const SliceIndex slice = static_cast<SliceIndex>(step);
    timeline.slices.append({.start = 1000 * step + 10 * rank,
                            .duration = 500,
                            .name = timeline.names.intern("ncclDevKernel_AllReduce"),
                            .track = 1});
    timeline.slices.parent.push_back(kNone);
    timeline.slices.launch.push_back(kNone);
    timeline.device_ops.append({.slice = slice, .device = 3, .stream = 20});
    timeline.device_ops.kind.push_back(OpKind::communication);
    timeline.device_ops.kernel_class.push_back(0);
    Collective& collective = timeline.collectives.emplace_back();
    collective.slice = slice;
    collective.name = timeline.names.intern("allreduce");
    collective.group = timeline.names.intern("0");
    collective.sequence = step;
  }
  record.waits = {{1, {5, 9}}};
  record.figures = "figures";
  record.left_out = {"call_tree"};
  record.kept = {"kernels"};
  record.partials["kernels"] = std::string(300, '\x7f');
  return record;
}

std::string built_bytes(const std::vector<int64_t>& ranks) {
  std::vector<RunRecord> records;
  for (const int64_t rank : ranks) records.push_back(built_record(rank));
  return summary_to_bytes(records, {{built_table()}, {"functions"}});
}

std::string written(const Summary& summary) {
  std::ostringstream out;
  write_summary(out, summary);
  return out.str();
}

/// Reads all of it.
void read_whole(const std::string& bytes) {
  Summary summary = summary_from_bytes(bytes, "x");
  summary.leave_out_damaged(true, nullptr);
  for (size_t run = 0; run < summary.runs().size(); ++run) {
    const std::string record = summary.record(run);
    const RecordReader reader = summary.reader_of(run, record);
    reader.run();
    reader.partials();
  }
  summary.finished();
}

OpenOptions opened_as(const std::string& name) {
  OpenOptions open;
  open.inputs = {name};
  open.threads = 2;
  return open;
}

TEST(Summary, ComesBackAsItWas) {
  const std::string bytes = built_bytes({2, 0, 1});
  const Summary read = summary_from_bytes(bytes, "run.cgpu");
  ASSERT_EQ(read.runs().size(), 3U);
  EXPECT_EQ(read.runs()[1].rank, 1);
  EXPECT_EQ(read.runs()[1].file, "trace_1.json");
  const std::string record = read.record(1);
  const RecordReader reader = read.reader_of(1, record);
  const RunRecord kept = reader.run();
  const cgpu::Run& run = kept.run;
  EXPECT_EQ(run.rank, 1);
  EXPECT_EQ(run.world_size, 8);
  EXPECT_EQ(run.groups.at(0).name, "13");
  EXPECT_EQ(run.groups.at(0).description, "mesh_pp");
  EXPECT_EQ(run.groups.at(0).size, 8);
  EXPECT_EQ(run.groups.at(0).place, 1);
  EXPECT_EQ(run.devices.at(0).sm_count, 132);
  EXPECT_EQ(run.metadata, built_record(1).run.metadata);
  EXPECT_EQ(run.notes.count("orphan_device_op"), 3);
  EXPECT_TRUE(run.notes.all().at(0).damage);
  EXPECT_EQ(run.released_totals->slices, 101);
  EXPECT_EQ(run.released_totals->extent, (Interval{-7, 1'000'000}));
  EXPECT_FALSE(run.released_totals->event_extent.has_value());
  EXPECT_EQ(run.released_totals->used_devices, (std::set<int32_t>{0, 3}));
  ASSERT_EQ(run.timeline.slices.size(), 4U);
  EXPECT_EQ(run.timeline.slices.start[3], 3010);
  EXPECT_EQ(run.timeline.name(3), "ncclDevKernel_AllReduce");
  EXPECT_EQ(run.timeline.tracks[1].process, "4711");
  EXPECT_EQ(run.timeline.device_ops.stream[2], 20);
  EXPECT_EQ(run.timeline.collectives.at(3).sequence, 3);
  EXPECT_EQ(run.timeline.names[run.timeline.collectives[3].group], "0");
  EXPECT_EQ(kept.figures, "figures");
  EXPECT_EQ(kept.left_out, built_record(1).left_out);
  EXPECT_EQ(kept.kept, built_record(1).kept);
  EXPECT_EQ(reader.partials(), built_record(1).partials);
  EXPECT_EQ(run_part(kept), run_part(built_record(1)));
  const FinishedTables finished = read.finished();
  ASSERT_EQ(finished.tables.size(), 1U);
  EXPECT_TRUE(finished.tables[0] == built_table());
  EXPECT_EQ(finished.tables[0].columns[2].about, "a share");
  EXPECT_EQ(finished.left_out, (std::vector<std::string>{"functions"}));
  EXPECT_EQ(written(read), bytes);
}

TEST(Summary, UnitedInAnyOrderAndGrouping) {
  const auto of = [](const std::vector<int64_t>& ranks) { return summary_from_bytes(built_bytes(ranks), "x"); };
  const std::string expected = written(united({of({0}), of({1}), of({2}), of({3})}));
  EXPECT_EQ(written(united({of({3}), united({of({1}), of({0, 2})})})), expected);
  EXPECT_EQ(written(united({united({of({3, 1}), of({1, 2})}), of({0})})), expected);
  EXPECT_TRUE(summary_from_bytes(expected, "x").finished().tables.empty()) << "tables are of the runs together";
  EXPECT_EQ(written(united({of({1}), of({0, 1})})), built_bytes({0, 1})) << "nothing has come to it";
  EXPECT_EQ(united({of({1}), of({0, 1})}).repeated(), 1U);
  EXPECT_EQ(missing_ranks(of({0, 3, 4})), "1-2,5-7");
}

TEST(Summary, DamagedOnesAreRefused) {
  const std::string bytes = built_bytes({0, 1});
  read_whole(bytes);
  size_t refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_THROW(read_whole(bytes.substr(0, size)), Error) << size;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      try {
        read_whole(flipped);
        // The bits of the tenth byte of a varint that mean nothing.
        EXPECT_EQ(written(summary_from_bytes(flipped, "x")), bytes) << at << " bit " << bit;
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 3 * bytes.size() - 20);
  EXPECT_THROW(read_whole(bytes + "x"), Error);
}

TEST(Summary, DamagedRecordsAreLeftOutAndCounted) {
  std::string bytes = built_bytes({0, 1, 2});
  const Summary whole = summary_from_bytes(bytes, "x");
  bytes[whole.runs()[1].position + 20] ^= 1;
  Summary damaged = summary_from_bytes(bytes, "x");
  EXPECT_THROW(damaged.record(1), Error);
  std::vector<std::string> warnings;
  damaged.leave_out_damaged(false, [&](const std::string& line) { warnings.push_back(line); });
  EXPECT_EQ(damaged.runs().size(), 2U);
  EXPECT_EQ(damaged.damaged(), (std::vector<std::string>{"trace_1.json"}));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("trace_1.json"), std::string::npos);
  EXPECT_TRUE(damaged.finished().tables.empty());
  EXPECT_EQ(summary_from_bytes(written(damaged), "x").damaged(), damaged.damaged());
}

TEST(Summary, AnUnknownVersionSaysSo) {
  const auto message_of = [](uint8_t version) {
    std::string bytes = built_bytes({0});
    bytes[std::string("\x89"
                      "cgpu run\r\n")
              .size()] = static_cast<char>(version);
    try {
      summary_from_bytes(bytes, "run.cgpu");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message_of(11).find("run.cgpu: is a summary of version 11; this program knows 9 and 10: use a newer"),
            std::string::npos)
      << message_of(11);
  EXPECT_NE(message_of(8).find("version 8; this program knows 9 and 10: make it again"), std::string::npos)
      << message_of(8);
}

/// A field of a message of protocol buffers with a number that no version has had, in front of what `bytes` end with.
std::string with_unknown_field(std::string bytes) {
  protozero::pbf_writer(bytes).add_string(1000, "of a later version");
  return bytes;
}

TEST(Summary, WhatALaterVersionAddsIsSkipped) {
  const RunRecord record = built_record(1);
  const RunRecord read = run_of_part(with_unknown_field(run_part(record)), "x");
  EXPECT_EQ(run_part(read), run_part(record));
}

template <typename Kind>
std::string texts_of(int count) {
  std::string texts;
  for (int number = 0; number < count; ++number) texts += std::string(text_of(static_cast<Kind>(number))) + " ";
  return texts;
}

/// As files of version 10 have them: what is added comes last, or numbers of earlier files are mapped when they are
/// read.
TEST(Summary, EnumeratorsKeepTheirNumbers) {
  EXPECT_EQ(texts_of<SliceKind>(static_cast<int>(kSliceKinds)),
            "framework_op annotation python_function runtime_call driver_call os_call kernel memcpy memset "
            "device_collective device_annotation synchronization overhead profiler_span other ");
  EXPECT_EQ(texts_of<KernelClass>(kKernelClasses),
            "copy set collective expert_exchange custom_collective kv_cache rope embedding normalization quantization "
            "moe_routing moe_gemm attention state_space convolution gemm optimizer softmax_loss activation sort_scan "
            "random pooling layout indexing reduction elementwise fused unknown ");
  EXPECT_EQ(texts_of<IdleCause>(kIdleCauses),
            "synchronization blocking_copy data_loading allocation compilation module_load garbage_collection lock io "
            "not_scheduled no_work host_code launch_overhead dependency other_rank profiler_overhead profile_edge "
            "unknown ");
  EXPECT_EQ(texts_of<ColumnRole>(static_cast<int>(ColumnRole::text) + 1), "key measure depth moment text ");
  EXPECT_EQ(texts_of<ColumnType>(static_cast<int>(ColumnType::text) + 1), "int float text ");
  EXPECT_EQ(static_cast<int>(TrackKind::other), 2);
  EXPECT_EQ(static_cast<int>(OpKind::memory), 2);
  EXPECT_EQ(static_cast<int>(NodeKind::device_op), 11);
  EXPECT_EQ(kTimeOwners, 2U + kIdleCauses);
}

TEST(Summary, RunsAreReadWithSuspicion) {
  const std::string part = run_part(built_record(1));
  for (size_t at = 0; at < part.size(); ++at) {  // without a checksum in front of it
    for (int change = 1; change < 256; change += kSanitized ? 85 : 17) {
      std::string changed = part;
      changed[at] = static_cast<char>(changed[at] + change);
      try {
        Session session;
        session.runs.push_back(run_of_part(changed, "x").run);
        session.runs.push_back(run_of_part(part, "x").run);
        align_clocks(session);
        const SessionFacts facts(session);
        for (const char* table : {"collectives", "stragglers", "clocks", "info", "notes", "devices"}) {
          make_table(find_analysis(table), facts);
        }
      } catch (const Error&) {
      }
    }
  }
}

TEST(Summary, TablesAreReadWithSuspicion) {
  MessageWriter writer;
  write_table(writer, built_table());
  const std::string bytes = writer.take();
  for (size_t at = 0; at < bytes.size(); ++at) {  // without a checksum in front of it
    for (int change = 1; change < 256; change += 5) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] + change);
      try {
        MessageReader reader(changed, "x");
        const Table table = read_table(reader);
        for (const RowView row : table.rows()) EXPECT_EQ(row.cells().size(), table.columns.size());
      } catch (const Error&) {
      }
    }
  }
}

TEST(Summary, TimesThatCannotBeAreRefused) {
  RunRecord record = built_record(0);
  record.run.released_totals->extent = Interval{INT64_MIN, INT64_MAX};
  EXPECT_THROW(run_of_part(run_part(record), "x"), Error);
}

TEST(SummarySession, ClocksOfManyAreAlignedAndTheirOrderIsThatOfTheRanks) {
  const SummarySession kept(summary_from_bytes(built_bytes({3, 1}), "x"), opened_as("x"));
  const std::vector<cgpu::Run>& runs = kept.session().runs;
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].rank, 1);
  EXPECT_EQ(runs[1].clock.offset, -2'000'000'020);
  EXPECT_EQ(kept.session().runs[0].notes.count("missing_rank"), 6);
  EXPECT_EQ(kept.session().runs[0].notes.count("unknown_waits"), 2);
  EXPECT_EQ(kept.tables({{&find_analysis("collectives")}}).front().row_count(), 1U);
}

TEST(SummarySession, CollectivesOfSomeRanksAreTheirsOnClocksThatAllAlign) {
  const SummarySession kept(summary_from_bytes(built_bytes({3, 1}), "x"), opened_as("x"), NumberList(3));
  ASSERT_EQ(kept.session().runs.size(), 1U);
  EXPECT_EQ(kept.session().runs[0].clock.offset, -2'000'000'020);
  const Table collectives = kept.tables({{&find_analysis("collectives")}}).front();
  ASSERT_EQ(collectives.row_count(), 1U);
  EXPECT_EQ(collectives.values(collectives.column("ranks")).integer(0), 1);
}

TEST(SummarySession, ARecordedCallTreeHasNoPartialResult) {
  std::vector<RunRecord> records;
  records.push_back(built_record(0));
  records[0].run.call_tree.emplace();
  records[0].partials["functions"] = "anything";
  records[0].kept = {"functions"};
  const SummarySession kept(summary_from_bytes(summary_to_bytes(records, {}), "x"), opened_as("x"));
  EXPECT_THROW(kept.tables({{&find_analysis("functions")}}), Error);
}

TEST(SummarySession, TablesThatAreNotKeptSayWhy) {
  const SummarySession kept(summary_from_bytes(built_bytes({0}), "run.cgpu"), opened_as("run.cgpu"));
  const auto message = [&](const WantedTable& wanted) {
    try {
      kept.tables({wanted});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({&find_analysis("slices")}).find("needs the timeline"), std::string::npos);
  EXPECT_NE(message({&find_analysis("slices")}).find("trace_0.json"), std::string::npos);
  EXPECT_NE(message({&find_analysis("call_tree")}).find("too large"), std::string::npos);
  TableOptions base;
  base.set("names", {"base"});
  EXPECT_NE(message({&find_analysis("kernels"), base}).find("without options"), std::string::npos);
  EXPECT_NE(message({&find_analysis("kernels")}).find("run.cgpu: ends too early, or is no message"), std::string::npos);
  EXPECT_NE(message({&find_analysis("ops")}).find("the version of cgpu that made it did not have it"),
            std::string::npos);
  EXPECT_EQ(message({&find_analysis("findings"), {}, true}), "");
}

}  // namespace
}  // namespace cgpu
