#include "links/handovers.h"

#include <gtest/gtest.h>

#include "links/complete.h"
#include "links/test_run.h"

namespace cgpu {
namespace {

using test::RunBuilder;

TEST(Handovers, WorkBelongsToWhoAskedForIt) {
  RunBuilder b;
  const auto op = b.add(SliceKind::framework_op, "aten::mm", 0, 20, 0);
  const auto in = b.add(SliceKind::runtime_call, "Enqueue", 5, 8, 0);
  const auto out = b.add(SliceKind::runtime_call, "Dequeue@aclnnMm", 30, 60, 1);
  const auto call = b.add(SliceKind::runtime_call, "Node@launch", 40, 50, 1, 7);
  const auto kernel = b.add_op(SliceKind::kernel, "k", 70, 80, 7, 0, 2, 2);
  b.run.timeline.hints.handovers = {{in, out}};
  complete(b.run, KernelDictionary());
  const Slices& slices = b.run.timeline.slices;
  EXPECT_EQ(slices.launch[kernel], call);
  EXPECT_EQ(slices.parent[call], out);
  EXPECT_EQ(slices.parent[out], in);
  EXPECT_EQ(slices.parent[in], op);
}

TEST(Handovers, NeitherReplaceAParentNorGoBackInTime) {
  RunBuilder b;
  const auto around = b.add(SliceKind::framework_op, "around", 0, 100, 1);
  const auto in = b.add(SliceKind::runtime_call, "Enqueue", 5, 8, 0);
  const auto inside = b.add(SliceKind::runtime_call, "Dequeue", 30, 60, 1);
  const auto before = b.add(SliceKind::runtime_call, "Dequeue", 2, 4, 2);
  const auto together = b.add(SliceKind::runtime_call, "Dequeue", 5, 9, 3);
  b.run.timeline.hints.handovers = {{in, inside}, {in, before}, {in, together}, {in, in}};
  complete(b.run, KernelDictionary());
  const Slices& slices = b.run.timeline.slices;
  EXPECT_EQ(slices.parent[inside], around);
  EXPECT_EQ(slices.parent[before], kNone);
  EXPECT_EQ(slices.parent[together], kNone);
  EXPECT_EQ(slices.parent[in], kNone);
}

TEST(Handovers, KernelsThatFillComputeWhereTheProfilerListsFills) {
  for (const bool listed : {false, true}) {
    RunBuilder b;
    b.add_op(SliceKind::kernel, "MemSet", 0, 10, 1);
    b.add_op(SliceKind::memcpy, "MEMCPY_ASYNC", 20, 30, 2);
    b.run.timeline.hints.kernels_compute = listed;
    complete(b.run, KernelDictionary());
    EXPECT_EQ(b.run.timeline.device_ops.kind[0], listed ? OpKind::compute : OpKind::memory);
    EXPECT_EQ(b.run.timeline.device_ops.kind[1], OpKind::memory);
  }
}

}  // namespace
}  // namespace cgpu
