#include "report/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/idle/idle_causes.h"
#include "analysis/session_clock.h"
#include "base/ascii.h"
#include "base/contains.h"
#include "model/unknown_utilization.h"
#include "report/cells.h"
#include "report/facts.h"
#include "report/phrases.h"
#include "table/units.h"

namespace cgpu {

namespace {

const Table* find(const std::vector<const Table*>& tables, std::string_view name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table* table) { return table->name == name && !table->empty(); });
  return found == tables.end() ? nullptr : *found;
}

/// The complete steps of the first rank.
struct StepsOfRank {
  int64_t total = 0;  // ns
  int64_t count = 0;
};

StepsOfRank steps_of_first_rank(const Table& steps, const StepFacts& facts) {
  const int64_t rank = integer_of(steps, facts.rows.front(), "rank");
  StepsOfRank found;
  for (const RowView& row : facts.rows) {
    if (integer_of(steps, row, "rank") != rank) continue;
    found.total += integer_of(steps, row, "duration_ns");
    ++found.count;
  }
  return found;
}

/// "18.2 ms a step (4 steps)": their mean.
std::string step_words(const StepsOfRank& steps) {
  return fmt::format("{} a step ({})", format_ns(steps.total / steps.count), counted(steps.count, "step"));
}

bool is_of_several_ranks(const Table& gpu_time) {
  std::set<int64_t> ranks;
  for (const RowView row : gpu_time.rows()) ranks.insert(integer_of(gpu_time, row, "rank"));
  return ranks.size() > 1;
}

/// "The findings are about 588.0 ms of these 745.2 ms.": where they judge less, or more, than the words before are of.
std::string judged_words(const Table* findings, const StepsOfRank* steps, const Table& gpu_time) {
  constexpr double kDiffers = 0.05;
  if (findings == nullptr) return "";
  int64_t whole = steps != nullptr ? steps->total : 0;
  for (const RowView row : gpu_time.rows()) {
    if (steps == nullptr) whole = std::max(whole, integer_of(gpu_time, row, "span_ns"));
  }
  for (const RowView row : findings->rows()) {
    if (!has_value(*findings, row, "measured_ns")) continue;
    const int64_t judged = integer_of(*findings, row, "measured_ns");
    if (std::abs(static_cast<double>(judged - whole)) <= kDiffers * static_cast<double>(whole)) return "";
    if (judged < whole) {
      return fmt::format(" The findings are about {} of these {}.", format_ns(judged), format_ns(whole));
    }
    if (is_of_several_ranks(gpu_time)) return "";  // of all ranks, the words before of the first
    return fmt::format(" The findings are about {}, with the time {}.", format_ns(judged),
                       steps != nullptr ? "between these steps" : "before the first op");
  }
  return "";
}

/// How long the devices were busy in a whole that is not the time between their first and last ops.
struct BusyShare {
  int64_t busy = 0;
  int64_t whole = 0;
  const char* of = "";  // "in steps"
};

/// Absent where that is about what they were between their first and last ops.
std::optional<BusyShare> if_different(const BusyShare& share, const DeviceTime& time) {
  constexpr double kDiffers = 0.05;
  if (share.whole <= 0 || time.span <= 0) return std::nullopt;
  const double in_whole = static_cast<double>(share.busy) / static_cast<double>(share.whole);
  const double of_span = static_cast<double>(time.busy) / static_cast<double>(time.span);
  return std::abs(in_whole - of_span) > kDiffers ? std::optional(share) : std::nullopt;
}

/// Of the complete steps, as where the host does something else before it launches the first op. Of ranks with one
/// device each, as far as a step tells.
std::optional<BusyShare> busy_in_steps(const StepFacts& facts, const Table& gpu_time) {
  std::set<int64_t> ranks;
  for (const RowView row : gpu_time.rows()) {
    if (!ranks.insert(integer_of(gpu_time, row, "rank")).second) return std::nullopt;
  }
  BusyShare found{0, facts.total, "in steps"};
  for (const NamedTime& part : facts.parts) {
    if (is_any(part.name, {"kernel", "communication", "memcpy", "memset"})) found.busy += part.time;
  }
  return if_different(found, device_time(gpu_time));
}

/// Of all that was recorded of a rank, as where the program starts for long before it uses the device.
std::optional<BusyShare> busy_of_recording(const Session& session, const Table& gpu_time) {
  std::map<int64_t, int64_t> recorded;  // ns by rank
  for (const Run& run : session.runs) {
    if (const auto extent = extent_of(run)) recorded[run.rank] = extent->end - extent->begin;
  }
  BusyShare found{0, 0, "in all that was recorded"};
  for (const RowView row : gpu_time.rows()) {
    found.busy += integer_of(gpu_time, row, "busy_ns");
    found.whole += recorded[integer_of(gpu_time, row, "rank")];
  }
  return if_different(found, device_time(gpu_time));
}

/// No time that the device is idle: it is at work that the profile does not have.
std::string cause_words(const std::string& cause) {
  return cause == text_of(IdleCause::profile_edge) ? "before the first work that is recorded" : as_words(cause);
}

/// `in_whole`: as of busy_in_steps. `why_unknown`: why it is not known how busy the devices were.
std::vector<std::string> device_words(const std::string& word, const Table& gpu_time, const Table* idle,
                                      const std::optional<BusyShare>& in_whole, const std::string& why_unknown) {
  constexpr double kLeastShare = 0.0005;
  constexpr double kLeastIdle = 0.01;  // that its cause is named
  const DeviceTime time = device_time(gpu_time);
  std::vector<std::string> parts;
  if (time.span == 0) return parts;
  const auto share = [&](int64_t part) { return share_text(part, time.span); };
  const bool several = gpu_time.row_count() > 1;
  std::string devices = several ? word + "s" : word;
  if (in_whole) {
    devices += fmt::format(" {} busy and {} idle {}; from {} to {} last", share_text(in_whole->busy, in_whole->whole),
                           share_text(in_whole->whole - in_whole->busy, in_whole->whole), in_whole->of,
                           several ? "their first ops" : "its first op", several ? "their" : "its");
  }
  if (!why_unknown.empty()) {
    parts.push_back(
        fmt::format("{} at least {} busy; {}", devices, share(time.busy), unknown_rest(several, why_unknown)));
    return parts;
  }
  parts.push_back(fmt::format("{} {} busy", devices, share(time.busy)));
  for (const auto& [part, name] :
       {std::pair(time.exposed_comm, "exposed communication"), std::pair(time.exposed_memory, "exposed copies")}) {
    if (static_cast<double>(part) >= kLeastShare * static_cast<double>(time.span)) {
      parts.push_back(fmt::format("{} {}", share(part), name));
    }
  }
  const std::vector<NamedTime> causes = idle == nullptr ? std::vector<NamedTime>() : idle_causes(*idle);
  const bool is_idle = static_cast<double>(time.idle) >= kLeastIdle * static_cast<double>(time.span);
  const bool has_cause = is_idle && !causes.empty();
  parts.push_back(
      share(time.idle) + " idle" +
      (has_cause ? fmt::format(", most of it {} ({})", cause_words(causes[0].name), share(causes[0].time)) : ""));
  return parts;
}

}  // namespace

std::string device_word(const Session& session) {
  bool known = false;
  for (const Run& run : session.runs) {
    for (const Device& device : run.devices) {
      if (device.vendor != "NVIDIA" && device.vendor != "AMD" && device.vendor != "Intel") return "device";
      known = true;
    }
  }
  return known ? "GPU" : "device";
}

std::vector<WantedTable> verdict_tables() {
  std::vector<WantedTable> wanted;
  for (const char* name : {"gpu_time", "idle", "steps"}) wanted.push_back({&find_analysis(name)});
  return wanted;
}

std::string verdict_of(const Session& session, const std::vector<const Table*>& tables) {
  const Table* gpu_time = find(tables, "gpu_time");
  const Table* steps = find(tables, "steps");
  const auto facts = steps == nullptr ? std::nullopt : std::optional(step_facts(*steps));
  const auto of_rank = facts ? std::optional(steps_of_first_rank(*steps, *facts)) : std::nullopt;
  std::string words = of_rank ? step_words(*of_rank) : "";
  if (gpu_time != nullptr) {
    const std::string why_unknown = why_utilization_is_unknown(session);
    const auto in_whole = !why_unknown.empty() ? std::nullopt
                          : facts              ? busy_in_steps(*facts, *gpu_time)
                                               : busy_of_recording(session, *gpu_time);
    const std::vector<std::string> parts =
        device_words(device_word(session), *gpu_time, find(tables, "idle"), in_whole, why_unknown);
    const std::string devices = fmt::format("{}", fmt::join(parts, ", "));
    words += (words.empty() || devices.empty() ? "" : ": ") + devices;
  }
  if (words.empty()) return "";
  words = capitalized(words) + ".";
  if (gpu_time == nullptr) return words;
  return words + judged_words(find(tables, "findings"), of_rank ? &*of_rank : nullptr, *gpu_time);
}

std::string verdict_of(const Session& session, const std::vector<Table>& tables) {
  std::vector<const Table*> all;
  for (const Table& table : tables) all.push_back(&table);
  return verdict_of(session, all);
}

}  // namespace cgpu
