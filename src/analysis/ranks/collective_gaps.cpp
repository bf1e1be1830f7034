#include "analysis/ranks/collective_gaps.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"
#include "analysis/ranks/ended_last.h"

namespace cgpu {

namespace {

/// A collective of a device, and what was before it.
struct PlaceInTime {
  Interval time;
  Interval gap;  // empty before the first
};

std::vector<PlaceInTime> places_of(const Timeline& timeline, const std::vector<OpIndex>& ops) {
  std::vector<PlaceInTime> places;
  for (const OpIndex op : ops) {
    if (timeline.device_ops.kind[op] != OpKind::communication) continue;
    const SliceIndex slice = timeline.device_ops.slice[op];
    places.push_back({{timeline.slices.start[slice], timeline.slices.end(slice)}, {}});
  }
  std::sort(places.begin(), places.end(), [](const PlaceInTime& a, const PlaceInTime& b) {
    return std::pair(a.time.begin, a.time.end) < std::pair(b.time.begin, b.time.end);
  });
  EndedLast ended;
  for (uint32_t i = 0; i < places.size(); ++i) {
    const int64_t start = places[i].time.begin;
    const std::optional<uint32_t> before = ended.before(start);
    places[i].gap = {before ? places[*before].time.end : start, start};
    ended.add(places[i].time.end, i);
  }
  return places;
}

int64_t length_in(const IntervalSet& set, Interval time) {
  return set.clip(time.begin, time.end).length();
}

/// The gaps of one device.
std::vector<CollectiveGap> gaps_of(const RunInSession& run, const std::vector<OpIndex>& ops,
                                   const std::vector<PlaceInTime>& places) {
  const DeviceTime time = device_time(run.timeline(), ops);
  std::vector<CollectiveGap> gaps(places.size());
  // Gaps that begin together lie in each other; no other two overlap. Of each first what is not in the one before it.
  const auto continues = [&](size_t i) { return i > 0 && places[i].gap.begin == places[i - 1].gap.begin; };
  for (size_t i = 0; i < places.size(); ++i) {
    const Interval added{continues(i) ? places[i - 1].gap.end : places[i].gap.begin, places[i].gap.end};
    auto& owned = gaps[i].owned_ns;
    owned[static_cast<size_t>(TimeOwner::compute)] = length_in(time.compute, added);
    owned[static_cast<size_t>(TimeOwner::copies)] = length_in(time.exposed_memory, added);
    owned[kOtherCommunication] = length_in(time.exposed_communication, added);
    gaps[i].hidden_ns = length_in(time.compute, places[i].time);
  }
  size_t next = 0;
  run.facts.idle().for_each_gap(run.index, ops, [&](const IdleGap& idle) {
    while (next < places.size() && places[next].gap.end < idle.time.end) ++next;
    if (next == places.size() || places[next].gap.begin > idle.time.begin) return;
    for (size_t cause = 0; cause < idle.times.size(); ++cause) {
      gaps[next].owned_ns[static_cast<size_t>(TimeOwner::idle) + cause] += idle.times[cause];
    }
  });
  for (size_t i = 0; i < places.size(); ++i) {
    auto& owned = gaps[i].owned_ns;
    if (continues(i)) {
      for (size_t owner = 0; owner < owned.size(); ++owner) owned[owner] += gaps[i - 1].owned_ns[owner];
    }
    // Idle time around a collective that takes no time belongs to no single gap.
    const int64_t all = std::accumulate(owned.begin(), owned.end(), int64_t{0});
    owned[kUnknownOwner] += places[i].gap.end - places[i].gap.begin - all;
  }
  return gaps;
}

constexpr const char* kGapsName = "times between collectives";

/// Of several gaps, one behind the other.
struct GapColumns {
  std::vector<int64_t> hidden_ns;
  std::vector<uint32_t> owners;  // which have time, a bit for each
  std::vector<int64_t> times;    // of those owners

  template <typename Archive>
  void members(Archive& archive) {
    archive(hidden_ns, owners, times);
  }
};

std::string packed(const std::vector<CollectiveGap>& gaps) {
  GapColumns columns;
  for (const CollectiveGap& gap : gaps) {
    uint32_t owners = 0;
    for (size_t owner = 0; owner < kGapOwners; ++owner) {
      if (gap.owned_ns[owner] == 0) continue;
      owners |= uint32_t{1} << owner;
      columns.times.push_back(gap.owned_ns[owner]);
    }
    columns.hidden_ns.push_back(gap.hidden_ns);
    columns.owners.push_back(owners);
  }
  MessageWriter message;
  message(columns);
  return message.take();
}

}  // namespace

CollectiveGaps::CollectiveGaps(int32_t device, int64_t iterations, const std::vector<CollectiveGap>& gaps)
    : device_(device), iterations_(iterations), gaps_(packed(gaps)) {}

void CollectiveGaps::for_each(const std::function<void(uint32_t place, const CollectiveGap& gap)>& visit) const {
  GapColumns columns;
  MessageReader message(gaps_, kGapsName);
  message(columns);
  if (columns.hidden_ns.size() != columns.owners.size()) message.fail("holds no columns of one length");
  auto time = columns.times.begin();
  for (uint32_t place = 0; place < columns.owners.size(); ++place) {
    CollectiveGap gap;
    gap.hidden_ns = columns.hidden_ns[place];
    for (size_t owner = 0; owner < kGapOwners; ++owner) {
      if ((columns.owners[place] >> owner & 1) == 0) continue;
      if (time == columns.times.end()) message.fail("holds fewer times than it says");
      gap.owned_ns[owner] = *time++;
    }
    visit(place, gap);
  }
}

std::string CollectiveGaps::from_positional(std::string_view bytes) {
  PositionalReader reader(bytes, kGapsName);
  std::vector<CollectiveGap> gaps;
  while (!reader.at_end()) {
    CollectiveGap& gap = gaps.emplace_back();
    uint32_t owners = 0;
    reader(gap.hidden_ns, owners);
    for (size_t owner = 0; owner < kGapOwners; ++owner) {
      if ((owners >> owner & 1) != 0) reader(gap.owned_ns[owner]);
    }
  }
  return packed(gaps);
}

std::vector<CollectiveGaps> collective_gaps(const RunInSession& run) {
  std::vector<CollectiveGaps> all;
  for (const auto& [device, ops] : ops_by_device(run.timeline())) {
    const std::vector<PlaceInTime> places = places_of(run.timeline(), ops);
    if (places.empty()) continue;
    all.emplace_back(device, whole_iterations(run, ops).count, gaps_of(run, ops, places));
  }
  return all;
}

std::string_view text_of_gap_owner(size_t owner) {
  return owner == kOtherCommunication ? "other_communication" : text_of_owner(owner);
}

}  // namespace cgpu
