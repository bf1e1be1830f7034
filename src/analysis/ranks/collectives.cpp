// Table `collectives`: communication by collective and group, over all ranks.
//
// links/collective_series.h finds which ops of different ranks belong to one instance of a collective. The factors from
// algorithm to bus bandwidth are those of the NCCL tests. O(n log n) in the communication ops, O(n) in the device ops.
#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_models.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"
#include "base/ascii.h"
#include "links/collective_series.h"
#include "links/collective_waits.h"
#include "links/common_time.h"

namespace cgpu {

namespace {

/// Bytes that cross the link of a rank for each byte of a collective over n ranks.
double bus_factor(const std::string& name, int64_t n) {
  std::string letters = lower_case(name);  // "all_reduce" and "AllReduce"
  std::erase(letters, '_');
  const auto is = [&](std::string_view collective) { return letters.find(collective) != std::string::npos; };
  const double others = static_cast<double>(n - 1) / static_cast<double>(n);
  if (is("allreduce")) return 2 * others;
  if (is("allgather") || is("reducescatter") || is("alltoall")) return others;
  return 1;
}

/// One instance of a collective, over all members that took part.
struct InstanceFigures {
  int64_t shortest = INT64_MAX;
  std::optional<int64_t> bytes;  // as recorded by the first member that has them
};

/// SeriesSums over the instances of one name and group.
struct SeriesSums {
  int64_t total_ns = 0;
  int64_t wait_ns = 0;
  std::optional<int64_t> bytes;       // of the instances whose bytes are known
  int64_t shortest_ns = 0;            // of these, the sum of the shortest durations over members
  std::optional<int64_t> group_size;  // as first recorded; only valid without mixed_sizes
  bool mixed_sizes = false;
  bool met = false;  // ops of different members are parts of one instance
};

SeriesSums sum_up(const Session& session, const CollectiveSeries& series) {
  SeriesSums sums;
  OutOfCoreVector<InstanceFigures> instances(series.instances);
  for (const CollectiveMember& member : series.members) {
    for (const CollectivePart part : series.parts_of(member)) {
      InstanceFigures& instance = instances[part.instance];
      instance.shortest = std::min(instance.shortest, part.duration);
      if (!instance.bytes && part.bytes >= 0) instance.bytes = part.bytes;
      const int64_t size = part.group_size;
      if (size <= 0) continue;
      if (!sums.group_size) sums.group_size = size;
      if (sums.group_size != size) sums.mixed_sizes = true;
    }
  }
  const OutOfCoreVector<Arrival> met = arrivals(session, series);
  for_each_wait(session, series, met, [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
    sums.total_ns += part.duration;
    sums.wait_ns += until - common_time(session.runs[member.run], part.start);
  });
  sums.met = std::any_of(met.begin(), met.end(), [](const Arrival& instance) { return instance.parts > 1; });
  for (const InstanceFigures& instance : instances) {
    if (!instance.bytes) continue;
    sums.bytes = sums.bytes.value_or(0) + *instance.bytes;
    sums.shortest_ns += instance.shortest;
  }
  return sums;
}

/// On how many machines the ranks of a series are; absent where that of one of them is not known.
std::optional<int64_t> hosts_of(const Session& session, const CollectiveSeries& series) {
  std::set<std::string_view> hosts;
  for (const CollectiveMember& member : series.members) hosts.insert(session.runs[member.run].host);
  return hosts.count("") == 0 ? std::optional(static_cast<int64_t>(hosts.size())) : std::nullopt;
}

/// The links between the devices of a series. O(device ops) for each run that is asked about, once.
class DeviceLinks {
 public:
  explicit DeviceLinks(const Session& session) : session_(session), models_(session.runs.size()) {}

  /// B/s, where the devices are of one model whose links are known.
  std::optional<double> bandwidth(const CollectiveSeries& series) {
    DeviceModels all;
    for (const CollectiveMember& member : series.members) {
      std::optional<DeviceModels>& models = models_[member.run];
      if (!models) models.emplace().add(session_.runs[member.run]);
      all.combine(DeviceModels(*models));
    }
    const auto peaks = all.peaks();
    return peaks ? peaks->link_bandwidth : std::nullopt;
  }

 private:
  const Session& session_;
  std::vector<std::optional<DeviceModels>> models_;  // by run
};

Table collectives_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  const Session& session = facts.session();
  Table table = analysis.empty_table();
  const bool comparable = has_common_clock(session);
  DeviceLinks links(session);
  for (const CollectiveSeries& series : facts.collectives()) {
    const SeriesSums sums = sum_up(session, series);
    const std::optional<int64_t> hosts = hosts_of(session, series);
    const auto members = static_cast<int64_t>(series.members.size());
    Row row = {series.name,
               cell(series.group),
               members,
               int64_t{series.instances},
               cell(sums.bytes),
               sums.total_ns,
               {},
               {},
               {},
               {},
               {}};
    row[9] = cell(hosts);
    if (sums.bytes && sums.shortest_ns > 0) {
      // Bytes a nanosecond are GB/s.
      const double bandwidth = static_cast<double>(*sums.bytes) / static_cast<double>(sums.shortest_ns);
      row[6] = bandwidth;
      if (sums.group_size && !sums.mixed_sizes) {
        const double bus = bandwidth * bus_factor(series.name, *sums.group_size);
        row[7] = bus;
        const bool inside = hosts == 1 && members == sums.group_size && members > 1;
        const auto link = inside ? links.bandwidth(series) : std::nullopt;
        if (link) row[10] = 100 * bus * 1e9 / *link;
      }
    }
    if (sums.met && comparable) row[8] = sums.wait_ns;
    table.append(std::move(row));
  }
  sort_most_first(table, "total_ns");
  return table;
}

std::vector<Row> visit_collectives(const SessionFacts& facts, const TableOptions&, const RowSlices::Visit& visit) {
  std::vector<Row> keys;
  for (const CollectiveSeries& series : facts.collectives()) {
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) {
        visit(member.run, part.slice, static_cast<uint32_t>(keys.size()));
      }
    }
    keys.push_back({series.name, cell(series.group)});
  }
  return keys;
}

}  // namespace

Analysis collectives_analysis() {
  return {
      .name = "collectives",
      .about = "communication by collective and group of ranks",
      .subject = Subject::ranks,
      .columns = {key_column("name", "collective, as recorded or as the kernel's name says"),
                  key_column("group", "group of ranks; absent where not recorded"),
                  count_column("ranks", "ranks on which it was seen; a process that drives several devices is several"),
                  count_column("count", "instances, each counted once over all ranks"),
                  bytes_column("bytes", "larger of input and output on one rank, over the instances that say"),
                  time_column("total_ns", "sum of the durations on all ranks"),
                  real_column("algo_bandwidth", "GB/s",
                              "bytes over the shortest duration of each instance that says them"),
                  real_column("bus_bandwidth", "GB/s",
                              "algo_bandwidth as traffic on a link of each rank; absent where the "
                              "size of the group is unknown"),
                  time_column("wait_ns", "time that ranks spent until the last one began; absent for one rank"),
                  count_column("hosts", "machines that these ranks are on; absent where the profiles do not say it"),
                  real_column("link_pct", "%",
                              "share of bus_bandwidth in the peak rate of the links between the devices of a machine "
                              "(devices); absent unless all ranks of the group are on one, and that rate is known")},
      .applies = [](const ProfileCounts& counts) { return counts.communication; },
      .row_slices = {{"name", "group"}, visit_collectives},
      .made_of = MadeOf::records,
      .whole = collectives_table};
}

}  // namespace cgpu
