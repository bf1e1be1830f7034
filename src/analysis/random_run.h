// Small random runs for comparing the analyses with brute force: host slices and device ops within a few hundred ns,
// with all that is awkward: empty slices, equal bounds, any file order, ops that begin before their launch or have
// none, durations not to be believed.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/test_timeline.h"

namespace cgpu {

struct NamedKind {
  SliceKind kind;
  std::string name;
};

enum class HostShape : uint8_t { nested, overlapping };

/// Whether `outer` and `inner` are host slices of one thread and `outer` contains `inner`.
inline bool encloses(const Timeline& timeline, SliceIndex outer, SliceIndex inner) {
  const Slices& slices = timeline.slices;
  if (outer == inner || slices.track[outer] != slices.track[inner]) return false;
  if (!is_host(timeline.kind(outer)) || !is_host(timeline.kind(inner))) return false;
  if (slices.start[outer] == slices.start[inner] && slices.duration[outer] == slices.duration[inner]) {
    return outer < inner;
  }
  return slices.start[outer] <= slices.start[inner] && slices.end(inner) <= slices.end(outer);
}

inline bool is_active(const Timeline& timeline, SliceIndex slice, int64_t time) {
  return is_plausible(timeline, slice) && timeline.slices.start[slice] <= time && time < timeline.slices.end(slice);
}

class RandomRun : public TestRun {
 public:
  static constexpr int64_t kHostEnd = 300;

  /// Host slices of kinds and names out of `vocabulary`, which has a call, on two threads.
  RandomRun(unsigned seed, const std::vector<NamedKind>& vocabulary, HostShape shape) : random_(seed) {
    run.rank = static_cast<int64_t>(seed % 3);
    std::vector<HostSlice> host_slices;
    for (const char* thread : {"1", "2"}) {
      if (shape == HostShape::nested) {
        nest(host_slices, vocabulary, thread, {0, kHostEnd}, 4);
      } else {
        for (int i = 0; i < 12; ++i) {
          const int64_t begin = up_to(kHostEnd);
          host_slices.push_back({pick(vocabulary), thread, {begin, begin + up_to(40)}});
        }
      }
    }
    std::shuffle(host_slices.begin(), host_slices.end(), random_);
    for (const HostSlice& slice : host_slices) {
      const SliceIndex index = host(slice.what.kind, slice.what.name, slice.time.begin,
                                    slice.time.end - slice.time.begin, kNone, slice.thread);
      if (is_call(slice.what.kind)) calls_.push_back(index);
      if (one_in(40)) implausible(index);
    }
    find_parents();
    const int64_t ops = up_to(16);
    for (int64_t i = 0; i < ops; ++i) add_device_op();
  }

  int64_t up_to(int64_t limit) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit + 1)); }
  bool one_in(uint64_t n) { return random_() % n == 0; }

 private:
  struct HostSlice {
    NamedKind what;
    std::string thread;
    Interval time;
  };

  const NamedKind& pick(const std::vector<NamedKind>& from) { return from[random_() % from.size()]; }

  void nest(std::vector<HostSlice>& out, const std::vector<NamedKind>& vocabulary, const char* thread, Interval within,
            int depth) {
    for (int64_t begin = within.begin + up_to(3); depth > 0 && begin <= within.end;) {
      const int64_t length = one_in(4) ? within.end - begin : std::min(up_to(60), within.end - begin);
      out.push_back({pick(vocabulary), thread, {begin, begin + length}});
      nest(out, vocabulary, thread, {begin, begin + length}, depth - 1);
      begin += length + 1 + up_to(20);
    }
  }

  void find_parents() {
    Slices& slices = run.timeline.slices;
    for (SliceIndex inner = 0; inner < slices.size(); ++inner) {
      for (SliceIndex outer = 0; outer < slices.size(); ++outer) {
        if (!encloses(run.timeline, outer, inner)) continue;
        SliceIndex& parent = slices.parent[inner];
        if (parent == kNone || encloses(run.timeline, parent, outer) ||
            (!encloses(run.timeline, outer, parent) && slices.start[outer] > slices.start[parent])) {
          parent = outer;
        }
      }
    }
  }

  void add_device_op() {
    TestOp op{static_cast<int32_t>(up_to(1)), up_to(2), OpKind::compute, KernelClass::gemm, kNone};
    int64_t begin = up_to(kHostEnd + 100);
    if (!calls_.empty() && !one_in(5)) {
      op.launch = calls_[random_() % calls_.size()];
      if (!one_in(5)) begin = run.timeline.slices.start[op.launch] + up_to(40);
    }
    SliceKind kind = SliceKind::kernel;
    switch (up_to(6)) {
      case 0:
        op.kind = OpKind::communication, op.kernel_class = KernelClass::collective;
        break;
      case 1:
        op.kind = OpKind::memory, op.kernel_class = KernelClass::copy;
        break;
      case 2:
        op.kind = OpKind::memory, op.kernel_class = KernelClass::set;
        break;
      case 3:
        op.kind = OpKind::memory, op.kernel_class = KernelClass::copy, kind = SliceKind::memcpy;
        break;
      case 4:
        op.kind = OpKind::memory, op.kernel_class = KernelClass::set, kind = SliceKind::memset;
        break;
      default:
        break;
    }
    const SliceIndex slice = device_op(kind, "device op", begin, one_in(6) ? 0 : up_to(40), op);
    if (one_in(40)) implausible(slice);
  }

  std::mt19937_64 random_;
  std::vector<SliceIndex> calls_;
};

}  // namespace cgpu
