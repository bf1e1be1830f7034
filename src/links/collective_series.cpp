#include "links/collective_series.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kernels/names.h"
#include "links/common_time.h"
#include "model/element_types.h"
#include "model/plausible.h"

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

/// The position in the longest list at which a shorter list begins.
uint32_t best_shift(const CollectiveParts& parts, const CollectiveMember& longest, const CollectiveMember& member) {
  constexpr uint32_t kCompared = 256;
  const uint32_t compared = std::min(kCompared, member.count());
  std::vector<int64_t> differences(compared);
  uint64_t least = UINT64_MAX;
  uint32_t best = 0;
  for (uint32_t shift = 0; shift + member.count() <= longest.count(); ++shift) {
    for (uint32_t k = 0; k < compared; ++k) {
      differences[k] = difference(parts.row(member.first + k).end(), parts.row(longest.first + k + shift).end());
    }
    const uint64_t spread = spread_of(differences);
    if (spread >= least) continue;
    least = spread;
    best = shift;
  }
  return best;
}

void match_by_place(CollectiveSeries& series) {
  const auto longest = std::max_element(series.members.begin(), series.members.end(),
                                        [](const auto& a, const auto& b) { return a.count() < b.count(); });
  series.instances = longest->count();
  for (const CollectiveMember& member : series.members) {
    const uint32_t shift = member.count() == longest->count() ? 0 : best_shift(series.parts, *longest, member);
    for (uint32_t k = 0; k < member.count(); ++k) series.parts.instance[member.first + k] = k + shift;
  }
}

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
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

  /// The first one of a slice; null where there is none.
  const Collective* of(SliceIndex slice) {
    if (next_ == records_.end() || (*next_)->slice != slice) {
      next_ = std::lower_bound(records_.begin(), records_.end(), slice,
                               [](const Collective* record, SliceIndex wanted) { return record->slice < wanted; });
    }
    return next_ != records_.end() && (*next_)->slice == slice ? *next_++ : nullptr;
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

bool is_waiting_call(std::string_view name) {
  if (name.starts_with("gloo:")) return ends_together(name);
  return name.starts_with("MPI_") && !name.starts_with("MPI_I") && ends_together(name);
}

}  // namespace

/// Matches parts by sequence number; where a member has several parts of one number, by their order too.
void CollectiveCollector::match_by_sequence(Gathered& gathered) {
  CollectiveSeries& series = gathered.series;
  using Place = std::pair<int64_t, uint32_t>;  // number, how many of this number were before it
  std::vector<Place> instances;                // sorted
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

void CollectiveCollector::add(const Key& key, CollectiveMember member, std::vector<NumberedPart> parts) {
  std::stable_sort(parts.begin(), parts.end(),  // by start, then by position in the file
                   [](const NumberedPart& a, const NumberedPart& b) { return a.part.start < b.part.start; });
  Gathered& gathered = all_[key];
  CollectiveSeries& series = gathered.series;
  member.first = static_cast<uint32_t>(series.parts.size());
  const size_t size = member.first + parts.size();
  if (size > series.parts.start.capacity()) {  // of thousands of series, twice as much as there is would count
    series.parts.reserve(size + size / 8);
    gathered.sequence.reserve(size + size / 8);
  }
  for (const NumberedPart& each : parts) {
    series.parts.append(each.part);
    gathered.sequence.push_back(each.sequence);
  }
  member.end = static_cast<uint32_t>(series.parts.size());
  series.members.push_back(member);
}

void CollectiveCollector::add_device_ops(uint32_t run, const Timeline& timeline) {
  Records records(timeline);
  std::map<std::pair<Key, int32_t>, std::vector<NumberedPart>> members;
  // The same by what a key is made of: recorded name, else kernel; group, device. Texts are looked at once for each.
  std::map<std::tuple<bool, StringId, StringId, int32_t>, std::vector<NumberedPart>*> known;
  const DeviceOps& ops = timeline.device_ops;
  for (size_t op = 0; op < ops.size(); ++op) {
    const SliceIndex slice = ops.slice[op];
    if (ops.kind[op] != OpKind::communication || !is_plausible(timeline, slice)) continue;
    const Collective* record = records.of(slice);
    const bool is_named = record != nullptr && record->name != 0;
    const StringId group = record != nullptr ? record->group : 0;
    std::vector<NumberedPart>*& parts =
        known[{is_named, is_named ? record->name : timeline.slices.name[slice], group, ops.device[op]}];
    if (parts == nullptr) {
      Key key{is_named ? std::string(timeline.names[record->name]) : collective_of_kernel(timeline.name(slice)),
              std::nullopt};
      if (group != 0) key.second = timeline.names[group];
      parts = &members[{std::move(key), ops.device[op]}];
    }
    NumberedPart& added = parts->emplace_back();
    added.part.start = timeline.slices.start[slice];
    added.part.duration = timeline.slices.duration[slice];
    added.part.slice = slice;
    if (record == nullptr) continue;
    added.part.bytes = records.bytes_of(*record).value_or(-1);
    added.part.group_size = record->group_size;
    added.sequence = record->sequence;
  }
  for (auto& [key, parts] : members) add(key.first, {run, key.second}, std::move(parts));
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
    if (std::all_of(gathered.sequence.begin(), gathered.sequence.end(), [](int64_t number) { return number >= 0; })) {
      match_by_sequence(gathered);
    } else {
      match_by_place(gathered.series);
    }
    gathered.sequence = {};
    all.push_back(std::move(gathered.series));
  }
  all_.clear();
  return all;
}

std::vector<CollectiveSeries> device_collectives(const Session& session) {
  CollectiveCollector collector;
  for (uint32_t run = 0; run < session.runs.size(); ++run) collector.add_device_ops(run, session.runs[run].timeline);
  return collector.take();
}

std::vector<CollectiveSeries> host_collectives(const Session& session) {
  CollectiveCollector collector;
  for (uint32_t run = 0; run < session.runs.size(); ++run) collector.add_host_calls(run, session.runs[run].timeline);
  return collector.take();
}

std::vector<int64_t> last_starts(const Session& session, const CollectiveSeries& series) {
  std::vector<int64_t> last(series.instances, INT64_MIN);
  for (const CollectiveMember& member : series.members) {
    const Run& run = session.runs[member.run];
    for (const CollectivePart part : series.parts_of(member)) {
      last[part.instance] = std::max(last[part.instance], common_time(run, part.start));
    }
  }
  return last;
}

bool ends_together(std::string_view collective) {
  static constexpr std::array<std::string_view, 5> kinds = {"allreduce", "allgather", "reducescatter", "alltoall",
                                                            "barrier"};
  const std::string letters = letters_of(collective);
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](std::string_view kind) { return letters.find(kind) != std::string::npos; });
}

}  // namespace cgpu
