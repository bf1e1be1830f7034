#include "links/alltoalls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "links/test_run.h"

namespace cgpu {
namespace {

TEST(Alltoalls, ATransferWithinAnAllToAllIsOne) {
  test::RunBuilder b;
  const SliceIndex range = b.add(SliceKind::annotation, "nccl:all_to_all", 0, 20);
  const SliceIndex op = b.add(SliceKind::framework_op, "c10d::broadcast_", 30, 50);
  const std::vector<SliceIndex> calls{b.add(SliceKind::runtime_call, "cudaLaunchKernelExC", 5, 10),
                                      b.add(SliceKind::runtime_call, "cudaLaunchKernelExC", 35, 40),
                                      b.add(SliceKind::runtime_call, "cudaLaunchKernelExC", 12, 14),
                                      b.add(SliceKind::runtime_call, "cudaLaunchKernelExC", 15, 16)};
  std::vector<SliceIndex> ops;
  for (const char* name : {"ncclDevKernel_SendRecv(x)", "ncclDevKernel_SendRecv(x)",
                           "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "ncclDevKernel_SendRecv(x)"}) {
    const auto begin = static_cast<int64_t>(100 * (ops.size() + 1));
    ops.push_back(b.add_op(SliceKind::kernel, name, begin, begin + 50, kNoCorrelation));
  }
  b.finish();
  Timeline& t = b.run.timeline;
  for (size_t i = 0; i < ops.size(); ++i) t.slices.launch[ops[i]] = calls[i];
  for (const size_t within : {0U, 2U, 3U}) t.slices.parent[calls[within]] = range;
  t.slices.parent[calls[1]] = op;
  Collective recorded;
  recorded.slice = ops[3];
  recorded.name = t.names.intern("send");
  t.collectives.push_back(recorded);
  name_alltoalls(t);
  ASSERT_EQ(t.collectives.size(), 2u) << "neither one within another op, nor an all-reduce, nor one that has a name";
  EXPECT_EQ(t.collectives[1].slice, ops[0]);
  EXPECT_EQ(t.names[t.collectives[1].name], "alltoall");
}

}  // namespace
}  // namespace cgpu
