#include "readers/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/sort_stably.h"
#include "readers/companions.h"

namespace cgpu {

namespace {

constexpr int64_t kSecond = 1'000'000'000;

[[noreturn]] void refuse(const Run& a, const Run& b, const std::string& why) {
  throw Error(
      fmt::format("{0} and {1} cannot be ranks of one run: {2}. Open one at a time (cgpu report {0}), or compare them: "
                  "cgpu compare {0} "
                  "{1}",
                  a.file, b.file, why));
}

std::string duration_text(int64_t ns) {
  const int64_t seconds = ns / kSecond;
  if (seconds < 120) return fmt::format("{} seconds", seconds);
  if (seconds < 2 * 3600) return fmt::format("{} minutes", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} hours", seconds / 3600);
  return fmt::format("{} days", seconds / 86400);
}

/// How far apart two recordings of one run may be.
int64_t largest_gap(const Run& a, const Run& b) {
  const bool ranks_of_a_job = a.rank_known && b.rank_known && a.rank != b.rank && a.world_size && b.world_size;
  if (ranks_of_a_job) return 3600 * kSecond;
  if (a.host.empty() || b.host.empty()) return 60 * kSecond;
  return a.host == b.host ? kSecond : 3600 * kSecond;
}

void check_times(const std::vector<Run>& runs) {
  struct Recorded {
    int64_t first;
    int64_t last;
    const Run* run;
  };
  std::vector<Recorded> all;
  for (const Run& run : runs) {
    const auto time = recorded_time(run);
    if (run.clock_is_unix && time) all.push_back({time->first, time->second, &run});
  }
  sort_stably(all, [](const Recorded& a, const Recorded& b) { return a.first < b.first; });
  const Recorded* latest = nullptr;  // of those before
  for (const Recorded& next : all) {
    if (latest != nullptr && next.first > latest->last) {
      const int64_t gap = next.first - latest->last;
      if (gap > largest_gap(*latest->run, *next.run)) {
        refuse(*latest->run, *next.run,
               fmt::format("the second begins {} after the first has ended", duration_text(gap)));
      }
    }
    if (latest == nullptr || next.last > latest->last) latest = &next;
  }
}

void check_world_sizes(const std::vector<Run>& runs) {
  const Run* first = nullptr;
  for (const Run& run : runs) {
    if (!run.world_size) continue;
    if (first == nullptr) first = &run;
    if (*run.world_size == *first->world_size) continue;
    refuse(*first, run, fmt::format("one is of {} ranks, the other of {}", *first->world_size, *run.world_size));
  }
}

std::set<std::string> device_names(const Run& run) {
  std::set<std::string> names;
  for (const Device& device : run.devices) {
    if (!device.name.empty()) names.insert(device.name);
  }
  return names;
}

void check_devices(const std::vector<Run>& runs) {
  std::map<std::pair<int64_t, std::string>, const Run*> known;
  for (const Run& run : runs) {
    const std::set<std::string> names = device_names(run);
    if (!run.rank_known || names.empty()) continue;
    const auto [at, added] = known.try_emplace({run.rank, run.format}, &run);
    if (added) continue;
    const std::set<std::string> others = device_names(*at->second);
    const bool shared =
        std::any_of(names.begin(), names.end(), [&](const auto& name) { return others.contains(name); });
    if (!shared) {
      refuse(*at->second, run,
             fmt::format("both are rank {}, but one ran on {}, the other on {}", run.rank, *others.begin(),
                         *names.begin()));
    }
  }
}

}  // namespace

void check_that_runs_belong_together(const std::vector<Run>& runs) {
  check_world_sizes(runs);
  check_devices(runs);
  check_times(runs);
}

}  // namespace cgpu
