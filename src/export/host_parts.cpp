#include "export/host_parts.h"

#include <algorithm>

#include "links/nesting.h"

namespace cgpu {

namespace {

class PartsOfThread {
 public:
  PartsOfThread(const Slices& slices, std::span<const int64_t> cuts, int64_t begin)
      : slices_(slices), cuts_(cuts), now_(begin) {}

  void open(SliceIndex slice) {
    go_on_until(slices_.start[slice]);
    while (!open_.empty() && open_.back().end <= now_) open_.pop_back();
    const SliceIndex caller = open_.empty() ? kNone : open_.back().slice;
    const int64_t end = open_.empty() ? slices_.end(slice) : std::min(slices_.end(slice), open_.back().end);
    open_.push_back({slice, caller, end});
    parts_.push_back({slice, caller, true, now_, now_});
  }

  void go_on_until(int64_t time) {
    while (now_ < time) {
      while (!open_.empty() && open_.back().end <= now_) open_.pop_back();
      append(open_.empty() ? time : std::min(time, open_.back().end));
    }
  }

  std::vector<HostPart> take() { return std::move(parts_); }

 private:
  struct Open {
    SliceIndex slice;
    SliceIndex caller;
    int64_t end;
  };

  /// What is innermost now goes on until `end`.
  void append(int64_t end) {
    const SliceIndex slice = open_.empty() ? kNone : open_.back().slice;
    const SliceIndex caller = open_.empty() ? kNone : open_.back().caller;
    while (now_ < end) {
      while (next_cut_ < cuts_.size() && cuts_[next_cut_] <= now_) ++next_cut_;
      const int64_t until = next_cut_ < cuts_.size() ? std::min(end, cuts_[next_cut_]) : end;
      HostPart* const last = parts_.empty() ? nullptr : &parts_.back();
      if (last != nullptr && last->first && last->slice == slice && last->begin == last->end) {
        last->end = until;  // until now it had no length
      } else {
        parts_.push_back({slice, caller, false, now_, until});
      }
      now_ = until;
    }
  }

  const Slices& slices_;
  const std::span<const int64_t> cuts_;
  size_t next_cut_ = 0;
  int64_t now_;
  std::vector<Open> open_;
  std::vector<HostPart> parts_;
};

}  // namespace

std::vector<HostPart> host_parts(const Timeline& timeline, std::vector<SliceIndex> slices,
                                 std::span<const int64_t> cuts, int64_t begin, int64_t end) {
  const Slices& all = timeline.slices;
  std::sort(slices.begin(), slices.end(), [&](SliceIndex a, SliceIndex b) { return comes_outer_first(all, a, b); });
  PartsOfThread parts(all, cuts, begin);
  for (const SliceIndex slice : slices) parts.open(slice);
  parts.go_on_until(end);
  return parts.take();
}

}  // namespace cgpu
