#include "report/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

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

/// "18.2 ms a step (4 steps)": the mean of the complete steps of the first rank.
std::string step_words(const Table& steps, const StepFacts& facts) {
  const int64_t rank = integer_of(steps, facts.rows.front(), "rank");
  int64_t total = 0;
  int64_t count = 0;
  for (const RowView& row : facts.rows) {
    if (integer_of(steps, row, "rank") != rank) continue;
    total += integer_of(steps, row, "duration_ns");
    ++count;
  }
  return fmt::format("{} a step ({})", format_ns(total / count), counted(count, "step"));
}

struct BusyInSteps {
  int64_t busy = 0;
  int64_t whole = 0;
};

/// What the devices were busy for of the complete steps, where that is not about what they were between their first and
/// last ops, as where the host does something else before it launches the first one. Of ranks with one device each, as
/// far as a step tells.
std::optional<BusyInSteps> busy_in_steps(const StepFacts& facts, const Table& gpu_time) {
  constexpr double kDiffers = 0.05;
  std::set<int64_t> ranks;
  for (const RowView row : gpu_time.rows()) {
    if (!ranks.insert(integer_of(gpu_time, row, "rank")).second) return std::nullopt;
  }
  BusyInSteps found{0, facts.total};
  for (const NamedTime& part : facts.parts) {
    if (is_any(part.name, {"kernel", "communication", "memcpy", "memset"})) found.busy += part.time;
  }
  const DeviceTime time = device_time(gpu_time);
  if (found.whole <= 0 || time.span <= 0) return std::nullopt;
  const double in_steps = static_cast<double>(found.busy) / static_cast<double>(found.whole);
  const double of_span = static_cast<double>(time.busy) / static_cast<double>(time.span);
  return std::abs(in_steps - of_span) > kDiffers ? std::optional(found) : std::nullopt;
}

/// `in_steps`: as of busy_in_steps. `why_unknown`: why it is not known how busy the devices were.
std::vector<std::string> device_words(const std::string& word, const Table& gpu_time, const Table* idle,
                                      const std::optional<BusyInSteps>& in_steps, const std::string& why_unknown) {
  constexpr double kLeastShare = 0.0005;
  constexpr double kLeastIdle = 0.01;  // that its cause is named
  const DeviceTime time = device_time(gpu_time);
  std::vector<std::string> parts;
  if (time.span == 0) return parts;
  const auto share = [&](int64_t part) { return share_text(part, time.span); };
  const bool several = gpu_time.row_count() > 1;
  std::string devices = several ? word + "s" : word;
  if (in_steps) {
    devices +=
        fmt::format(" {} busy and {} idle in steps; from {} to {} last", share_text(in_steps->busy, in_steps->whole),
                    share_text(in_steps->whole - in_steps->busy, in_steps->whole),
                    several ? "their first ops" : "its first op", several ? "their" : "its");
  }
  if (!why_unknown.empty() && time.busy < time.span) {
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
      (has_cause ? fmt::format(", most of it {} ({})", as_words(causes[0].name), share(causes[0].time)) : ""));
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
  std::string words = facts ? step_words(*steps, *facts) : "";
  if (gpu_time != nullptr) {
    const std::string why_unknown = why_utilization_is_unknown(session);
    const auto in_steps = facts && why_unknown.empty() ? busy_in_steps(*facts, *gpu_time) : std::nullopt;
    const std::vector<std::string> parts =
        device_words(device_word(session), *gpu_time, find(tables, "idle"), in_steps, why_unknown);
    const std::string devices = fmt::format("{}", fmt::join(parts, ", "));
    words += (words.empty() || devices.empty() ? "" : ": ") + devices;
  }
  if (words.empty()) return "";
  return capitalized(words) + ".";
}

std::string verdict_of(const Session& session, const std::vector<Table>& tables) {
  std::vector<const Table*> all;
  for (const Table& table : tables) all.push_back(&table);
  return verdict_of(session, all);
}

}  // namespace cgpu
