#include "readers/nccl_inspector/nccl_inspector.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/test_read.h"

namespace cgpu::nccl_inspector {
namespace {

constexpr int64_t kEpochUs = 1'700'000'000'000'000;

std::string at(int64_t us) {
  return std::to_string(kEpochUs + us);
}

std::string header(const std::string& communicator, int rank, int ranks) {
  return R"({"header":{"id":")" + communicator + R"(","comm_name":"dp","rank":)" + std::to_string(rank) +
         R"(,"n_ranks":)" + std::to_string(ranks) +
         R"(,"nnodes":1,"colour":[7]},"metadata":{"inspector_output_format_version":"v4.0","hostname":"node1",)"
         R"("pid":9,"dump_timestamp_us":)" +
         at(900'000) + "},";
}

/// Two channels, whose kernels the host saw from 100 to 1000 us.
std::string trace() {
  return R"("event_trace_ts":{"coll_start_ts":)" + at(0) + R"(,"kernel_events":[{"channel_id":0,"kernel_start_ts":)" +
         at(100) + R"(,"kernel_stop_ts":)" + at(900) + R"(},{"channel_id":1,"kernel_start_ts":)" + at(150) +
         R"(,"kernel_stop_ts":)" + at(1000) + "}]}";
}

std::string collective(const std::string& name, int64_t sequence, const std::string& communicator = "0xa", int rank = 1,
                       int ranks = 4) {
  return header(communicator, rank, ranks) + R"("coll_perf":{"coll":")" + name + R"(","coll_sn":)" +
         std::to_string(sequence) +
         R"(,"coll_msg_size_bytes":4096,"coll_exec_time_us":700,)"
         R"("coll_timing_source":"kernel_gpu","coll_busbw_gbs":1.5,)" +
         trace() + "}}\n";
}

TEST(NcclInspector, CollectivesWithTheirTimes) {
  const std::string log =
      collective("AllReduce", 5) + collective("AllGather", 0) + collective("ReduceScatter", 0) + header("0xb", 0, 2) +
      R"("p2p_perf":{"p2p":"Send","p2p_sn":3,"p2p_peer":1,"p2p_msg_size_bytes":64,)" + trace() + "}}\n";
  for (const std::string& bytes : {log, test::gzip(log)}) {
    const test::TestFile file(bytes, ".log");
    const cgpu::Run run = test::read_file(file.path());
    EXPECT_EQ(run.format, "nccl-inspector");
    EXPECT_EQ(run.format_version, "v4.0");
    EXPECT_EQ(run.host, "node1");
    EXPECT_TRUE(run.rank_known);
    EXPECT_EQ(run.rank, 1);  // in the larger communicator
    ASSERT_EQ(run.groups.size(), 2U);
    EXPECT_EQ(run.groups[0].size, 4);
    const Timeline& t = run.timeline;
    ASSERT_EQ(t.collectives.size(), 4U);
    EXPECT_EQ(t.slices.start[0], (kEpochUs + 300) * 1000);  // as long before the last end as the device measured
    EXPECT_EQ(t.slices.end(0), (kEpochUs + 1000) * 1000);
    EXPECT_EQ(t.slices.start[3], (kEpochUs + 100) * 1000);  // without a duration: from its first kernel on
    EXPECT_EQ(t.names[t.collectives[0].name], "AllReduce");
    EXPECT_EQ(t.collectives[0].sequence, 5);
    EXPECT_EQ(t.collectives[0].group_size, 4);
    EXPECT_EQ(t.collectives[0].elements_out, 4096);
    EXPECT_EQ(t.collectives[1].elements_in, 4096);
    EXPECT_EQ(t.collectives[1].elements_out, 4 * 4096);
    EXPECT_EQ(t.collectives[2].elements_in, 4 * 4096);
    EXPECT_EQ(t.collectives[3].elements_in, 64);
    EXPECT_EQ(t.collectives[3].elements_out, -1);
    EXPECT_EQ(t.tracks[t.slices.track[0]].thread_name, "group 0xa (dp)");
    EXPECT_EQ(run.events.read, 4);
  }
}

TEST(NcclInspector, SeveralRanksOfACommunicatorInOneFileAreRefused) {
  EXPECT_THROW(test::read_text(collective("AllReduce", 0, "0xa", 0) + collective("AllReduce", 0, "0xa", 3)), Error);
}

TEST(NcclInspector, CommunicatorsOfOneSizeThatDisagreeNameNoRank) {
  const cgpu::Run run = test::read_text(collective("AllReduce", 0, "0xa", 1) + collective("AllReduce", 0, "0xb", 2));
  EXPECT_FALSE(run.rank_known);
  EXPECT_EQ(run.timeline.device_ops.device, (std::vector<int32_t>{-1, -1}));
}

TEST(NcclInspector, CollectivesWithoutTimesAreATreeOfCalls) {
  const auto untimed = [](int rank, int64_t us, const std::string& bandwidth) {
    return header("0xa", rank, 4) +
           R"("coll_perf":{"coll":"AllReduce","coll_msg_size_bytes":4000,"coll_exec_time_us":)" + std::to_string(us) +
           R"(,"coll_busbw_gbs":)" + bandwidth + "}}\n";
  };
  const cgpu::Run run = test::read_text(untimed(0, 10, "0.5") + untimed(1, 30, "0.25") + untimed(0, 10, "0.5"));
  EXPECT_EQ(run.events.samples, 3);
  EXPECT_EQ(test::accounted(run), run.events.read);
  EXPECT_EQ(run.notes.count("untimed_collective"), 3);
  EXPECT_EQ(run.format_version, "v4.0");
  ASSERT_TRUE(run.call_tree);
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.nodes.size(), 4U);  // root, communicator, collective, size
  EXPECT_EQ(tree.names[tree.nodes.name[1]], "group 0xa (dp), 4 ranks");
  EXPECT_EQ(tree.names[tree.nodes.name[2]], "AllReduce");
  EXPECT_EQ(tree.names[tree.nodes.name[3]], "AllReduce of 4000 B");
  const auto value = [&tree](const std::string& name, NodeIndex node) {
    for (const Metric& metric : tree.metrics) {
      if (metric.name == name) return metric.value[node];
    }
    return -1.0;
  };
  EXPECT_EQ(value("time", 2), 50'000);
  EXPECT_EQ(value("count", 3), 3);
  EXPECT_EQ(value("bytes", 3), 12'000);
  EXPECT_EQ(value("bus bytes", 3), 17'500);
  ASSERT_EQ(tree.profiles.size(), 2U);
  EXPECT_EQ(tree.profiles[1].rank, 1);
}

TEST(NcclInspector, NamesOfSizesReadWellInASentence) {
  const auto of_size = [](const std::string& bytes) {
    const cgpu::Run run =
        test::read_text(header("0xa", 0, 4) + R"("coll_perf":{"coll":"AllGather","coll_msg_size_bytes":)" + bytes +
                        R"(,"coll_exec_time_us":10}})" + "\n");
    return std::string(run.call_tree->name_of(3));
  };
  EXPECT_EQ(of_size("17179869184"), "AllGather of 16 GiB");
  EXPECT_EQ(of_size("1536"), "AllGather of 1536 B");
  EXPECT_EQ(of_size("0"), "AllGather of 0 B");
}

TEST(NcclInspector, DamageAndWhatIsMissing) {
  const std::string whole = collective("AllReduce", 1);
  const std::string timeless = header("0xa", 1, 4) + R"("coll_perf":{"coll":"AllReduce","coll_exec_time_us":7}})"
                                                     "\n";
  const std::string other = header("0xa", 1, 4) + R"("proxy_perf":{}})"
                                                  "\n";
  const cgpu::Run run = test::read_text(whole + "{\"header\": oops}\n\n" + timeless + other + whole.substr(0, 300));
  EXPECT_EQ(run.timeline.collectives.size(), 1U);
  EXPECT_EQ(run.notes.count("damaged_input"), 1);
  EXPECT_EQ(run.notes.count("skipped_event"), 2);
  EXPECT_EQ(run.notes.count("truncated_input"), 1);
  EXPECT_EQ(run.events.read, 5);
  EXPECT_THROW(test::read_text(other), Error);
}

}  // namespace
}  // namespace cgpu::nccl_inspector
