#include "links/collective_series.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kernels/names.h"
#include "links/alltoalls.h"
#include "model/element_types.h"
#include "model/plausible.h"
#include "model/transfer_list.h"

namespace cgpu {

namespace {

/// The collective that a kernel's name states, else the base name of the kernel.
std::string collective_of_kernel(std::string_view kernel) {
  static constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"AllReduce", "allreduce"}, {"AllGather", "allgather"}, {"ReduceScatter", "reduce_scatter"},
      {"AllToAll", "alltoall"},   {"SendRecv", "send_recv"},  {"Broadcast", "broadcast"},
      {"Reduce", "reduce"}};
  std::string base = base_kernel_name(kernel);
  for (const auto& [spelling, name] : kSpellings) {
    if (base.find(spelling) != std::string::npos) return std::string(name);
  }
  return base;
}

int64_t difference(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return a < b ? INT64_MIN : INT64_MAX;
  return result;
}

/// Sum of the distances from the (lower) median. Reorders `values`.
uint64_t spread_of(std::vector<int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  const int64_t median = *middle;
  uint64_t sum = 0;
  for (const int64_t value : values) {
    const uint64_t distance = value < median ? static_cast<uint64_t>(median) - static_cast<uint64_t>(value)
                                             : static_cast<uint64_t>(value) - static_cast<uint64_t>(median);
    if (__builtin_add_overflow(sum, distance, &sum)) return UINT64_MAX;
  }
  return sum;
}

/// Parts of one member, by start.
using PartList = OutOfCoreVector<uint32_t>;

/// The position in the longest list at which a shorter list begins.
uint32_t best_shift(const CollectiveParts& parts, const PartList& longest, const PartList& list) {
  constexpr size_t kCompared = 256;
  const size_t compared = std::min(kCompared, list.size());
  std::vector<int64_t> differences(compared);
  uint64_t least = UINT64_MAX;
  uint32_t best = 0;
  for (uint32_t shift = 0; shift + list.size() <= longest.size(); ++shift) {
    for (size_t k = 0; k < compared; ++k) {
      differences[k] = difference(parts.row(list[k]).end(), parts.row(longest[k + shift]).end());
    }
    const uint64_t spread = spread_of(differences);
    if (spread >= least) continue;
    least = spread;
    best = shift;
  }
  return best;
}

/// Numbers the instances of these lists from those that the series has.
void match_by_place(CollectiveSeries& series, const std::vector<PartList>& lists) {
  const PartList& longest = *std::max_element(lists.begin(), lists.end(),
                                              [](const PartList& a, const PartList& b) { return a.size() < b.size(); });
  for (const PartList& list : lists) {
    const uint32_t shift = list.size() == longest.size() ? 0 : best_shift(series.parts, longest, list);
    for (uint32_t k = 0; k < list.size(); ++k) series.parts.instance[list[k]] = series.instances + k + shift;
  }
  series.instances += static_cast<uint32_t>(longest.size());
}

void match_by_place(CollectiveSeries& series) {
  std::vector<PartList> lists;
  for (const CollectiveMember& member : series.members) {
    PartList& list = lists.emplace_back(member.count());
    std::iota(list.begin(), list.end(), member.first);
  }
  match_by_place(series, lists);
}

/// What a profile says of its collectives, by slice: asked in the order of the slices, as a rule.
class Records {
 public:
  explicit Records(const Timeline& timeline) : names_(timeline.names) {
    for (const Collective& collective : timeline.collectives) records_.push_back(&collective);
    std::stable_sort(records_.begin(), records_.end(),
                     [](const Collective* a, const Collective* b) { return a->slice < b->slice; });
    next_ = records_.begin();
  }

  /// Those of a slice: several only of transfers, else the first.
  std::span<const Collective* const> of(SliceIndex slice) {
    if (next_ == records_.end() || (*next_)->slice != slice) {
      next_ = std::lower_bound(records_.begin(), records_.end(), slice,
                               [](const Collective* record, SliceIndex wanted) { return record->slice < wanted; });
    }
    const auto first = next_;
    while (next_ != records_.end() && (*next_)->slice == slice) ++next_;
    const auto count = static_cast<size_t>(next_ - first);
    return {records_.data() + (first - records_.begin()), count > 1 && !is_transfer(**first) ? 1 : count};
  }

  /// As CollectivePart::bytes; absent where the profile lacks elements or their type.
  std::optional<int64_t> bytes_of(const Collective& record) {
    const auto [size, is_new] = sizes_.try_emplace(record.type);
    if (is_new) size->second = element_size(names_[record.type]);
    const int64_t elements = std::max(record.elements_in, record.elements_out);
    if (elements < 0 || !size->second) return {};
    return elements * *size->second;
  }

 private:
  const StringPool& names_;
  std::vector<const Collective*> records_;
  std::vector<const Collective*>::const_iterator next_;
  std::unordered_map<StringId, std::optional<int64_t>> sizes_;  // of elements, by type
};

/// These names say who sends and who receives, but not the peer.
bool is_one_sided(std::string_view collective) {
  const std::string letters = letters_of(collective);
  return letters == "send" || letters == "recv" || letters == "receive";
}

bool is_waiting_call(std::string_view name) {
  if (name.starts_with("gloo:")) return ends_together(name);
  return name.starts_with("MPI_") && !name.starts_with("MPI_I") && ends_together(name);
}

}  // namespace

/// Matches parts by sequence number; where a member has several parts of one number, by their order too.
void CollectiveCollector::match_by_sequence(Gathered& gathered) {
  CollectiveSeries& series = gathered.series;
  using Place = std::pair<int64_t, uint32_t>;  // number, how many of this number were before it
  OutOfCoreVector<Place> instances;            // sorted
  std::vector<Place> mine;
  const auto places_of = [&](const CollectiveMember& member) {
    mine.clear();
    std::unordered_map<int64_t, uint32_t> seen;  // as soon as numbers do not grow
    for (uint32_t part = member.first; part < member.end; ++part) {
      const int64_t sequence = gathered.sequence[part];
      if (seen.empty() && !mine.empty() && sequence <= mine.back().first) {
        for (const Place& place : mine) seen.emplace(place.first, 1);
      }
      const bool grows = seen.empty();
      mine.emplace_back(sequence, grows ? 0 : seen[sequence]++);
    }
  };
  std::vector<Place> missing;
  for (const CollectiveMember& member : series.members) {
    places_of(member);
    auto at = instances.begin();
    missing.clear();
    for (const Place& place : mine) {
      // Mostly the next one: members have about the same.
      if (at == instances.end() || *at != place) at = std::lower_bound(instances.begin(), instances.end(), place);
      if (at == instances.end() || *at != place) {
        missing.push_back(place);
      } else {
        ++at;
      }
    }
    if (missing.empty()) continue;
    std::sort(missing.begin(), missing.end());
    const auto known = static_cast<std::ptrdiff_t>(instances.size());
    instances.insert(instances.end(), missing.begin(), missing.end());
    std::inplace_merge(instances.begin(), instances.begin() + known, instances.end());
  }
  series.instances = static_cast<uint32_t>(instances.size());
  for (const CollectiveMember& member : series.members) {
    places_of(member);
    auto at = instances.begin();
    for (uint32_t i = 0; i < mine.size(); ++i, ++at) {
      if (at == instances.end() || *at != mine[i]) at = std::lower_bound(instances.begin(), instances.end(), mine[i]);
      series.parts.instance[member.first + i] = static_cast<uint32_t>(at - instances.begin());
    }
  }
}

/// Matches those from one rank to another by their order; what is of no known transfer is an instance by itself.
void CollectiveCollector::match_transfers(Gathered& gathered) {
  CollectiveSeries& series = gathered.series;
  gathered.transfers.resize(series.parts.size());
  std::map<Transfer, std::map<uint32_t, PartList>> by_transfer;  // by member
  for (uint32_t member = 0; member < series.members.size(); ++member) {
    for (uint32_t part = series.members[member].first; part < series.members[member].end; ++part) {
      const Transfer& transfer = gathered.transfers[part];
      if (transfer.from < 0) {
        series.parts.instance[part] = series.instances++;
      } else {
        by_transfer[transfer][member].push_back(part);
      }
    }
  }
  for (auto at = by_transfer.begin(); at != by_transfer.end();) {
    std::vector<PartList> lists;  // of those who receive, then of those who send
    const Transfer& first = at->first;
    for (; at != by_transfer.end() && at->first.from == first.from && at->first.to == first.to; ++at) {
      for (auto& [member, list] : at->second) lists.push_back(std::move(list));
    }
    match_by_place(series, lists);
  }
}

bool CollectiveCollector::are_exchanges(const Gathered& gathered) {
  const CollectiveSeries& series = gathered.series;
  for (const CollectiveMember& member : series.members) {
    bool sends = true, receives = true;  // the op
    for (uint32_t part = member.first; part < member.end; ++part) {
      if (!series.is_of_op_before(part, member)) {
        if (!sends || !receives) return false;
        sends = receives = false;
      }
      const Transfer& transfer = gathered.transfers[part];
      if (transfer.from < 0) return false;
      (transfer.sends ? sends : receives) = true;
    }
    if (!sends || !receives) return false;
  }
  return true;
}

void CollectiveCollector::add(const Key& key, CollectiveMember member, std::vector<NumberedPart> parts) {
  std::stable_sort(parts.begin(), parts.end(),  // by start, then by position in the file
                   [](const NumberedPart& a, const NumberedPart& b) { return a.part.start < b.part.start; });
  Gathered& gathered = all_[key];
  CollectiveSeries& series = gathered.series;
  member.first = static_cast<uint32_t>(series.parts.size());
  const size_t size = member.first + parts.size();
  if (size > series.parts.start.capacity()) {  // of thousands of series, twice as much as there is would count
    constexpr size_t kMany = 1'000'000;
    const size_t room = size < kMany ? size + size / 8 : size * 2;
    series.parts.reserve(room);
    gathered.sequence.reserve(room);
  }
  for (const NumberedPart& each : parts) {
    series.parts.append(each.part);
    gathered.sequence.push_back(each.sequence);
    if (key.first == kTransfers) gathered.transfers.push_back(each.transfer);
    if (each.in_alltoall) ++gathered.alltoalls;
  }
  member.end = static_cast<uint32_t>(series.parts.size());
  series.members.push_back(member);
}

/// Of a process whose rank is not known it cannot be determined.
CollectiveCollector::Transfer CollectiveCollector::transfer_of(const Collective& record, const Run& run) {
  if (!is_transfer(record) || !run.rank_known || run.rank < 0 || run.rank > INT32_MAX) return {};
  const auto own = static_cast<int32_t>(run.rank);
  return {record.from >= 0 ? record.from : own, record.to >= 0 ? record.to : own, record.to >= 0};
}

void CollectiveCollector::add_device_ops(uint32_t number, const Run& run) {
  const Timeline& timeline = run.timeline;
  Records records(timeline);
  Alltoalls alltoalls(timeline);
  std::map<std::pair<Key, int32_t>, std::vector<NumberedPart>> members;
  // The same by what a key is made of: recorded name, else kernel; group, device. Texts are looked at once for each.
  std::map<std::tuple<bool, StringId, StringId, int32_t>, std::vector<NumberedPart>*> known;
  const StringId transfers = StringPool::absent;  // in the place of the name of each
  const DeviceOps& ops = timeline.device_ops;
  const auto add_part = [&](SliceIndex slice, int32_t device, const Collective* record) {
    const bool passes = record != nullptr && is_transfer(*record);
    const bool is_named = record != nullptr && record->name != 0;
    const StringId name = passes ? transfers : is_named ? record->name : timeline.slices.name[slice];
    const StringId group = record != nullptr ? record->group : 0;
    std::vector<NumberedPart>*& parts = known[{is_named, name, group, device}];
    if (parts == nullptr) {
      Key key{passes     ? std::string(kTransfers)
              : is_named ? std::string(timeline.names[name])
                         : collective_of_kernel(timeline.names[name]),
              std::nullopt};
      if (group != 0) key.second = timeline.names[group];
      parts = &members[{std::move(key), device}];
    }
    NumberedPart& added = parts->emplace_back();
    added.part.start = timeline.slices.start[slice];
    added.part.duration = timeline.slices.duration[slice];
    added.part.slice = slice;
    added.in_alltoall = !is_named && !passes && alltoalls.contain(slice);
    if (record == nullptr) return;
    added.part.bytes = records.bytes_of(*record).value_or(-1);
    added.part.group_size = record->group_size;
    added.sequence = record->sequence;
    added.transfer = transfer_of(*record, run);
  };
  for (size_t op = 0; op < ops.size(); ++op) {
    const SliceIndex slice = ops.slice[op];
    if (ops.kind[op] != OpKind::communication || !is_plausible(timeline, slice)) continue;
    const std::span<const Collective* const> of_op = records.of(slice);
    for (const Collective* record : of_op) add_part(slice, ops.device[op], record);
    if (of_op.empty()) add_part(slice, ops.device[op], nullptr);
  }
  for (auto& [key, parts] : members) add(key.first, {number, key.second}, std::move(parts));
}

void CollectiveCollector::add_host_calls(uint32_t run, const Timeline& timeline) {
  std::vector<char> waits(timeline.names.size(), 0);
  for (StringId name = 0; name < waits.size(); ++name) waits[name] = is_waiting_call(timeline.names[name]);
  if (std::find(waits.begin(), waits.end(), 1) == waits.end()) return;

  std::map<std::pair<std::string, std::string>, std::vector<NumberedPart>> members;  // by name and process
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (!waits[timeline.slices.name[slice]] || !is_host(timeline.kind(slice))) continue;
    if (!is_plausible(timeline, slice)) continue;
    const SliceIndex parent = timeline.slices.parent[slice];
    if (parent != kNone && waits[timeline.slices.name[parent]]) continue;
    const TrackIndex track = timeline.slices.track[slice];
    NumberedPart& added = members[{std::string(timeline.name(slice)), timeline.tracks[track].process}].emplace_back();
    added.part.start = timeline.slices.start[slice];
    added.part.duration = timeline.slices.duration[slice];
    added.part.slice = slice;
    added.part.track = track;
  }
  for (auto& [key, parts] : members) add({key.first, std::nullopt}, {run}, std::move(parts));
}

std::vector<CollectiveSeries> CollectiveCollector::take() {
  std::vector<CollectiveSeries> all;
  all.reserve(all_.size());
  for (auto& [key, gathered] : all_) {
    gathered.series.name = key.first;
    gathered.series.group = key.second;
    gathered.series.of_transfers = std::any_of(gathered.transfers.begin(), gathered.transfers.end(),
                                               [](const Transfer& transfer) { return transfer.from >= 0; });
    gathered.series.are_exchanges = gathered.alltoalls > 0 && gathered.alltoalls == gathered.series.parts.size();
    if (gathered.series.of_transfers || is_one_sided(key.first)) {
      match_transfers(gathered);
      if (gathered.series.of_transfers) gathered.series.are_exchanges = are_exchanges(gathered);
    } else if (std::all_of(gathered.sequence.begin(), gathered.sequence.end(),
                           [](int64_t number) { return number >= 0; })) {
      match_by_sequence(gathered);
    } else {
      match_by_place(gathered.series);
    }
    gathered.sequence = {};
    gathered.transfers = {};
    all.push_back(std::move(gathered.series));
  }
  all_.clear();
  return all;
}

std::vector<CollectiveSeries> device_collectives(const Session& session) {
  CollectiveCollector collector;
  for (uint32_t run = 0; run < session.runs.size(); ++run) collector.add_device_ops(run, session.runs[run]);
  return collector.take();
}

std::vector<CollectiveSeries> host_collectives(const Session& session) {
  CollectiveCollector collector;
  for (uint32_t run = 0; run < session.runs.size(); ++run) collector.add_host_calls(run, session.runs[run].timeline);
  return collector.take();
}

std::string letters_of(std::string_view collective) {
  std::string letters;
  for (const char c : collective) {
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

bool ends_together(std::string_view collective) {
  static constexpr std::array<std::string_view, 5> kinds = {"allreduce", "allgather", "reducescatter", "alltoall",
                                                            "barrier"};
  const std::string letters = letters_of(collective);
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](std::string_view kind) { return letters.find(kind) != std::string::npos; });
}

bool has_equal_shares(std::string_view collective) {
  const std::string letters = letters_of(collective);
  const bool has_unequal =
      std::ranges::any_of(std::array{"alltoall", "allgatherv", "reducescatterv"},
                          [&](const char* kind) { return letters.find(kind) != std::string::npos; });
  // MPI_Reduce_scatter_block is the one of equal parts.
  const bool is_of_counts = letters.find("mpireducescatter") != std::string::npos && !letters.ends_with("block");
  return ends_together(collective) && !has_unequal && !is_of_counts;
}

}  // namespace cgpu
