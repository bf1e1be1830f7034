#include "analysis/call_tree/frame_roles.h"

#include <gtest/gtest.h>

#include "analysis/call_tree/host_work.h"
#include "analysis/call_tree/test_call_tree.h"

namespace cgpu {
namespace {

TEST(FrameRoles, ByFunctionLibraryAndFile) {
  EXPECT_EQ(frame_role("malloc@plt", "", ""), FrameRole::allocation);
  EXPECT_EQ(frame_role("__GI___libc_malloc", "", ""), FrameRole::allocation);
  EXPECT_EQ(frame_role("PMPI_Bcast [libmpi.so.40.30.1]", "", ""), FrameRole::mpi);
  EXPECT_EQ(frame_role("PMPI_Finalize [libmpi.so.40.30.1]", "", ""), FrameRole::mpi_setup);
  EXPECT_EQ(frame_role("MPI_Finalized", "", ""), FrameRole::runtime);
  EXPECT_EQ(frame_role("PMPI_Wtime", "", ""), FrameRole::runtime);
  EXPECT_EQ(frame_role("MPI_Comm_split", "", ""), FrameRole::mpi);
  EXPECT_EQ(frame_role("comm_array_2d_async::MPI-1", "", ""), FrameRole::mpi);
  EXPECT_EQ(frame_role("gloo:all_reduce", "", ""), FrameRole::mpi);
  EXPECT_EQ(frame_role("std::MPIx::solve", "", ""), FrameRole::runtime);
  EXPECT_EQ(frame_role("solve_MPI", "", ""), FrameRole::user);
  EXPECT_EQ(frame_role("<unknown procedure> 0x204d8 [libpsm_infinipath.so.1.16]", "", ""), FrameRole::mpi);
  EXPECT_EQ(frame_role("pthread_cond_wait@@GLIBC_2.3.2", "", ""), FrameRole::thread_wait);
  EXPECT_EQ(frame_role("vfs_read_[k]", "", ""), FrameRole::io);
  EXPECT_EQ(frame_role("collect", "/usr/bin/python3.11", ""), FrameRole::garbage_collection);
  EXPECT_EQ(frame_role("collect", "/home/me/program", ""), FrameRole::user);
  EXPECT_EQ(frame_role("dict_subscript", "/usr/lib/libpython3.11.so.1.0", ""), FrameRole::interpreter);
  EXPECT_EQ(frame_role("__cbrt", "/usr/lib/x86_64-linux-gnu/libm.so.6", ""), FrameRole::runtime);
  EXPECT_EQ(frame_role("operator()", "/opt/nest", "src/usr/include/c++/12/bits/std_thread.h"), FrameRole::runtime);
  EXPECT_EQ(frame_role("omp_part(long)", "/opt/nest", ""), FrameRole::user);
  EXPECT_EQ(frame_role("omp_get_thread_num", "", ""), FrameRole::runtime);
  EXPECT_EQ(frame_role("[Max depth]", "", ""), FrameRole::runtime);
  EXPECT_EQ(frame_role("(idle)", "", ""), FrameRole::sleep);
  EXPECT_EQ(frame_role("(garbage collector)", "", ""), FrameRole::garbage_collection);
  EXPECT_EQ(frame_role("(anonymous)", "", ""), FrameRole::user);
  EXPECT_EQ(frame_role("", "", ""), FrameRole::user);
  EXPECT_EQ(frame_role("]", "", ""), FrameRole::user);
  EXPECT_EQ(frame_role("@", "", ""), FrameRole::user);
}

TEST(SampledWork, WhatRuntimesDoIsTheirCallersAndActivitiesAreWhole) {
  TestTree tree;
  const NodeIndex start = tree.call(0, "__libc_start_main", 1);
  const NodeIndex main = tree.call(start, "main", 2);
  const NodeIndex eval = tree.call(main, "_PyEval_EvalFrameDefault", 4);
  const NodeIndex step = tree.call(eval, "step", 8);
  const NodeIndex collect = tree.call(step, "gc_collect_main", 16);
  tree.call(tree.call(collect, "finalize", 32), "malloc", 64);  // it was the collector that called the user's code
  const Session session = tree.session();
  WorkSums work;
  const CallTree& sampled = *session.runs[0].call_tree;
  const SampledWork of_host = sampled_work_of(sampled);
  work.add(sampled, of_host, 0);
  EXPECT_EQ(work.whole, 127);
  ASSERT_EQ(work.functions.size(), 2U);
  EXPECT_EQ(work.functions.at("main").own, 6);
  EXPECT_EQ(work.functions.at("main").inclusive, 126);
  EXPECT_EQ(work.functions.at("step").own, 120);
  ASSERT_EQ(work.activities.size(), 1U);
  EXPECT_EQ(work.activities.at(FrameRole::garbage_collection).value, 112);
  EXPECT_EQ(largest_name(work.activities.at(FrameRole::garbage_collection).callers), "step");
  EXPECT_EQ(way_to(sampled, of_host, 0, "step"), (std::vector<std::string>{"main", "step"}));
}

}  // namespace
}  // namespace cgpu
