// Table `rank_path`: the chain that bounds a job, through its devices and their collectives, and what its time goes to.
//
// As in a bulk-synchronous program (Valiant: A Bridging Model for Parallel Computation, 1990) the time of a job is that
// of a chain: what a device does of its own up to a collective, the collective from when the last member has come, and
// so on from the device that was last. It follows from the collectives (collective_replay.h) and from what is kept of
// the time between them (collective_gaps.h), so that no timelines and no clocks are needed. O(n) in the collectives.
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/ranks/collective_gaps.h"
#include "analysis/ranks/collective_replay.h"
#include "analysis/tables.h"
#include "analysis/values_by_run.h"
#include "base/decimal.h"
#include "base/lower_median.h"
#include "links/collective_series.h"

namespace cgpu {

namespace {

/// What the time of the chain goes to besides the owners of collective_gaps.h, behind these.
enum PathOwner : size_t { kExposedTransfer = kGapOwners, kTransferOrWait, kHiddenTransfer, kPathOwners };
using PathTimes = std::array<int64_t, kPathOwners>;

std::string_view text_of_path_owner(size_t owner) {
  switch (owner) {
    case kExposedTransfer:
      return "exposed_transfer";
    case kHiddenTransfer:
      return "hidden_transfer";
    case kTransferOrWait:
      return "transfer_or_wait";
    default:
      return text_of_gap_owner(owner);
  }
}

/// The times of a piece by owner: they add up to it.
PathTimes times_of(const PathPiece& piece, const std::optional<CollectiveGap>& gap) {
  PathTimes times{};
  if (piece.kind == PathPiece::Kind::own) {
    if (gap) std::copy(gap->owned_ns.begin(), gap->owned_ns.end(), times.begin());
  } else {
    const int64_t hidden = gap ? std::clamp<int64_t>(gap->hidden_ns, 0, piece.whole) : 0;
    times[kHiddenTransfer] = hidden;
    times[piece.kind == PathPiece::Kind::alone ? kTransferOrWait : kExposedTransfer] = piece.whole - hidden;
  }
  // Damaged summaries keep any times.
  Int128 sum = 0;
  for (const int64_t time : times) sum += time;
  if (sum != piece.whole || *std::min_element(times.begin(), times.end()) < 0) {
    times = {};
    times[kUnknownOwner] = piece.whole;
  }
  if (piece.time == piece.whole) return times;
  // Where the chain begins within a piece, each owner has its share of what is left.
  Int128 before = 0;
  int64_t shared = 0;
  for (int64_t& time : times) {
    before += time;
    const auto until = static_cast<int64_t>(before * piece.time / piece.whole);
    time = until - shared;
    shared = until;
  }
  return times;
}

/// What a row is about. Transfer belongs to no rank.
struct RowKey {
  size_t owner = 0;
  std::optional<int64_t> rank;
  std::optional<int64_t> device;
  std::optional<std::string> host;
  std::optional<std::string> before;
  std::string collective;
  std::optional<std::string> group;
  auto operator<=>(const RowKey&) const = default;
};

struct RowSums {
  int64_t total_ns = 0;
  int64_t count = 0;
  int64_t entries = 0;
};

/// A state for fold_of.
class RankPath {
 public:
  RankPath(const Analysis&, const TableOptions&) {}
  void update(const RunInSession& run) {
    for (CollectiveGaps& gaps : collective_gaps(run)) devices_.add(std::move(gaps));
  }
  void assign_run(const RunIndex&, size_t run) { devices_.assign_run(run); }
  void combine(RankPath&& other) { devices_.combine(std::move(other.devices_)); }
  void append_rows(Table& table, const RunIndex& index) {
    const SessionFacts& facts = index.facts;
    if (!have_met(facts.collectives())) return;
    const int64_t iterations = usual_iterations();
    const CollectiveReplay replay(facts, iterations);
    const std::optional<double> error = replay.error();
    if (!error || *error > CollectiveReplay::kBelieved) return;
    const std::optional<ReplayedPath> path = replay.path();
    if (!path) return;
    const std::map<Place, CollectiveGap> gaps = gaps_of(*path);
    std::map<RowKey, RowSums> rows;
    for (const PathPiece& piece : path->pieces) {
      const auto gap = gaps.find({piece.run, piece.device, piece.place});
      const PathTimes times = times_of(piece, gap == gaps.end() ? std::nullopt : std::optional(gap->second));
      const bool is_own = piece.kind == PathPiece::Kind::own;
      for (size_t owner = 0; owner < times.size(); ++owner) {
        if (times[owner] == 0) continue;
        RowKey key{owner, {}, {}, {}, {}, piece.series->name, piece.series->group};
        if (is_own) {
          key.rank = facts.run(piece.run).rank;
          if (!facts.run(piece.run).host.empty()) key.host = facts.run(piece.run).host;
          key.device = piece.device;
          key.before = piece.before->name;
        }
        RowSums& sums = rows[std::move(key)];
        sums.total_ns += times[owner];
        ++sums.count;
        sums.entries += piece.comes_from_another ? 1 : 0;
      }
    }
    for (const auto& [key, sums] : rows) {
      table.append({cell(text_of_path_owner(key.owner)), cell(key.rank), cell(key.device), cell(key.host),
                    cell(key.before), key.collective, cell(key.group), sums.total_ns,
                    percent_of(sums.total_ns, path->time), sums.count, key.rank ? Cell(sums.entries) : Cell(),
                    path->time, path->measured, path->of_iterations ? Cell(iterations) : Cell()});
    }
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(devices_);
  }

 private:
  using Place = std::tuple<size_t, int32_t, uint32_t>;  // run, device, place of a collective

  /// Whether devices have met in a collective that tells when the last of them came.
  static bool have_met(const std::vector<CollectiveSeries>& all) {
    return std::any_of(all.begin(), all.end(), [](const CollectiveSeries& series) {
      return series.members.size() > 1 && (ends_together(series.name) || series.of_transfers);
    });
  }

  /// Whole ones of the median device that has any; 0 where none has.
  int64_t usual_iterations() const {
    std::vector<int64_t> counts;
    for (const auto& device : devices_) {
      if (device.value.iterations() > 0) counts.push_back(device.value.iterations());
    }
    return counts.empty() ? 0 : lower_median(std::move(counts));
  }

  /// Of the collectives on the path.
  std::map<Place, CollectiveGap> gaps_of(const ReplayedPath& path) const {
    std::map<Place, CollectiveGap> gaps;
    std::set<std::pair<size_t, int32_t>> devices;
    for (const PathPiece& piece : path.pieces) {
      gaps[{piece.run, piece.device, piece.place}] = {};
      devices.emplace(piece.run, piece.device);
    }
    for (const auto& device : devices_) {
      if (devices.count({device.run, device.value.device()}) == 0) continue;
      device.value.for_each([&](uint32_t place, const CollectiveGap& gap) {
        const auto found = gaps.find({device.run, device.value.device(), place});
        if (found != gaps.end()) found->second = gap;
      });
    }
    return gaps;
  }

  ValuesByRun<CollectiveGaps> devices_;
};

}  // namespace

Analysis rank_path_analysis() {
  return {.name = "rank_path",
          .about =
              "what bounds a job of several ranks: the chain from what a device does between two collectives through "
              "these to the device that came last, and so on; the rows add up to path_ns",
          .subject = Subject::ranks,
          .columns = {key_column("owner",
                                 "what the time goes to: of a device compute, exposed copies, "
                                 "other_communication or a cause of idle time; of a collective from when its last "
                                 "member has come exposed_transfer, and hidden_transfer where that device computes "
                                 "meanwhile; transfer_or_wait where these two cannot be separated"),
                      number_column("rank", "whose own time it is; absent for collectives"),
                      number_column("device", "whose own time it is; absent for collectives"),
                      text_column("host", "machine of that rank, where known"),
                      key_column("after", "the collective after which this time begins; absent for collectives"),
                      key_column("collective", "the collective that waits for this, or that takes this time"),
                      key_column("group", "group of ranks of that collective; absent where not recorded"),
                      time_column("total_ns", "time on the path"), real_column("pct", "%", "share of path_ns"),
                      count_column("count", "parts of the path with such time"),
                      count_column("entries", "of these, those that the path comes to from another device"),
                      time_column("path_ns", "the whole path: what the job takes by a replay of its collectives"),
                      time_column("measured_ns", "the same as measured, on the device on which the path ends"),
                      count_column("iterations",
                                   "whole ones of the median device, which the path is of; absent "
                                   "where it is from the end of the first collective")},
          .applies = [](const ProfileCounts& counts) { return counts.runs > 1 && counts.communication; },
          .needs = "collectives that devices leave together, whose replay takes what was measured (10 % more or less)",
          .made_of = MadeOf::runs_and_waits,
          .fold = fold_of<RankPath>};
}

}  // namespace cgpu
