#include "readers/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "readers/companions.h"

namespace cgpu {

namespace {

constexpr int64_t kSecond = 1'000'000'000;

[[noreturn]] void refuse(const Run& a, const Run& b, const std::string& why) {
  throw Error(
      fmt::format("{0} and {1} cannot be ranks of one run: {2}. Open one at a time (cgpu report {0}), or compare them: "
                  "cgpu compare {0} {1}",
                  a.file, b.file, why));
}

std::string duration_text(int64_t ns) {
  const int64_t seconds = ns / kSecond;
  if (seconds < 120) return fmt::format("{} seconds", seconds);
  if (seconds < 2 * 3600) return fmt::format("{} minutes", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} hours", seconds / 3600);
  return fmt::format("{} days", seconds / 86400);
}

/// HPCToolkit makes one database of all processes of a run.
bool is_whole_job(const Run& run) {
  return run.format.starts_with("hpctoolkit");
}

/// A fact of the header; "" where the profile does not say it.
std::string_view fact(const Run& run, std::string_view key) {
  const auto found =
      std::find_if(run.metadata.begin(), run.metadata.end(), [&](const auto& f) { return f.first == key; });
  return found == run.metadata.end() ? std::string_view() : std::string_view(found->second);
}

/// The program that ran, without its folder; "" where the profile does not say it.
std::string program_of(const Run& run) {
  std::string_view program = fact(run, "executable");
  if (program.empty()) program = fact(run, "executablepath");
  if (program.empty() && is_whole_job(run)) program = fact(run, "title");
  return std::string(program.substr(program.find_last_of('/') + 1));
}

/// The number that a batch system gave to the job ("SLURM_JOB_ID", "jobid"); "" where the profile does not say it.
std::string job_of(const Run& run) {
  for (const auto& [key, value] : run.metadata) {
    std::string plain;
    for (const unsigned char c : key) {
      if (std::isalnum(c) != 0) plain += static_cast<char>(std::tolower(c));
    }
    for (const char* known : {"jobid", "slurmjobid", "pbsjobid", "lsbjobid", "fluxjobid"}) {
      if (plain == known) return value;
    }
  }
  return "";
}

/// `text_of` must be the same for all runs for which it is not empty.
template <typename TextOf>
void check_same(const std::vector<Run>& runs, const char* what, TextOf text_of) {
  const Run* first = nullptr;
  std::string of_first;
  for (const Run& run : runs) {
    const std::string text = text_of(run);
    if (text.empty()) continue;
    if (first == nullptr) {
      first = &run;
      of_first = text;
    } else if (text != of_first) {
      refuse(*first, run, fmt::format("one is of the {0} {1}, the other of the {0} {2}", what, of_first, text));
    }
  }
}

/// What is called in a run, by name.
std::unordered_set<std::string_view> called_in(const Run& run) {
  std::unordered_set<std::string_view> names;
  if (!run.call_tree) return names;
  const CallTree& tree = *run.call_tree;
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes.kind[node] == NodeKind::function && tree.nodes.name[node] != 0) {
      names.insert(tree.names[tree.nodes.name[node]]);
    }
  }
  return names;
}

/// Ranks of one program have at least its beginning in common.
void check_calls(const std::vector<Run>& runs) {
  constexpr size_t kEnough = 4;  // of less, nothing in common may be by chance
  const Run* first = nullptr;
  std::unordered_set<std::string_view> of_first;
  for (const Run& run : runs) {
    if (first != nullptr && run.format != first->format) continue;
    std::unordered_set<std::string_view> names = called_in(run);
    if (names.size() < kEnough) continue;
    if (first == nullptr) {
      first = &run;
      of_first = std::move(names);
      continue;
    }
    const bool shared =
        std::any_of(names.begin(), names.end(), [&](const auto& name) { return of_first.contains(name); });
    if (!shared) refuse(*first, run, "they are of different programs: no function or region is in both");
  }
}

/// How far apart two recordings of one run may be.
int64_t largest_gap(const Run& a, const Run& b) {
  if (is_whole_job(a) && is_whole_job(b)) return kSecond;
  const bool ranks_of_a_job = a.rank_known && b.rank_known && a.rank != b.rank && a.world_size && b.world_size;
  if (ranks_of_a_job) return 3600 * kSecond;
  if (a.host.empty() || b.host.empty()) return 60 * kSecond;
  return a.host == b.host ? kSecond : 3600 * kSecond;
}

/// When the run took place, ns since 1970: as its timeline says, or else its header.
std::optional<std::pair<int64_t, int64_t>> time_of(const Run& run) {
  const auto recorded = recorded_time(run);
  if (recorded) return run.clock_is_unix ? recorded : std::nullopt;
  constexpr int64_t kMostSeconds = INT64_MAX / kSecond / 4;
  constexpr int64_t kLaunch =
      10;  // ranks of a job are launched one after another; the time may be of a part of the run
  constexpr int64_t kUnknown = 60;
  const auto launched = parse_number<int64_t>(fact(run, "launchdate"));
  if (!launched || *launched <= 0 || *launched > kMostSeconds) return std::nullopt;
  const auto elapsed = parse_number<double>(fact(run, "elapsed_time"));
  const bool has_length = elapsed && *elapsed >= 0 && *elapsed < static_cast<double>(kMostSeconds);
  const int64_t length = has_length ? static_cast<int64_t>(*elapsed) + kLaunch : kUnknown;
  return std::pair(*launched * kSecond, (*launched + length) * kSecond);
}

void check_times(const std::vector<Run>& runs) {
  struct Recorded {
    int64_t first;
    int64_t last;
    const Run* run;
  };
  std::vector<Recorded> all;
  for (const Run& run : runs) {
    if (const auto time = time_of(run)) all.push_back({time->first, time->second, &run});
  }
  std::ranges::stable_sort(all, [](const Recorded& a, const Recorded& b) { return a.first < b.first; });
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
    if (*run.world_size != *first->world_size) {
      refuse(*first, run, fmt::format("one is of {} ranks, the other of {}", *first->world_size, *run.world_size));
    }
    if (&run != first && *run.world_size == 1 && !run.rank_known && !first->rank_known) {
      refuse(*first, run, "each says that it is of a job of one rank");
    }
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
  if (runs.size() < 2) return;
  check_same(runs, "program", program_of);
  check_same(runs, "job", job_of);
  check_world_sizes(runs);
  check_devices(runs);
  check_times(runs);
  check_calls(runs);
}

}  // namespace cgpu
