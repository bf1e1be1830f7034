#include "links/waits.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "links/complete.h"
#include "links/test_run.h"
#include "links/window.h"

namespace cgpu {
namespace {

using Kind = Synchronization::Kind;
using End = Wait::End;
using By = Wait::By;

/// A host with threads on tracks 0, 8 (process 1) and 9 (process 2); stream 7 on track 1, stream 9 on track 2.
class Waiting : public ::testing::Test {
 protected:
  Waiting() {
    b.run.timeline.tracks.resize(10);
    for (TrackIndex track = 0; track < 10; ++track) {
      Track& made = b.run.timeline.tracks[track];
      made.process = track == 9 ? "2" : "1";
      made.kind = track == 0 || track >= 8 ? TrackKind::host_thread : TrackKind::device_stream;
    }
  }

  /// An op with its launch call of 2 ns.
  SliceIndex op(int64_t launched, int64_t start, int64_t end, int64_t stream = 7, int32_t device = 0,
                TrackIndex thread = 0) {
    ++id_;
    b.add(SliceKind::runtime_call, "cudaLaunchKernel", launched, launched + 2, thread, id_);
    const auto track = static_cast<TrackIndex>((stream == 7 ? 1 : 2) + (device + (thread == 9 ? 2 : 0)) * 2);
    return b.add_op(SliceKind::kernel, "k", start, end, id_, device, stream, track);
  }
  SliceIndex call(const char* name, int64_t start, int64_t end, TrackIndex thread = 0) {
    return b.add(SliceKind::runtime_call, name, start, end, thread, ++id_);
  }
  /// What the profile says of the last call.
  SliceIndex said(Kind kind, int64_t start, int64_t end, int32_t device, int64_t stream, TrackIndex track = 1,
                  int64_t record = kNoCorrelation) {
    const SliceIndex slice = b.add(SliceKind::synchronization, "said", start, end, track, id_);
    std::vector<Synchronization>& all = b.run.timeline.synchronizations;
    if (record != kNoCorrelation) {
      b.run.timeline.hints.records.push_back({static_cast<uint32_t>(all.size()), record});
    }
    all.push_back({slice, kind, device, stream});
    return slice;
  }
  int64_t last_id() const { return id_; }
  int64_t task_id_ = 10000;

  Waits found() {
    complete(b.run, KernelDictionary(), 1);
    return Waits(b.run.timeline);
  }

  test::RunBuilder b;

 private:
  int64_t id_ = 0;
};

void expect(const Wait* wait, End end, By by, SliceIndex op) {
  ASSERT_NE(wait, nullptr);
  EXPECT_STREQ(text_of(wait->end), text_of(end));
  EXPECT_STREQ(text_of(wait->by), text_of(by));
  EXPECT_EQ(wait->op, op);
}

TEST_F(Waiting, AStreamWaitEndsWithTheLastOpThatTheStreamWasGiven) {
  op(0, 10, 50);
  const auto last = op(2, 50, 90);
  op(4, 10, 95, 9);  // ends later, on another stream
  const auto call_slice = call("cudaStreamSynchronize", 20, 100);
  const auto record = said(Kind::host_stream, 21, 99, 0, 7);
  op(30, 90, 98, 7, 0, 8);  // given by another thread, after the wait had begun
  const Waits waits = found();
  expect(waits.find(call_slice), End::op, By::stream, last);
  expect(waits.find(record), End::op, By::stream, last);
  EXPECT_EQ(b.run.timeline.slices.launch[record], call_slice);
  ASSERT_EQ(waits.around(last).size(), 2u);
  EXPECT_EQ(waits.around(last)[0]->slice, call_slice);
  EXPECT_EQ(waits.find(last), nullptr);
}

TEST_F(Waiting, NothingToWaitForIsNoLinkNorIsWhatEndedLater) {
  op(0, 10, 20);
  const auto idle = call("cudaStreamSynchronize", 20, 30);
  said(Kind::host_stream, 21, 29, 0, 7);
  const auto late = op(40, 50, 80);
  const auto doubtful = call("cudaStreamSynchronize", 60, 70);
  said(Kind::host_stream, 61, 69, 0, 7);
  const auto elsewhere = call("cudaStreamSynchronize", 90, 95);
  said(Kind::host_stream, 91, 94, 0, 33);  // nothing ever ran there
  const Waits waits = found();
  expect(waits.find(idle), End::nothing, By::stream, kNone);
  expect(waits.find(doubtful), End::later, By::stream, late);
  EXPECT_TRUE(waits.around(late).empty());
  expect(waits.find(elsewhere), End::nothing, By::stream, kNone);
}

TEST_F(Waiting, WithoutAStreamOnlyTheOneThatCanHaveEndedIt) {
  const auto only = op(0, 10, 50);
  op(2, 10, 200, 9);  // goes on: it is not the stream that was waited for
  const auto first = call("hipStreamSynchronize", 20, 60);
  op(70, 80, 210);
  op(72, 200, 215, 9);
  const auto both = call("hipStreamSynchronize", 190, 220);
  const auto none = call("hipStreamSynchronize", 300, 320);
  const Waits waits = found();
  expect(waits.find(first), End::op, By::times, only);
  expect(waits.find(both), End::ambiguous, By::times, kNone);
  expect(waits.find(none), End::nothing, By::times, kNone);
}

TEST_F(Waiting, ACallThatReleasesWaitsForAllWorkThatEndsMeanwhile) {
  const auto last = op(0, 10'000, 50'000);
  op(2, 10'000, 40'000, 9);
  const auto freeing = call("cudaFree", 20'000, 60'000);
  op(70'000, 72'000, 140'000);
  const auto before_end = call("cuMemFree_v2", 80'000, 100'000);
  const auto short_call = call("cudaFree", 135'000, 141'000);
  const auto queued = call("cudaFreeAsync", 120'000, 145'000);
  const auto idle = call("cudaFreeHost", 150'000, 190'000);
  const Waits waits = found();
  expect(waits.find(freeing), End::op, By::times, last);
  EXPECT_EQ(waits.find(before_end), nullptr);  // work goes on after it
  EXPECT_EQ(waits.find(short_call), nullptr);
  EXPECT_EQ(waits.find(queued), nullptr);
  EXPECT_EQ(waits.find(idle), nullptr);
}

TEST_F(Waiting, ADeviceWaitEndsWithTheLastOpOfItsDeviceAndProcess) {
  op(0, 10, 50);
  const auto last = op(2, 10, 90, 9);
  op(4, 10, 95, 7, 0, 9);  // of another process
  op(5, 10, 97, 7, 1);     // of another device
  const auto named = call("cudaDeviceSynchronize", 20, 100);
  said(Kind::host_device, 21, 99, 0, -1, 5);
  const auto other = call("cudaDeviceSynchronize", 20, 100, 9);
  const auto unnamed = call("cudaDeviceSynchronize", 20, 100);
  const Waits waits = found();
  expect(waits.find(named), End::op, By::device, last);
  ASSERT_NE(waits.find(other), nullptr);
  EXPECT_EQ(waits.find(other)->by, By::device) << "its process has one device";
  EXPECT_NE(waits.find(other)->op, last);
  expect(waits.find(unnamed), End::ambiguous, By::times, kNone);
}

TEST_F(Waiting, AnEventWaitEndsWithTheLastOpBeforeTheEvent) {
  const auto before = op(0, 10, 50);
  const auto recording = call("cudaEventRecord", 4, 6);
  const int64_t record = last_id();
  op(7, 50, 55);  // behind the event
  const auto wait = call("cudaEventSynchronize", 20, 60);
  said(Kind::host_event, 21, 59, 0, 7, 5, record);
  const auto lost = call("cudaEventSynchronize", 52, 58);
  said(Kind::host_event, 53, 57, 0, 7, 5, 999);  // recorded where the profile does not reach
  const Waits waits = found();
  expect(waits.find(wait), End::op, By::record, before);
  EXPECT_EQ(waits.find(wait)->record, recording);
  ASSERT_EQ(waits.around(recording).size(), 2u);
  ASSERT_NE(waits.find(lost), nullptr);
  EXPECT_EQ(waits.find(lost)->by, By::stream);
  EXPECT_EQ(waits.find(lost)->end, End::op);
}

TEST_F(Waiting, AStreamThatIsToldToWaitHoldsItsNextOp) {
  const auto awaited = op(0, 10, 50);
  const auto recording = call("cudaEventRecord", 4, 6);
  const int64_t record = last_id();
  op(7, 10, 30, 9);  // given to the other stream before it had to wait
  call("cudaStreamWaitEvent", 10, 12);
  const auto order = said(Kind::stream_order, 10, 12, 0, 7, 2, record);
  const auto held = op(14, 51, 60, 9);
  call("cudaStreamWaitEvent", 70, 72);
  const auto done = said(Kind::stream_order, 70, 72, 0, 7, 2, record);  // the op has ended long ago
  op(74, 80, 90, 9);
  call("cudaStreamWaitEvent", 92, 93);
  const auto unused = said(Kind::stream_order, 92, 93, 0, 7, 2, record);  // nothing comes behind it
  call("cudaStreamWaitEvent", 94, 95);
  const auto unsaid = said(Kind::stream_order, 94, 95, 0, -1, 2);
  const Waits waits = found();
  expect(waits.find(order), End::op, By::record, awaited);
  EXPECT_EQ(waits.find(order)->held, held);
  EXPECT_EQ(waits.find(order)->record, recording);
  ASSERT_EQ(waits.around(held).size(), 1u);
  EXPECT_EQ(waits.around(held)[0]->slice, order);
  expect(waits.find(done), End::nothing, By::record, kNone);
  expect(waits.find(unused), End::nothing, By::record, kNone);
  expect(waits.find(unsaid), End::unknown, By::none, kNone);
}

TEST_F(Waiting, AnOrderThatTheStreamDidNotKeepIsNoLink) {
  const auto awaited = op(0, 10, 50);
  call("cudaEventRecord", 4, 6);
  const int64_t record = last_id();
  call("cudaStreamWaitEvent", 10, 12);
  const auto order = said(Kind::stream_order, 10, 12, 0, 7, 2, record);
  op(14, 40, 60, 9);
  expect(found().find(order), End::later, By::record, awaited);
}

TEST_F(Waiting, ABlockingCopyWaitsForItself) {
  const auto copying = b.add(SliceKind::runtime_call, "cudaMemcpy", 0, 60, 0, 500);
  const auto copy = b.add_op(SliceKind::memcpy, "Memcpy DtoH", 10, 50, 500, 0, 7, 1);
  const auto staged = b.add(SliceKind::runtime_call, "cudaMemcpy", 70, 75, 0, 501);  // returns before the copy is done
  const auto behind = b.add_op(SliceKind::memcpy, "Memcpy HtoD", 72, 90, 501, 0, 7, 1);
  const auto asynchronous = b.add(SliceKind::runtime_call, "cudaMemcpyAsync", 100, 105, 0, 502);
  b.add_op(SliceKind::memcpy, "Memcpy HtoD", 101, 103, 502, 0, 7, 1);
  const Waits waits = found();
  expect(waits.find(copying), End::op, By::launch, copy);
  expect(waits.find(staged), End::later, By::launch, behind);
  EXPECT_EQ(waits.find(asynchronous), nullptr);
}

TEST_F(Waiting, AStreamWaitsForTheOneStreamThatCameToAnEvent) {
  const auto task = [&](Kind kind, int64_t start, int64_t end, int64_t stream, TrackIndex track) {
    const SliceIndex slice = b.add(SliceKind::synchronization, "task", start, end, track, ++task_id_);
    b.run.timeline.synchronizations.push_back({slice, kind, 0, kind == Kind::event_record ? stream : -1});
    return slice;
  };
  const auto last = op(0, 10, 50);
  const auto record = task(Kind::event_record, 50, 51, 7, 1);
  const auto wait = task(Kind::stream_wait, 20, 52, -1, 2);
  task(Kind::event_record, 30, 31, 9, 2);  // the waiting stream's own
  const auto at_once = task(Kind::stream_wait, 60, 61, -1, 2);
  const auto event = task(Kind::event_record, 69, 70, 7, 1);  // no op before it
  const auto empty = task(Kind::stream_wait, 65, 71, -1, 2);
  task(Kind::event_record, 79, 80, 7, 1);
  task(Kind::event_record, 80, 81, 7, 3);
  const auto two = task(Kind::stream_wait, 75, 82, -1, 2);
  const Waits waits = found();
  expect(waits.find(wait), End::op, By::times, last);
  EXPECT_EQ(waits.find(wait)->record, record);
  expect(waits.find(at_once), End::nothing, By::times, kNone);
  expect(waits.find(empty), End::event, By::times, kNone);
  EXPECT_EQ(waits.find(empty)->record, event);
  expect(waits.find(two), End::ambiguous, By::times, kNone);
}

TEST_F(Waiting, WhatWasCutOrNeverEndedIsNoWait) {
  op(0, 10, 50);
  const auto wait = call("cudaDeviceSynchronize", 20, 60);
  b.run.timeline.slices.flags[wait] = kNeverEnded;
  EXPECT_EQ(found().find(wait), nullptr);
}

TEST_F(Waiting, APartOfTheTimeKeepsWhatIsSaidOfItsWaits) {
  op(0, 10, 50);
  op(52, 60, 90);
  call("cudaStreamSynchronize", 56, 100);
  said(Kind::host_stream, 57, 99, 0, 7);
  complete(b.run, KernelDictionary(), 1);
  const auto whole = std::make_shared<Session>();
  whole->runs.push_back(std::move(b.run));
  const Session part = cut_out(whole, {Part{{51, 200}, {}}});
  const Timeline& timeline = part.runs[0].timeline;
  ASSERT_EQ(timeline.synchronizations.size(), 1u);
  EXPECT_EQ(timeline.name(timeline.synchronizations[0].slice), "said");
  const Waits waits(timeline);
  ASSERT_EQ(waits.all().size(), 2u);
  EXPECT_EQ(timeline.slices.end(waits.all()[0].op), 90);
}

/// On random timelines: an op that ended a wait ended within it, had been given before it, and no op that was given to
/// its stream before the wait ended later.
TEST_F(Waiting, NoLinkContradictsTime) {
  std::mt19937 random(7);
  const auto upto = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
  size_t linked = 0;
  for (int64_t time = 0; time < 40000; time += 10) {
    const auto thread = static_cast<TrackIndex>(upto(2) * 9);
    if (upto(4) == 0) {
      const char* names[] = {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"};
      call(names[upto(3)], time, time + upto(200), thread);
      if (upto(2) == 0) said(upto(2) == 0 ? Kind::host_stream : Kind::host_device, time, time + upto(200), 0, 7);
    } else {
      const int64_t start = time + upto(100);
      op(time, start, start + upto(80), upto(2) == 0 ? 7 : 9, static_cast<int32_t>(upto(2)), thread);
    }
  }
  const Waits waits = found();
  const Slices& slices = b.run.timeline.slices;
  const DeviceOps& ops = b.run.timeline.device_ops;
  for (const Wait& wait : waits.all()) {
    ASSERT_EQ(wait.end == End::op || wait.end == End::later, wait.op != kNone);
    if (wait.end != End::op) continue;
    ++linked;
    EXPECT_GT(slices.end(wait.op), slices.start[wait.slice]);
    EXPECT_LE(slices.end(wait.op), slices.end(wait.slice));
    EXPECT_LE(slices.start[slices.launch[wait.op]], slices.start[wait.slice]);
    if (wait.by != By::stream && wait.by != By::device) continue;
    const auto at = std::find(ops.slice.begin(), ops.slice.end(), wait.op) - ops.slice.begin();
    const TrackIndex process = slices.track[slices.launch[wait.op]];
    for (size_t i = 0; i < ops.size(); ++i) {
      const bool same = ops.device[i] == ops.device[at] && (wait.by == By::device || ops.stream[i] == ops.stream[at]) &&
                        slices.track[slices.launch[ops.slice[i]]] == process;
      if (!same || slices.start[slices.launch[ops.slice[i]]] > slices.start[wait.slice]) continue;
      ASSERT_LE(slices.end(ops.slice[i]), slices.end(wait.op));
    }
  }
  EXPECT_GT(linked, 50u);
}

}  // namespace
}  // namespace cgpu
