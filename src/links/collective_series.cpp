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
#include "model/plausible.h"

namespace cgpu {

namespace {

using SeriesKey = std::pair<std::string, std::optional<std::string>>;
using MembersByKey = std::map<SeriesKey, std::vector<CollectiveMember>>;

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

/// Sorts the parts by start, then by position in the file.
void sort_parts(const Timeline& timeline, std::vector<CollectivePart>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [&](const CollectivePart& a, const CollectivePart& b) {
    return timeline.slices.start[a.slice] < timeline.slices.start[b.slice];
  });
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

bool all_have_sequences(const CollectiveSeries& series) {
  return std::all_of(series.members.begin(), series.members.end(), [](const CollectiveMember& member) {
    return std::all_of(member.parts.begin(), member.parts.end(),
                       [](const CollectivePart& part) { return part.record != nullptr && part.record->sequence >= 0; });
  });
}

/// Matches parts by sequence number; where a member has several parts of one number, by their order too.
void match_by_sequence(CollectiveSeries& series) {
  using Place = std::pair<int64_t, uint32_t>;  // number, how many of this number were before it
  std::vector<Place> instances;                // sorted
  std::vector<Place> mine;
  const auto places_of = [&](const CollectiveMember& member) {
    mine.clear();
    std::unordered_map<int64_t, uint32_t> seen;  // as soon as numbers do not grow
    for (const CollectivePart& part : member.parts) {
      const int64_t sequence = part.record->sequence;
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
  for (CollectiveMember& member : series.members) {
    places_of(member);
    auto at = instances.begin();
    for (size_t i = 0; i < mine.size(); ++i, ++at) {
      if (at == instances.end() || *at != mine[i]) at = std::lower_bound(instances.begin(), instances.end(), mine[i]);
      member.parts[i].instance = static_cast<uint32_t>(at - instances.begin());
    }
  }
}

/// The position in the longest list at which a shorter list begins.
uint32_t best_shift(const Timeline& longest, const CollectiveMember& all, const Timeline& timeline,
                    const CollectiveMember& member) {
  constexpr size_t kCompared = 256;
  const size_t compared = std::min(kCompared, member.parts.size());
  std::vector<int64_t> differences(compared);
  uint64_t least = UINT64_MAX;
  size_t best = 0;
  for (size_t shift = 0; shift + member.parts.size() <= all.parts.size(); ++shift) {
    for (size_t k = 0; k < compared; ++k) {
      differences[k] =
          difference(timeline.slices.end(member.parts[k].slice), longest.slices.end(all.parts[k + shift].slice));
    }
    const uint64_t spread = spread_of(differences);
    if (spread >= least) continue;
    least = spread;
    best = shift;
  }
  return static_cast<uint32_t>(best);
}

void match_by_place(const Session& session, CollectiveSeries& series) {
  const auto longest = std::max_element(series.members.begin(), series.members.end(),
                                        [](const auto& a, const auto& b) { return a.parts.size() < b.parts.size(); });
  series.instances = static_cast<uint32_t>(longest->parts.size());
  const auto timeline = [&](const CollectiveMember& member) -> const Timeline& {
    return session.runs[member.run].timeline;
  };
  for (CollectiveMember& member : series.members) {
    const uint32_t shift = member.parts.size() == longest->parts.size()
                               ? 0
                               : best_shift(timeline(*longest), *longest, timeline(member), member);
    for (uint32_t k = 0; k < member.parts.size(); ++k) member.parts[k].instance = k + shift;
  }
}

std::vector<CollectiveSeries> matched(const Session& session, MembersByKey members) {
  std::vector<CollectiveSeries> all;
  for (auto& [key, parts] : members) {
    CollectiveSeries& series = all.emplace_back();
    series.name = key.first;
    series.group = key.second;
    series.members = std::move(parts);
    for (CollectiveMember& member : series.members) sort_parts(session.runs[member.run].timeline, member.parts);
    if (all_have_sequences(series)) {
      match_by_sequence(series);
    } else {
      match_by_place(session, series);
    }
  }
  return all;
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
  explicit Records(const Timeline& timeline) {
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

 private:
  std::vector<const Collective*> records_;
  std::vector<const Collective*>::const_iterator next_;
};

bool is_waiting_call(std::string_view name) {
  if (name.starts_with("gloo:")) return ends_together(name);
  return name.starts_with("MPI_") && !name.starts_with("MPI_I") && ends_together(name);
}

}  // namespace

std::vector<int64_t> last_starts(const Session& session, const CollectiveSeries& series) {
  std::vector<int64_t> last(series.instances, INT64_MIN);
  for (const CollectiveMember& member : series.members) {
    const Run& run = session.runs[member.run];
    for (const CollectivePart& part : member.parts) {
      last[part.instance] = std::max(last[part.instance], common_time(run, run.timeline.slices.start[part.slice]));
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

std::vector<CollectiveSeries> device_collectives(const Session& session) {
  MembersByKey all;
  for (uint32_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& timeline = session.runs[run].timeline;
    Records records(timeline);
    std::map<std::pair<SeriesKey, int32_t>, CollectiveMember> mine;
    // The same by what a key is made of: recorded name, else kernel; group, device. Texts are looked at once for each.
    std::map<std::tuple<bool, StringId, StringId, int32_t>, CollectiveMember*> known;
    const DeviceOps& ops = timeline.device_ops;
    for (size_t op = 0; op < ops.size(); ++op) {
      const SliceIndex slice = ops.slice[op];
      if (ops.kind[op] != OpKind::communication || !is_plausible(timeline, slice)) continue;
      const Collective* record = records.of(slice);
      const bool is_named = record != nullptr && record->name != 0;
      const StringId group = record != nullptr ? record->group : 0;
      CollectiveMember*& member =
          known[{is_named, is_named ? record->name : timeline.slices.name[slice], group, ops.device[op]}];
      if (member == nullptr) {
        SeriesKey key{is_named ? std::string(timeline.names[record->name]) : collective_of_kernel(timeline.name(slice)),
                      std::nullopt};
        if (group != 0) key.second = timeline.names[group];
        member = &mine[{std::move(key), ops.device[op]}];
      }
      member->parts.push_back({slice, 0, record});
    }
    for (auto& [key, member] : mine) {
      member.run = run;
      member.device = key.second;
      all[key.first].push_back(std::move(member));
    }
  }
  return matched(session, std::move(all));
}

std::vector<CollectiveSeries> host_collectives(const Session& session) {
  MembersByKey all;
  for (uint32_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& timeline = session.runs[run].timeline;
    std::vector<char> waits(timeline.names.size(), 0);
    for (StringId name = 0; name < waits.size(); ++name) waits[name] = is_waiting_call(timeline.names[name]);
    if (std::find(waits.begin(), waits.end(), 1) == waits.end()) continue;

    std::map<std::pair<std::string, std::string>, CollectiveMember> mine;  // by name and process
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!waits[timeline.slices.name[slice]] || !is_host(timeline.kind(slice))) continue;
      if (!is_plausible(timeline, slice)) continue;
      const SliceIndex parent = timeline.slices.parent[slice];
      if (parent != kNone && waits[timeline.slices.name[parent]]) continue;
      const std::string& process = timeline.tracks[timeline.slices.track[slice]].process;
      mine[{std::string(timeline.name(slice)), process}].parts.push_back({slice, 0, nullptr});
    }
    for (auto& [key, member] : mine) {
      member.run = run;
      all[{key.first, std::nullopt}].push_back(std::move(member));
    }
  }
  return matched(session, std::move(all));
}

}  // namespace cgpu
