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
#include "analysis/ranks/transfer_rendezvous.h"
#include "base/lower_median.h"
#include "links/collective_series.h"

namespace cgpu {

namespace {

/// Damaged summaries hold any times: sums of those go around, and mean nothing.
int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t times(uint32_t a, int64_t b) {
  return static_cast<int64_t>(uint64_t{a} * static_cast<uint64_t>(b));
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

/// Puts the parts of each device in order, one device after another.
class CollectiveReplay::Collector {
 public:
  Collector(CollectiveReplay& replay, int64_t iterations)
      : replay_(replay), all_(replay.facts_.collectives()), iterations_(iterations) {}

  void collect() {
    std::map<std::pair<size_t, int32_t>, std::vector<Membership>> devices;
    OutOfCoreVector<Instance>& instances = replay_.instances_;
    numbers_.resize(all_.size());
    for (uint32_t series = 0; series < all_.size(); ++series) {
      const auto first = static_cast<uint32_t>(instances.size());
      instances.resize(first + number_instances(series), {INT64_MAX, 0, series});
      for (const CollectiveMember& member : all_[series].members) {
        devices[{member.run, member.device}].push_back({series, &member, first});
      }
    }
    sums_.resize(instances.size());
    size_t parts = 0;
    for (const CollectiveSeries& series : all_) parts += series.parts.size();
    replay_.device_.reserve(parts);
    replay_.instance_.reserve(parts);
    replay_.back_.reserve(parts);
    replay_.gap_.reserve(parts);
    for (const auto& [key, memberships] : devices) {
      replay_.devices_.push_back({key.first, key.second});
      add_device(memberships);
    }
    instances.emplace_back();
    replay_.caused_.assign(replay_.facts_.session().runs.size(), 0);
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].parts < 2) continue;
      int64_t& caused = replay_.caused_[replay_.devices_[sums_[i].last].run];
      caused = plus(caused, minus(sums_[i].total, times(sums_[i].parts, instances[i].transfer)));
    }
  }

 private:
  struct Membership {
    uint32_t series = 0;
    const CollectiveMember* member = nullptr;
    uint32_t first_instance = 0;
  };
  struct Part {
    int64_t start = 0;
    int64_t duration = 0;
    uint32_t instance = 0;

    int64_t end() const { return plus(start, duration); }
  };
  /// Of an instance.
  struct Sums {
    int64_t total = 0;  // of the durations
    uint32_t parts = 0;
    uint32_t last = 0;  // the device of the shortest part: all others waited for it
  };

  /// How many instances a series has, of ops that wait for each other.
  uint32_t number_instances(uint32_t number) {
    const CollectiveSeries& series = all_[number];
    if (ends_together(series.name)) return series.instances;
    OutOfCoreVector<uint32_t>& numbers = numbers_[number];
    if (series.of_transfers) {
      numbers = transfer_rendezvous(replay_.facts_.session(), series);
    } else {
      numbers.resize(series.parts.size());
      std::iota(numbers.begin(), numbers.end(), uint32_t{0});
    }
    return numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
  }

  void add_device(const std::vector<Membership>& memberships) {
    std::vector<Part> parts;
    for (const Membership& each : memberships) {
      const CollectiveSeries& series = all_[each.series];
      for (uint32_t i = each.member->first; i < each.member->end; ++i) {
        if (series.is_of_op_before(i, *each.member)) continue;
        const CollectivePart part = series.parts.row(i);
        const OutOfCoreVector<uint32_t>& numbers = numbers_[each.series];
        parts.push_back(
            {part.start, part.duration, each.first_instance + (numbers.empty() ? part.instance : numbers[i])});
      }
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return std::tie(a.start, a.duration) < std::tie(b.start, b.duration);
    });
    const auto number = static_cast<uint32_t>(replay_.devices_.size() - 1);
    Device& device = replay_.devices_.back();
    device.first = static_cast<uint32_t>(replay_.instance_.size());
    device.end = device.first + static_cast<uint32_t>(parts.size());
    EndedLast ended;
    for (uint32_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      const std::optional<uint32_t> before = ended.before(part.start);
      ended.add(part.end(), i);
      replay_.device_.push_back(number);
      replay_.instance_.push_back(part.instance);
      replay_.back_.push_back(before ? i - *before : 0);
      replay_.gap_.push_back(before ? minus(part.start, parts[*before].end()) : 0);
      Instance& instance = replay_.instances_[part.instance];
      Sums& sums = sums_[part.instance];
      if (sums.parts == 0 || part.duration < instance.transfer) sums.last = number;
      instance.transfer = std::min(instance.transfer, part.duration);
      sums.total = plus(sums.total, part.duration);
      ++sums.parts;
    }
    const auto count = static_cast<uint32_t>(parts.size());
    uint32_t from = 0;
    if (iterations_ > 0 && iterations_ < count && count % (static_cast<uint32_t>(iterations_) + 1) == 0) {
      from = count / (static_cast<uint32_t>(iterations_) + 1) - 1;
      device.of_iterations = true;
    }
    device.from = device.first + from;
    device.measured = minus(parts.back().end(), parts[from].end());
  }

  CollectiveReplay& replay_;
  const std::vector<CollectiveSeries>& all_;
  const int64_t iterations_;
  std::vector<OutOfCoreVector<uint32_t>> numbers_;  // by series and part its instance; empty: as they are matched
  OutOfCoreVector<Sums> sums_;                      // by instance
};

CollectiveReplay::CollectiveReplay(const SessionFacts& facts, int64_t iterations) : facts_(facts) {
  Collector(*this, iterations).collect();
  find_members();
  find_usual();
}

void CollectiveReplay::find_members() {
  for (const uint32_t instance : instance_) ++instances_[instance].first_member;
  uint32_t end = 0;
  for (Instance& instance : instances_) instance.first_member = end += instance.first_member;
  members_.resize(instance_.size());
  for (auto part = static_cast<uint32_t>(instance_.size()); part > 0; --part) {
    members_[--instances_[instance_[part - 1]].first_member] = part - 1;
  }
}

void CollectiveReplay::find_usual() {
  const std::vector<CollectiveSeries>& all = facts_.collectives();
  std::map<std::string_view, uint32_t> numbers;  // of the names of collectives
  for (const CollectiveSeries& series : all) numbers.try_emplace(series.name, static_cast<uint32_t>(numbers.size()));
  std::map<OutOfCoreVector<uint32_t>, std::vector<uint32_t>> alike;  // devices by the collectives that they run
  for (uint32_t device = 0; device < devices_.size(); ++device) {
    OutOfCoreVector<uint32_t> names;
    for (uint32_t i = devices_[device].first; i < devices_[device].end; ++i) {
      names.push_back(numbers.at(series_of(i).name));
    }
    alike[std::move(names)].push_back(device);
  }
  std::vector<int64_t> gaps;
  std::vector<int64_t> transfers;
  for (const auto& [names, devices] : alike) {
    if (devices.size() == 1) continue;
    for (const uint32_t device : devices) devices_[device].usual_gaps = usual_gaps_.size();
    for (uint32_t place = 0; place < names.size(); ++place) {
      gaps.clear();
      transfers.clear();
      for (const uint32_t device : devices) {
        const uint32_t part = devices_[device].first + place;
        gaps.push_back(gap_[part]);
        transfers.push_back(instances_[instance_[part]].transfer);
      }
      usual_gaps_.push_back(lower_median(gaps));
      const int64_t usual_transfer = lower_median(transfers);
      for (const uint32_t device : devices) {
        const uint32_t part = devices_[device].first + place;
        Instance& instance = instances_[instance_[part]];
        if (!ends_together(series_of(part).name)) continue;
        instance.excess = std::max(instance.excess, minus(instance.transfer, usual_transfer));
      }
    }
  }
}

std::span<const uint32_t> CollectiveReplay::members_of(uint32_t instance) const {
  const uint32_t first = instances_[instance].first_member;
  return {members_.data() + first, instances_[instance + 1].first_member - first};
}

const CollectiveSeries& CollectiveReplay::series_of(uint32_t part) const {
  return facts_.collectives()[instances_[instance_[part]].series];
}

CollectiveChange CollectiveReplay::nothing() const {
  const size_t runs = facts_.session().runs.size();
  return {std::vector<double>(runs), std::vector<char>(runs)};
}

CollectiveReplay::Ends CollectiveReplay::ends(const CollectiveChange& change) const {
  const auto count = static_cast<uint32_t>(instances_.size() - 1);
  Ends ends(count, INT64_MIN);  // of those with missing members when the last so far has come
  OutOfCoreVector<uint32_t> missing;
  for (uint32_t i = 0; i < count; ++i) missing.push_back(static_cast<uint32_t>(members_of(i).size()));
  std::vector<uint32_t> next;
  std::vector<uint32_t> going;  // devices that may go on
  for (const Device& device : devices_) {
    going.push_back(static_cast<uint32_t>(next.size()));
    next.push_back(device.first);
  }
  const auto transfer_of = [&](uint32_t i) {
    const std::span<const uint32_t> members = members_of(i);
    const bool is_usual = std::any_of(members.begin(), members.end(), [&](uint32_t part) {
      return change.transfers[devices_[device_[part]].run] != 0;
    });
    return is_usual ? minus(instances_[i].transfer, instances_[i].excess) : instances_[i].transfer;
  };
  size_t done = 0;
  while (!going.empty()) {
    const uint32_t number = going.back();
    going.pop_back();
    const Device& device = devices_[number];
    const double gone = change.own[device.run];
    for (uint32_t& part = next[number]; part < device.end; ++part) {
      const uint32_t last = before(part);
      if (last != kNoPart && missing[instance_[last]] > 0) break;
      const uint32_t instance = instance_[part];
      const int64_t less = std::llround(gone * static_cast<double>(excess(device, part)));
      ends[instance] = std::max(ends[instance], minus(beginning(part, ends), less));
      if (--missing[instance] > 0) continue;
      ends[instance] = plus(ends[instance], transfer_of(instance));
      ++done;
      for (const uint32_t member : members_of(instance)) {
        if (device_[member] != number) going.push_back(device_[member]);
      }
    }
  }
  if (done < count) ends.clear();
  return ends;
}

std::optional<int64_t> CollectiveReplay::time(const CollectiveChange& change) const {
  const Ends all = ends(change);
  if (all.empty()) return {};
  int64_t longest = 0;
  for (const Device& device : devices_) longest = std::max(longest, time_of(device, all));
  return longest;
}

int64_t CollectiveReplay::time_of(const Device& device, const Ends& ends) const {
  return minus(ends[instance_[device.end - 1]], ends[instance_[device.from]]);
}

std::optional<double> CollectiveReplay::error() const {
  const Ends all = ends(nothing());
  std::vector<double> errors;
  for (const Device& device : devices_) {
    if (all.empty() || device.end - device.from < 2) continue;
    const auto whole = static_cast<double>(device.measured);
    if (whole <= 0) continue;
    errors.push_back(std::abs(static_cast<double>(time_of(device, all)) - whole) / whole);
  }
  if (errors.empty()) return {};
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

uint32_t CollectiveReplay::before(uint32_t part) const {
  const uint32_t back = back_[part];
  return back == 0 ? kNoPart : part - back;
}

int64_t CollectiveReplay::excess(const Device& device, uint32_t part) const {
  if (!device.usual_gaps) return 0;
  return std::max<int64_t>(minus(gap_[part], usual_gaps_[*device.usual_gaps + part - device.first]), 0);
}

int64_t CollectiveReplay::beginning(uint32_t part, const Ends& ends) const {
  const uint32_t last = before(part);
  return plus(last == kNoPart ? 0 : ends[instance_[last]], gap_[part]);
}

uint32_t CollectiveReplay::last_to_come(uint32_t part, const Ends& ends) const {
  uint32_t last = part;
  for (const uint32_t member : members_of(instance_[part])) {
    if (beginning(member, ends) > beginning(last, ends)) last = member;
  }
  return last;
}

std::optional<ReplayedPath> CollectiveReplay::path() const {
  const Ends all = ends(nothing());
  if (all.empty()) return {};
  const Device& longest = *std::max_element(devices_.begin(), devices_.end(), [&](const Device& a, const Device& b) {
    return time_of(a, all) < time_of(b, all);
  });
  const auto end_of = [&](uint32_t part) { return all[instance_[part]]; };
  const int64_t begin = end_of(longest.from);
  ReplayedPath path{{}, 0, longest.measured, longest.of_iterations};
  bool possible = true;
  const auto add = [&](PathPiece piece, int64_t from, int64_t to) {
    piece.time = minus(to, std::max(from, begin));
    piece.whole = minus(to, from);
    possible = possible && piece.time >= 0 && piece.whole >= piece.time &&
               !__builtin_add_overflow(path.time, piece.time, &path.time);
    if (piece.time > 0) path.pieces.push_back(piece);
  };
  for (uint32_t part = longest.end - 1; part != kNoPart && end_of(part) > begin;) {
    const uint32_t last = last_to_come(part, all);
    const uint32_t earlier = before(last);
    const uint32_t device = device_[last];
    const bool is_known = members_of(instance_[last]).size() > 1;
    PathPiece piece{is_known ? PathPiece::Kind::transfer : PathPiece::Kind::alone, devices_[device].run,
                    devices_[device].number, last - devices_[device].first, &series_of(last)};
    const int64_t come = beginning(last, all);
    add(piece, come, end_of(part));
    if (come <= begin) break;
    if (earlier != kNoPart) {
      piece.kind = PathPiece::Kind::own;
      piece.before = &series_of(earlier);
      piece.comes_from_another = end_of(earlier) > begin && device_[last_to_come(earlier, all)] != device;
      add(piece, end_of(earlier), come);
    }
    part = earlier;
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
  for (uint32_t i = 0; i + 1 < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    const std::span<const uint32_t> members = members_of(i);
    if (members.size() < 2 || instance.excess == 0) continue;
    bool concerns = false;
    std::set<std::string_view> hosts;
    for (const uint32_t member : members) {
      const size_t run = devices_[device_[member]].run;
      concerns = concerns || runs[run] != 0;
      hosts.insert(facts_.run(run).host);
    }
    if (!concerns) continue;
    Sums& sums = of_collective[facts_.collectives()[instance.series].name];
    ++sums.count;
    sums.total = plus(sums.total, instance.transfer);
    sums.excess = plus(sums.excess, instance.excess);
    sums.members = std::max(sums.members, members.size());
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
