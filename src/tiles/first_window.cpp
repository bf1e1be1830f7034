#include "tiles/first_window.h"

#include <algorithm>

#include "analysis/device/device_ops.h"
#include "analysis/session_clock.h"

namespace cgpu {

namespace {

constexpr size_t kSample = 65'536;
constexpr size_t kFewest = 10;    // with fewer slices strays cannot be detected
constexpr int64_t kShare = 1000;  // of the slices that may be strays, and of the whole time
constexpr double kMostOfWhole = 0.95;

struct Place {
  size_t run = 0;
  SliceIndex slice = 0;
};

/// Where the slices of a sample of all slices are.
std::vector<Place> sampled_places(const Session& session) {
  size_t count = 0;
  for (const Run& run : session.runs) count += run.timeline.slices.size();
  const size_t step = (count + kSample - 1) / kSample;
  std::vector<Place> places;
  places.reserve(std::min(count, kSample));
  size_t next = 0;  // counts through all runs
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const size_t size = session.runs[run].timeline.slices.size();
    for (; next < size; next += step) places.push_back({run, static_cast<SliceIndex>(next)});
    next -= size;
  }
  return places;
}

/// The times of the first `most` of these slices that have plausible durations.
template <typename Iterator>
std::vector<Interval> times_of(const Session& session, const std::vector<int64_t>& zeros, Iterator begin, Iterator end,
                               size_t most) {
  std::vector<Interval> times;
  for (; begin != end && times.size() < most; ++begin) {
    const Timeline& timeline = session.runs[begin->run].timeline;
    const int64_t zero = zeros[begin->run];
    if (!is_plausible(timeline, begin->slice)) continue;
    times.push_back({timeline.slices.start[begin->slice] - zero, timeline.slices.end(begin->slice) - zero});
  }
  return times;
}

bool begins_earlier(const Interval& a, const Interval& b) {
  return a.begin < b.begin;
}

/// Whether more slices than may be strays begin over `width` after as many others: no window of that width has all but
/// the strays then. Profiles are mostly written in the order of time, so that a few at either end of them tell.
bool lie_far_apart(const std::vector<Interval>& early, const std::vector<Interval>& late, size_t strays,
                   int64_t width) {
  if (early.size() <= strays || late.size() <= strays) return false;
  return std::min_element(late.begin(), late.end(), begins_earlier)->begin -
             std::max_element(early.begin(), early.end(), begins_earlier)->begin >
         width;
}

/// Whether all but `strays` of a sample could begin within `width`: the one in the middle is among them then.
bool may_lie_within(std::vector<Interval>& sample, size_t strays, int64_t width) {
  const auto middle = sample.begin() + static_cast<ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end(), begins_earlier);
  const int64_t centre = middle->begin;
  const auto far = std::count_if(sample.begin(), sample.end(), [&](const Interval& time) {
    return time.begin < centre - width || time.begin > centre + width;
  });
  return static_cast<size_t>(far) <= strays;
}

/// The shortest time that has nearly all slices, where that is a small part of the whole.
std::optional<Interval> without_strays(const Session& session, const std::vector<int64_t>& zeros, int64_t span) {
  const std::vector<Place> places = sampled_places(session);
  const size_t most_strays = std::max<size_t>(1, places.size() / kShare);
  const std::vector<Interval> first_ones = times_of(session, zeros, places.begin(), places.end(), most_strays + 1);
  const std::vector<Interval> last_ones = times_of(session, zeros, places.rbegin(), places.rend(), most_strays + 1);
  if (lie_far_apart(first_ones, last_ones, most_strays, span / kShare)) return std::nullopt;
  std::vector<Interval> sample = times_of(session, zeros, places.begin(), places.end(), places.size());
  if (sample.size() < kFewest) return std::nullopt;
  const size_t strays = std::max<size_t>(1, sample.size() / kShare);
  if (!may_lie_within(sample, strays, span / kShare)) return std::nullopt;
  std::sort(sample.begin(), sample.end(), begins_earlier);
  const size_t others = sample.size() - strays;
  size_t first = 0;  // of those that lie closest together
  const auto width = [&](size_t from) { return sample[from + others - 1].begin - sample[from].begin; };
  for (size_t from = 1; from <= strays; ++from) {
    if (width(from) < width(first)) first = from;
  }
  const int64_t longest = width(first);
  size_t end = first + others;  // those that lie no farther off than this are no strays
  while (first > 0 && sample[first].begin - sample[first - 1].begin <= longest) --first;
  while (end < sample.size() && sample[end].begin - sample[end - 1].begin <= longest) ++end;
  Interval window{sample[first].begin, sample[end - 1].begin};
  for (size_t i = first; i < end; ++i) {
    if (sample[i].end - sample[i].begin <= longest) window.end = std::max(window.end, sample[i].end);
  }
  if (window.end == window.begin || window.end - window.begin > span / kShare) return std::nullopt;
  return window;
}

/// What slices, counters and the allocator's events take, where events without a duration lie far outside of it.
std::optional<Interval> without_instants(const Session& session, const std::vector<int64_t>& zeros, int64_t span) {
  const auto has_instants = [](const Run& run) { return !run.timeline.instants.empty(); };
  if (std::none_of(session.runs.begin(), session.runs.end(), has_instants)) return std::nullopt;
  Interval window{INT64_MAX, INT64_MIN};
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& timeline = session.runs[run].timeline;
    for (const auto& extent : {extent_of(timeline), extent_of_samples(timeline)}) {
      if (!extent) continue;
      window.begin = std::min(window.begin, extent->begin - zeros[run]);
      window.end = std::max(window.end, extent->end - zeros[run]);
    }
  }
  const bool is_small = window.begin < window.end &&
                        static_cast<double>(window.end - window.begin) < kMostOfWhole * static_cast<double>(span);
  return is_small ? std::optional(window) : std::nullopt;
}

}  // namespace

std::optional<Interval> first_window(const Session& session, const std::vector<int64_t>& zeros, int64_t span) {
  if (const auto window = without_strays(session, zeros, span)) return window;
  return without_instants(session, zeros, span);
}

}  // namespace cgpu
