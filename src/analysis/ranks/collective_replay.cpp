#include "analysis/ranks/collective_replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/ranks/ended_last.h"
#include "base/lower_median.h"
#include "links/collective_series.h"

namespace cgpu {

namespace {

constexpr int64_t kNotYet = INT64_MIN;

/// Damaged summaries hold any times: sums of those go around, and mean nothing.
int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

}  // namespace

CollectiveChange together(const CollectiveChange& a, const CollectiveChange& b) {
  CollectiveChange both = a;
  for (size_t run = 0; run < both.own.size(); ++run) {
    both.own[run] = std::min(1.0, both.own[run] + b.own[run]);
    both.transfers[run] = static_cast<char>(both.transfers[run] | b.transfers[run]);
  }
  return both;
}

CollectiveReplay::CollectiveReplay(const SessionFacts& facts, int64_t iterations) : facts_(facts) {
  collect();
  find_gaps();
  find_usual();
  for (Device& device : devices_) {
    const uint32_t count = device.end - device.first;
    device.from = device.first;
    if (iterations <= 0 || iterations >= count) continue;
    const auto all = static_cast<uint32_t>(iterations) + 1;
    if (count % all != 0) continue;
    device.from += count / all - 1;
    device.of_iterations = true;
  }
}

void CollectiveReplay::collect() {
  std::map<std::pair<size_t, int32_t>, uint32_t> numbers;
  const std::vector<CollectiveSeries>& all = facts_.collectives();
  for (const CollectiveSeries& series : all) {
    for (const CollectiveMember& member : series.members) numbers.try_emplace({member.run, member.device}, 0);
  }
  for (auto& [key, number] : numbers) {
    number = static_cast<uint32_t>(devices_.size());
    devices_.push_back({key.first, key.second});
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const CollectiveSeries& series = all[i];
    const auto first = static_cast<uint32_t>(instances_.size());
    instances_.resize(first + series.instances, {static_cast<uint32_t>(i), 0, ends_together(series.name)});
    for (const CollectiveMember& member : series.members) {
      const Slices& slices = facts_.run(member.run).timeline.slices;
      const uint32_t device = numbers.at({member.run, member.device});
      for (const CollectivePart& part : member.parts) {
        const int64_t duration = slices.duration[part.slice];
        Instance& instance = instances_[first + part.instance];
        ++instance.parts;
        instance.transfer = std::min(instance.transfer, duration);
        parts_.push_back({device, first + part.instance, kNoPart, slices.start[part.slice], duration});
      }
    }
  }
  std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
    return std::tie(a.device, a.start, a.duration) < std::tie(b.device, b.start, b.duration);
  });
  first_member_.assign(instances_.size() + 1, 0);
  for (const Part& part : parts_) ++first_member_[part.instance + 1];
  std::partial_sum(first_member_.begin(), first_member_.end(), first_member_.begin());
  members_.resize(parts_.size());
  std::vector<uint32_t> next = first_member_;
  for (uint32_t i = 0; i < parts_.size(); ++i) members_[next[parts_[i].instance]++] = i;

  caused_.assign(facts_.session().runs.size(), 0);
  for (size_t i = 0; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    if (!instance.together || instance.parts < 2) continue;
    int64_t total = 0;
    uint32_t last = members_[first_member_[i]];
    for (uint32_t at = first_member_[i]; at < first_member_[i + 1]; ++at) {
      total = plus(total, minus(parts_[members_[at]].duration, instance.transfer));
      if (parts_[members_[at]].duration < parts_[last].duration) last = members_[at];
    }
    int64_t& caused = caused_[devices_[parts_[last].device].run];
    caused = plus(caused, total);
  }
}

void CollectiveReplay::find_gaps() {
  for (uint32_t i = 0, device = 0; device < devices_.size(); ++device) {
    devices_[device].first = i;
    EndedLast ended;
    const auto end_of = [&](uint32_t part) { return plus(parts_[part].start, parts_[part].duration); };
    for (; i < parts_.size() && parts_[i].device == device; ++i) {
      Part& part = parts_[i];
      part.before = ended.before(part.start).value_or(kNoPart);
      if (part.before != kNoPart) part.gap = minus(part.start, end_of(part.before));
      ended.add(end_of(i), i);
    }
    devices_[device].end = i;
  }
}

void CollectiveReplay::find_usual() {
  const std::vector<CollectiveSeries>& all = facts_.collectives();
  std::map<std::vector<std::string_view>, std::vector<uint32_t>> alike;  // devices by the collectives that they run
  for (uint32_t device = 0; device < devices_.size(); ++device) {
    std::vector<std::string_view> names;
    for (uint32_t i = devices_[device].first; i < devices_[device].end; ++i) {
      names.push_back(all[instances_[parts_[i].instance].series].name);
    }
    alike[std::move(names)].push_back(device);
  }
  std::vector<int64_t> gaps;
  std::vector<int64_t> transfers;
  for (const auto& [names, devices] : alike) {
    for (uint32_t place = 0; place < names.size(); ++place) {
      gaps.clear();
      transfers.clear();
      for (const uint32_t device : devices) {
        const Part& part = parts_[devices_[device].first + place];
        gaps.push_back(part.gap);
        transfers.push_back(instances_[part.instance].transfer);
      }
      const int64_t usual_gap = lower_median(gaps);
      const int64_t usual_transfer = lower_median(transfers);
      for (const uint32_t device : devices) {
        Part& part = parts_[devices_[device].first + place];
        part.excess = std::max<int64_t>(minus(part.gap, usual_gap), 0);
        Instance& instance = instances_[part.instance];
        instance.excess = std::max(instance.excess, minus(instance.transfer, usual_transfer));
      }
    }
  }
}

CollectiveChange CollectiveReplay::nothing() const {
  const size_t runs = facts_.session().runs.size();
  return {std::vector<double>(runs), std::vector<char>(runs)};
}

std::vector<int64_t> CollectiveReplay::ends(const CollectiveChange& change) const {
  std::vector<int64_t> ends(parts_.size(), kNotYet);
  std::vector<int64_t> come(instances_.size(), kNotYet);  // when the last of its members so far
  std::vector<uint32_t> missing;
  for (const Instance& instance : instances_) missing.push_back(instance.parts);
  std::vector<uint32_t> next;
  std::vector<uint32_t> going;  // devices that may go on
  for (const Device& device : devices_) {
    going.push_back(static_cast<uint32_t>(next.size()));
    next.push_back(device.first);
  }
  const auto transfer_of = [&](uint32_t i) {
    const Instance& instance = instances_[i];
    const bool is_usual =
        std::any_of(members_.begin() + first_member_[i], members_.begin() + first_member_[i + 1],
                    [&](uint32_t part) { return change.transfers[devices_[parts_[part].device].run] != 0; });
    return is_usual ? minus(instance.transfer, instance.excess) : instance.transfer;
  };
  size_t done = 0;
  while (!going.empty()) {
    const uint32_t device = going.back();
    going.pop_back();
    const double gone = change.own[devices_[device].run];
    for (uint32_t& i = next[device]; i < devices_[device].end; ++i) {
      const Part& part = parts_[i];
      if (part.before != kNoPart && ends[part.before] == kNotYet) break;
      const int64_t begins = minus(beginning(part, ends), std::llround(gone * static_cast<double>(part.excess)));
      if (!instances_[part.instance].together) {
        ends[i] = plus(begins, part.duration);
        ++done;
        continue;
      }
      come[part.instance] = std::max(come[part.instance], begins);
      if (--missing[part.instance] > 0) continue;
      const int64_t end = plus(come[part.instance], transfer_of(part.instance));
      for (uint32_t at = first_member_[part.instance]; at < first_member_[part.instance + 1]; ++at) {
        ends[members_[at]] = end;
        ++done;
        if (parts_[members_[at]].device != device) going.push_back(parts_[members_[at]].device);
      }
    }
  }
  if (done < parts_.size()) ends.clear();
  return ends;
}

std::optional<int64_t> CollectiveReplay::time(const CollectiveChange& change) const {
  const std::vector<int64_t> all = ends(change);
  if (all.empty()) return {};
  int64_t longest = 0;
  for (const Device& device : devices_) longest = std::max(longest, minus(all[device.end - 1], all[device.from]));
  return longest;
}

int64_t CollectiveReplay::measured(const Device& device) const {
  const Part& from = parts_[device.from];
  const Part& last = parts_[device.end - 1];
  return minus(plus(last.start, last.duration), plus(from.start, from.duration));
}

std::optional<double> CollectiveReplay::error() const {
  const std::vector<int64_t> all = ends(nothing());
  std::vector<double> errors;
  for (const Device& device : devices_) {
    if (all.empty() || device.end - device.from < 2) continue;
    const auto whole = static_cast<double>(measured(device));
    if (whole <= 0) continue;
    errors.push_back(std::abs(static_cast<double>(minus(all[device.end - 1], all[device.from])) - whole) / whole);
  }
  if (errors.empty()) return {};
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

int64_t CollectiveReplay::beginning(const Part& part, const std::vector<int64_t>& ends) const {
  return plus(part.before == kNoPart ? 0 : ends[part.before], part.gap);
}

uint32_t CollectiveReplay::last_to_come(uint32_t part, const std::vector<int64_t>& ends) const {
  const uint32_t instance = parts_[part].instance;
  if (!instances_[instance].together) return part;
  uint32_t last = part;
  for (uint32_t at = first_member_[instance]; at < first_member_[instance + 1]; ++at) {
    if (beginning(parts_[members_[at]], ends) > beginning(parts_[last], ends)) last = members_[at];
  }
  return last;
}

std::optional<ReplayedPath> CollectiveReplay::path() const {
  const std::vector<int64_t> all = ends(nothing());
  if (all.empty()) return {};
  const auto time_of = [&](const Device& device) { return minus(all[device.end - 1], all[device.from]); };
  const Device& longest = *std::max_element(devices_.begin(), devices_.end(),
                                            [&](const Device& a, const Device& b) { return time_of(a) < time_of(b); });
  const int64_t begin = all[longest.from];
  ReplayedPath path{{}, 0, measured(longest), longest.of_iterations};
  bool possible = true;
  const auto add = [&](PathPiece piece, int64_t from, int64_t to) {
    piece.time = minus(to, std::max(from, begin));
    piece.whole = minus(to, from);
    possible = possible && piece.time >= 0 && piece.whole >= piece.time &&
               !__builtin_add_overflow(path.time, piece.time, &path.time);
    if (piece.time > 0) path.pieces.push_back(piece);
  };
  for (uint32_t part = longest.end - 1; part != kNoPart && all[part] > begin;) {
    const uint32_t last = last_to_come(part, all);
    const uint32_t before = parts_[last].before;
    const uint32_t device = parts_[last].device;
    const Instance& instance = instances_[parts_[last].instance];
    const bool is_known = instance.together && instance.parts > 1;
    PathPiece piece{is_known ? PathPiece::Kind::transfer : PathPiece::Kind::alone, devices_[device].run,
                    devices_[device].number, last - devices_[device].first, &facts_.collectives()[instance.series]};
    const int64_t come = beginning(parts_[last], all);
    add(piece, come, all[part]);
    if (come <= begin) break;
    if (before != kNoPart) {
      piece.kind = PathPiece::Kind::own;
      piece.before = &facts_.collectives()[instances_[parts_[before].instance].series];
      piece.comes_from_another = all[before] > begin && parts_[last_to_come(before, all)].device != device;
      add(piece, all[before], come);
    }
    part = before;
  }
  if (!possible) return {};
  std::reverse(path.pieces.begin(), path.pieces.end());
  return path;
}

std::optional<SlowTransfers> CollectiveReplay::slow_transfers(const std::vector<char>& runs) const {
  struct Sums {
    int64_t count = 0;
    int64_t total = 0;
    int64_t excess = 0;
    size_t members = 0;
    bool between_machines = false;
  };
  std::map<std::string, Sums> of_collective;
  for (uint32_t i = 0; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    if (!instance.together || instance.parts < 2 || instance.excess == 0) continue;
    bool concerns = false;
    std::set<std::string_view> hosts;
    for (uint32_t at = first_member_[i]; at < first_member_[i + 1]; ++at) {
      const size_t run = devices_[parts_[members_[at]].device].run;
      concerns = concerns || runs[run] != 0;
      hosts.insert(facts_.run(run).host);
    }
    if (!concerns) continue;
    Sums& sums = of_collective[facts_.collectives()[instance.series].name];
    ++sums.count;
    sums.total = plus(sums.total, instance.transfer);
    sums.excess = plus(sums.excess, instance.excess);
    sums.members = std::max<size_t>(sums.members, instance.parts);
    sums.between_machines = sums.between_machines || hosts.size() > 1;
  }
  if (of_collective.empty()) return {};
  const auto most = std::max_element(of_collective.begin(), of_collective.end(),
                                     [](const auto& a, const auto& b) { return a.second.excess < b.second.excess; });
  const Sums& sums = most->second;
  return SlowTransfers{
      most->first,  sums.count,           sums.total / sums.count, minus(sums.total, sums.excess) / sums.count,
      sums.members, sums.between_machines};
}

}  // namespace cgpu
