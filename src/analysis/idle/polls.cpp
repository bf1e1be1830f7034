#include "analysis/idle/polls.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/common/asked_names.h"
#include "analysis/idle/idle_causes.h"
#include "links/waiting_calls.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// A few in a row, or many in a short time, are how an allocator looks for memory that the device has finished with.
constexpr size_t kFewestPolls = 8;
constexpr int64_t kShortestPoll = 1'000'000;  // ns in which the device has nothing to do
/// Of a thread that does not ask for so long (ns) it is not known what it does.
constexpr int64_t kLongestBetween = 1'000'000;

/// Those of one thread, whose slices come in order of their starts, of equal ones the longer first.
class PollsOfThread {
 public:
  PollsOfThread(const Timeline& timeline, const IntervalSet& busy, std::vector<Poll>& found)
      : timeline_(timeline), busy_(busy), found_(found) {}

  void add(SliceIndex slice, bool asks) {
    const Interval time{timeline_.slices.start[slice], timeline_.slices.end(slice)};
    if (count_ > 0 && time.begin < all_.end) return;  // inside of the last one
    if (asks) {
      if (count_ > 0 && time.begin - all_.end > kLongestBetween) end();
      if (count_ == 0) {
        first_ = slice;
        all_ = time;
      }
      for (const Interval& between : since_last_) {
        if (between.end <= time.begin) work_.push_back(between);  // else it is around this one
      }
      since_last_.clear();
      all_.end = time.end;
      ++count_;
    } else if (is_call(timeline_.kind(slice))) {
      end();
    } else if (count_ > 0) {
      since_last_.push_back(time);
    }
  }

  void end() {
    if (count_ >= kFewestPolls) {
      const IntervalSet idle = IntervalSet({all_}).subtract(IntervalSet(std::move(work_))).subtract(busy_);
      const bool is_long = idle.length() >= kShortestPoll;
      for (const Interval& time : idle.intervals()) {
        if (is_long) found_.push_back({first_, time});
      }
    }
    count_ = 0;
    work_.clear();
    since_last_.clear();
  }

 private:
  const Timeline& timeline_;
  const IntervalSet& busy_;
  std::vector<Poll>& found_;
  size_t count_ = 0;  // in a row
  SliceIndex first_ = kNone;
  Interval all_;                      // of them
  std::vector<Interval> work_;        // between them
  std::vector<Interval> since_last_;  // what began after the last
};

}  // namespace

bool is_poll(std::string_view name) {
  return asks_for_end(name) || is_sleep(name);
}

std::vector<Poll> polls(const Timeline& timeline, DeviceBusyTime& busy_time) {
  const Slices& slices = timeline.slices;
  AskedNames polls_by_name(timeline, [&](SliceIndex slice) { return is_poll(timeline.name(slice)); });
  const auto asks = [&](SliceIndex slice) { return is_host(timeline.kind(slice)) && polls_by_name(slice); };
  std::vector<size_t> count(timeline.tracks.size());
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (asks(slice)) ++count[slices.track[slice]];
  }
  std::map<TrackIndex, std::vector<SliceIndex>> threads;
  for (TrackIndex track = 0; track < count.size(); ++track) {
    if (count[track] >= kFewestPolls) threads[track];
  }
  std::vector<Poll> found;
  if (threads.empty()) return found;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_host(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
    const auto thread = threads.find(slices.track[slice]);
    if (thread != threads.end()) thread->second.push_back(slice);
  }
  const IntervalSet& busy = busy_time.get();
  for (auto& [track, of_thread] : threads) {
    const auto place = [&](SliceIndex slice) {
      return std::tuple(slices.start[slice], -slices.duration[slice], slice);
    };
    std::sort(of_thread.begin(), of_thread.end(), [&](SliceIndex a, SliceIndex b) { return place(a) < place(b); });
    PollsOfThread polls_of_thread(timeline, busy, found);
    for (const SliceIndex slice : of_thread) polls_of_thread.add(slice, asks(slice));
    polls_of_thread.end();
  }
  return found;
}

}  // namespace cgpu
