// Table `rank_outliers`: devices that take longer than those of the other ranks, by what their time goes to, and
// together where a whole machine, rack, stage of a pipeline or group of ranks deviates alike.
//
// The distance is the modified z-score (Iglewicz and Hoaglin: How to Detect and Handle Outliers, 1993): of the median,
// in median absolute deviations, so that what deviates does not hide itself. Waiting for others counts for the ranks
// that are waited for. Transfer and waiting are distinguished by durations, not by clocks: of a collective that all
// members leave together, the member that comes last takes the time of the transfer alone. What is kept is a few dozen
// bytes a device (device_cycles.h) and the collectives; O(n) in these.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/statistics.h"
#include "analysis/findings/thresholds.h"
#include "analysis/ranks/device_cycles.h"
#include "analysis/ranks/device_sets.h"
#include "analysis/ranks/parallel_groups.h"
#include "analysis/ranks/pipeline_stages.h"
#include "analysis/tables.h"
#include "analysis/values_by_run.h"
#include "base/lower_median.h"
#include "base/number_ranges.h"
#include "base/out_of_core.h"
#include "links/collective_series.h"

namespace cgpu {

namespace {

/// Of fewer devices it cannot be said what is usual.
constexpr size_t kFewestDevices = 5;
/// The threshold of Iglewicz and Hoaglin, and what makes the score one of the normal distribution.
constexpr double kFarthest = 3.5;
constexpr double kNormal = 0.6745;
/// A machine, rack, stage or group of ranks deviates where this share of its devices does.
constexpr double kMostOfGroup = 0.75;

/// Behind the owners of time that a device has alone.
constexpr size_t kTransfer = kTimeOwners;
constexpr size_t kOwners = kTimeOwners + 1;

std::string_view owner_text(size_t owner) {
  return owner == kTransfer ? "transfer" : text_of_owner(owner);
}

/// Causes of idle time that are the recording's, or another rank's.
bool is_own(size_t owner) {
  if (owner < static_cast<size_t>(TimeOwner::idle) || owner == kTransfer) return true;
  switch (static_cast<IdleCause>(owner - static_cast<size_t>(TimeOwner::idle))) {
    case IdleCause::other_rank:
    case IdleCause::profile_edge:
    case IdleCause::profiler_overhead:
    case IdleCause::unknown:
      return false;
    default:
      return true;
  }
}

struct ComparedDevice {
  size_t run = 0;  // in the run index
  DeviceCycles kept;
  int64_t transfer_ns = 0;
  int64_t caused_ns = 0;  // what others waited for it

  int64_t a_cycle(int64_t time) const { return time / std::max<int64_t>(kept.cycles, 1); }
  int64_t own(size_t owner) const { return a_cycle(owner == kTransfer ? transfer_ns : kept.owned_ns[owner]); }

  /// The rest is found when all ranks are known.
  template <typename Archive>
  void members(Archive& archive) {
    archive(kept);
  }
};

/// Sets of devices that grow together.
class Unions {
 public:
  explicit Unions(size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), size_t{0}); }
  size_t root_of(size_t device) {
    while (above_[device] != device) device = above_[device] = above_[above_[device]];
    return device;
  }
  void unite(size_t a, size_t b) {
    const size_t root = root_of(a);
    const size_t other = root_of(b);
    above_[std::max(root, other)] = std::min(root, other);
  }

 private:
  std::vector<size_t> above_;
};

class Comparison {
 public:
  Comparison(std::vector<ComparedDevice> devices, const ValuesByRun<PassedWork>& passing, const SessionFacts& facts)
      : devices_(std::move(devices)), facts_(facts), kinds_(facts.session()) {
    std::vector<PassedWork> passed(facts.session().runs.size());
    for (const auto& each : passing) passed[each.run] = each.value;
    places_ = places_of_runs(facts.session(), passed);
    const auto has_cycles = [](const ComparedDevice& device) { return device.kept.cycles > 0; };
    if (std::any_of(devices_.begin(), devices_.end(), has_cycles)) {
      std::erase_if(devices_, [&](const ComparedDevice& device) { return !has_cycles(device); });
    }
  }

  void append_rows(Table& table) {
    if (devices_.size() < kFewestDevices) return;
    std::map<std::pair<size_t, int32_t>, size_t> numbers;
    std::vector<size_t> runs;
    for (size_t number = 0; number < devices_.size(); ++number) {
      numbers[{devices_[number].run, devices_[number].kept.device}] = number;
      runs.push_back(devices_[number].run);
    }
    sets_ = sets_by_place(places_, runs);
    for (const CollectiveSeries& series : facts_.collectives()) take(series, numbers);
    std::vector<int64_t> cycles;
    std::vector<int64_t> counts;
    for (const ComparedDevice& device : devices_) {
      cycles.push_back(device.a_cycle(device.kept.time.end - device.kept.time.begin));
      counts.push_back(std::max<int64_t>(device.kept.cycles, 1));
    }
    cycles_ = lower_median(std::move(counts));
    const double usual = median(std::move(cycles));
    cycle_ns_ = std::llround(usual);
    least_excess_ = Thresholds().noticeable * usual;
    for (size_t owner = 0; owner < kOwners; ++owner) {
      if (is_own(owner)) compare(owner, table);
    }
  }

 private:
  void take(const CollectiveSeries& series, const std::map<std::pair<size_t, int32_t>, size_t>& numbers) {
    struct Instance {
      int64_t shortest = INT64_MAX;
      int64_t total = 0;
      int64_t parts = 0;
      std::optional<size_t> last;  // the device of the shortest part, if it is compared
    };
    const bool together = ends_together(series.name);
    OutOfCoreVector<Instance> instances(series.instances);
    DeviceSet group{DeviceSet::Kind::group, series.group.value_or(""), kinds_.of(series.group.value_or("")), {}};
    const auto each_part = [&](auto visit) {
      for (const CollectiveMember& member : series.members) {
        const auto found = numbers.find({member.run, member.device});
        const std::optional<size_t> device = found == numbers.end() ? std::nullopt : std::optional(found->second);
        for (const CollectivePart part : series.parts_of(member)) {
          const Interval time = device ? devices_[*device].kept.time : Interval{};
          const bool counts = part.start >= time.begin && part.start < time.end;
          visit(instances[part.instance], device, counts, part.duration);
        }
      }
    };
    for (const CollectiveMember& member : series.members) {
      const auto found = numbers.find({member.run, member.device});
      if (found != numbers.end()) group.devices.push_back(found->second);
    }
    if (series.group) sets_.push_back(std::move(group));
    if (!together) return;
    each_part([](Instance& instance, std::optional<size_t> device, bool counts, int64_t duration) {
      ++instance.parts;
      instance.total += duration;
      if (duration >= instance.shortest) return;
      instance.shortest = duration;
      instance.last = counts ? device : std::nullopt;
    });
    each_part([&](const Instance& instance, std::optional<size_t> device, bool counts, int64_t) {
      if (counts && instance.parts > 1) devices_[*device].transfer_ns += instance.shortest;
    });
    for (const Instance& instance : instances) {
      if (instance.parts > 1 && instance.last) {
        devices_[*instance.last].caused_ns += instance.total - instance.parts * instance.shortest;
      }
    }
  }

  void compare(size_t owner, Table& table) const {
    std::vector<int64_t> times;
    for (const ComparedDevice& device : devices_) times.push_back(device.own(owner));
    const double usual = median(times);
    const auto usual_ns = static_cast<int64_t>(std::llround(usual));
    std::vector<int64_t> deviations;
    for (const int64_t time : times) deviations.push_back(std::abs(time - usual_ns));
    const double spread = median(std::move(deviations));
    const auto deviates = [&](int64_t time) {
      const double excess = static_cast<double>(time - usual_ns);
      return excess >= least_excess_ && excess > 0 && kNormal * excess > kFarthest * spread;
    };
    std::vector<char> is_outlier;
    for (const int64_t time : times) is_outlier.push_back(deviates(time) ? 1 : 0);
    if (std::find(is_outlier.begin(), is_outlier.end(), 1) == is_outlier.end()) return;

    Unions unions(devices_.size());
    std::map<std::vector<size_t>, const DeviceSet*> names;  // by the outliers in it
    for (const DeviceSet& each : sets_) {
      std::vector<size_t> outliers;
      std::copy_if(each.devices.begin(), each.devices.end(), std::back_inserter(outliers),
                   [&](size_t device) { return is_outlier[device] != 0; });
      if (outliers.size() < 2) continue;
      if (static_cast<double>(outliers.size()) < kMostOfGroup * static_cast<double>(each.devices.size())) continue;
      for (const size_t device : outliers) unions.unite(outliers.front(), device);
      std::sort(outliers.begin(), outliers.end());
      names.emplace(std::move(outliers), &each);
    }
    std::map<size_t, std::vector<size_t>> rows;
    for (size_t device = 0; device < devices_.size(); ++device) {
      if (is_outlier[device] != 0) rows[unions.root_of(device)].push_back(device);
    }
    for (const auto& [root, members] : rows) {
      const auto named = names.find(members);
      append_row(owner, members, named == names.end() ? nullptr : named->second, times, usual_ns, spread, table);
    }
  }

  void append_row(size_t owner, const std::vector<size_t>& members, const DeviceSet* named,
                  const std::vector<int64_t>& times, int64_t usual_ns, double spread, Table& table) const {
    std::vector<int64_t> own;
    std::vector<int64_t> ranks;
    size_t worst = members.front();
    int64_t caused_ns = 0;
    RunPlace place = places_[devices_[members.front()].run];
    for (const size_t member : members) {
      const ComparedDevice& device = devices_[member];
      own.push_back(times[member]);
      ranks.push_back(facts_.run(device.run).rank);
      if (times[member] > times[worst]) worst = member;
      caused_ns += device.a_cycle(device.caused_ns);
      place = shared(place, places_[device.run]);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    const auto time_ns = static_cast<int64_t>(std::llround(median(std::move(own))));
    const char* scope = members.size() == 1 ? "device" : named == nullptr ? "several" : text_of(named->kind);
    const DeviceSet* group = named != nullptr && named->kind == DeviceSet::Kind::group ? named : nullptr;
    const Cell distance = spread > 0 ? Cell(kNormal * static_cast<double>(time_ns - usual_ns) / spread) : Cell();
    table.append({cell(owner_text(owner)), cell(ranges_text(ranks)), static_cast<int64_t>(members.size()), cell(scope),
                  known(place.host), known(place.rack), place.stage ? Cell(*place.stage) : Cell(),
                  known(group ? group->name : ""), known(group ? group->group_kind : ""), time_ns, usual_ns,
                  time_ns - usual_ns, distance, caused_ns, facts_.run(devices_[worst].run).rank,
                  int64_t{devices_[worst].kept.device}, cycle_ns_, cycles_});
  }

  static Cell known(std::string_view text) { return text.empty() ? Cell() : cell(text); }

  /// What two places have in common.
  static RunPlace shared(const RunPlace& a, const RunPlace& b) {
    return {a.host == b.host ? a.host : "", a.rack == b.rack ? a.rack : "",
            a.stage == b.stage ? a.stage : std::nullopt};
  }

  std::vector<ComparedDevice> devices_;
  const SessionFacts& facts_;
  const GroupKinds kinds_;
  std::vector<RunPlace> places_;  // by run
  std::vector<DeviceSet> sets_;
  double least_excess_ = 0;  // ns an iteration; nothing smaller is noticed
  int64_t cycle_ns_ = 0;     // an iteration of the median device
  int64_t cycles_ = 0;       // how many it has
};

/// A state for fold_of.
class ComparedRanks {
 public:
  ComparedRanks(const Analysis&, const TableOptions&) {}
  void update(const RunInSession& run) {
    int64_t begin = INT64_MAX;
    for (DeviceCycles& cycles : device_cycles(run)) {
      begin = std::min(begin, cycles.time.begin);
      devices_.push_back({0, cycles, 0, 0});
    }
    PassedWork work = passed_work(run.run(), begin);
    if (!work.partners.empty()) passing_.add(std::move(work));
  }
  void assign_run(const RunIndex&, size_t run) {
    for (ComparedDevice& device : devices_) device.run = run;
    passing_.assign_run(run);
  }
  void combine(ComparedRanks&& other) {
    devices_.insert(devices_.end(), other.devices_.begin(), other.devices_.end());
    passing_.combine(std::move(other.passing_));
  }
  void append_rows(Table& table, const RunIndex& index) {
    Comparison(std::move(devices_), passing_, index.facts).append_rows(table);
    sort_most_first(table, "excess_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(devices_, passing_);
  }

 private:
  std::vector<ComparedDevice> devices_;
  ValuesByRun<PassedWork> passing_;  // of those that exchange with others
};

}  // namespace

Analysis rank_outliers_analysis() {
  return {
      .name = "rank_outliers",
      .about =
          "devices that take longer than those of the other ranks, by what the time goes to; a machine, a rack, a "
          "stage of a pipeline or a group of ranks that deviates alike is one row",
      .subject = Subject::ranks,
      .columns = {key_column("owner",
                             "what the time goes to: compute, exposed copies, transfer (a collective from when "
                             "its last member has come), or a cause of idle time"),
                  key_column("ranks", "those that deviate"), count_column("devices", "of these ranks, that deviate"),
                  text_column(
                      "scope",
                      "device: one; host: those of a machine; rack: those of a rack; stage: those of a stage of the "
                      "pipeline; group: those of a group of ranks; several: such that have devices in common"),
                  text_column("host", "machine, where all are of one"),
                  text_column("rack", "where all are of one, as the names of their machines say"),
                  number_column("stage", "of the pipeline, from 0, where all hold the same one"),
                  text_column("group", "group of ranks, where they are its devices"),
                  text_column("group_kind", "what that group is for: tensor parallel, ..., else as its profile says"),
                  time_column("time_ns", "of an iteration, that goes to it; the median of these devices"),
                  time_column("usual_ns", "the same, the median of all devices"),
                  time_column("excess_ns", "time_ns less usual_ns"),
                  real_column("distance", "",
                              "excess_ns as a modified z-score; absent where more than half of all devices are alike"),
                  time_column("caused_ns",
                              "what other devices waited for these in collectives, an iteration, for whatever reason"),
                  number_column("rank", "of the device that deviates most: the profile to open"), device_column(),
                  time_column("iteration_ns", "an iteration of the median device: the whole of these times"),
                  count_column("iterations", "whole ones of the median device; 1 where its profile is taken as one")},
      .applies = [](const ProfileCounts& counts) { return counts.runs > 1 && counts.device_ops > 0; },
      .made_of = MadeOf::runs_and_waits,
      .fold = fold_of<ComparedRanks>};
}

}  // namespace cgpu
