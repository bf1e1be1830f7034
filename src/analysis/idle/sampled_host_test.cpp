#include "analysis/idle/sampled_host.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "model/processor_time.h"

namespace cgpu {
namespace {

/// Samples on a thread of the process that the stream is of, as HPCToolkit has them.
struct SampledRun : TestRun {
  SliceIndex sample(const std::string& function, int64_t start, int64_t duration,
                    const std::string& thread = "thread 0") {
    std::vector<Category>& categories = run.timeline.categories;
    const SliceIndex slice =
        add(SliceKind::other, function, start, duration, track(TrackKind::host_thread, "rank 0", thread));
    if (categories[run.timeline.slices.category[slice]].name != kSampleCategory) {
      categories[run.timeline.slices.category[slice]].name = kSampleCategory;
    }
    return slice;
  }
  void op(int64_t start, int64_t duration) {
    const SliceIndex slice = kernel("k", start, duration);
    run.timeline.slices.track[slice] = track(TrackKind::device_stream, "rank 0", "stream 0");
  }
};

std::map<std::string, int64_t> causes(const Session& session) {
  const Table table = idle_table(session);
  std::map<std::string, int64_t> found;
  for (size_t row = 0; row < table.row_count(); ++row)
    found[text_at(table, row, "cause")] = integer_at(table, row, "total_ns");
  return found;
}

TEST(SampledHost, ExplainsGapsWhoseLaunchIsNotKnown) {
  SampledRun run;
  run.op(0, 100);
  run.op(200, 50);
  run.sample("compute", 90, 20);
  run.sample("cudaStreamSynchronize", 110, 20);
  run.sample("__GI___poll", 130, 20);
  run.sample("cudaMalloc", 150, 20);
  run.sample("compute", 170, 500);              // not sampled for long: 30 of it count
  run.sample("cudaFree", 0, 1000, "thread 1");  // another thread
  EXPECT_EQ(causes(session_of(run)), (std::map<std::string, int64_t>{
                                         {"host_code", 40}, {"synchronization", 20}, {"io", 20}, {"allocation", 20}}));
}

TEST(SampledHost, WithoutSamplesOfTheProcessItStaysUnknown) {
  SampledRun run;
  run.op(0, 100);
  run.op(200, 50);
  run.add(SliceKind::annotation, "range", 0, 300, run.track(TrackKind::host_thread, "rank 0", "thread 0"));
  EXPECT_EQ(causes(session_of(run)), (std::map<std::string, int64_t>{{"unknown", 100}}));
}

/// Samples by their source: each is at the node of that number.
struct NodesBySource : SampledNodes {
  std::map<uint64_t, NodeIndex> nodes;
  NodeIndex node_of(uint64_t source) const override {
    const auto found = nodes.find(source);
    return found == nodes.end() ? kNoNode : found->second;
  }
};

TEST(SampledHost, CallersSayWhatAWaitIsFor) {
  SampledRun run;
  run.op(0, 100);
  run.op(160, 50);
  const SliceIndex driver = run.sample("ioctl", 100, 20);
  const SliceIndex poll = run.sample("poll", 120, 20);
  const SliceIndex read = run.sample("read", 140, 20);
  CallTree& tree = run.run.call_tree.emplace();
  const auto node = [&](NodeIndex parent, const char* name) {
    tree.nodes.parent.push_back(parent);
    tree.nodes.kind.push_back(parent == kNoNode ? NodeKind::root : NodeKind::function);
    tree.nodes.name.push_back(tree.names.intern(name));
    return static_cast<NodeIndex>(tree.nodes.parent.size() - 1);
  };
  const NodeIndex main = node(node(kNoNode, ""), "main");
  const NodeIndex wait = node(main, "cudaDeviceSynchronize");
  auto nodes = std::make_shared<NodesBySource>();
  nodes->nodes[run.run.timeline.slices.source[driver]] = node(node(wait, "cuCtxSynchronize"), "ioctl");
  nodes->nodes[run.run.timeline.slices.source[poll]] = node(wait, "poll");
  nodes->nodes[run.run.timeline.slices.source[read]] = node(main, "read");
  tree.sampled_nodes = nodes;
  EXPECT_EQ(causes(session_of(run)), (std::map<std::string, int64_t>{{"synchronization", 40}, {"io", 20}}));
}

/// Samples on a track beside that of a thread whose calls were recorded, as Nsight Systems has them.
struct SampledCalls : TestRun {
  void sample_at(int64_t time, int64_t since, const std::string& function) {
    const Track thread = run.timeline.tracks[run.timeline.slices.track[0]];
    const SliceIndex slice =
        add(SliceKind::other, function, time - since, since, track(TrackKind::other, thread.process, thread.thread));
    run.timeline.categories[run.timeline.slices.category[slice]].name = kSampleCategory;
  }
};

TEST(SampledHost, SaysWhatAThreadDoesBetweenItsCalls) {
  SampledCalls run;
  run.kernel("a", 5, 95, launched_by(run.host(SliceKind::runtime_call, "cudaLaunchKernel", 0, 10)));
  run.kernel("b", 1005, 100, launched_by(run.host(SliceKind::runtime_call, "cudaLaunchKernel", 1000, 10)));
  run.sample_at(8, 300, "cudaLaunchKernel");  // within the call
  run.sample_at(300, 292, "parse");           // since the call returned at 10; the gap begins at 100
  run.sample_at(600, 300, "sort");
  run.sample_at(1004, 300, "cudaLaunchKernel");  // within the second call: for nothing before 1000
  const Session session = session_of(run);
  const Table table = idle_hosts_table(session);
  std::map<std::string, int64_t> culprits;
  for (size_t row = 0; row < table.row_count(); ++row) {
    culprits[text_at(table, row, "culprit")] += integer_at(table, row, "total_ns");
  }
  EXPECT_EQ(culprits, (std::map<std::string, int64_t>{{"parse", 200},
                                                      {"sort", 300},
                                                      {"(nothing recorded before cudaLaunchKernel)", 400},
                                                      {"cudaLaunchKernel", 5}}));
}

}  // namespace
}  // namespace cgpu
