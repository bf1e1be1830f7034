#include "serve/contents.h"

#include <algorithm>

#include "analysis/profile/profile_counts.h"

namespace cgpu {

namespace {

bool is_of_one_kind(const ProfileCounts& counts) {
  constexpr double kNearlyAll = 0.95;
  const uint64_t most = *std::max_element(counts.of_kind.begin(), counts.of_kind.end());
  return counts.device_ops == 0 && static_cast<double>(most) >= kNearlyAll * static_cast<double>(counts.slices);
}

}  // namespace

Contents contents_of(const Profile& profile) {
  const ProfileCounts counts(profile.facts());
  Contents contents;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.applies == nullptr || analysis.applies(counts)) contents.tables.push_back(&analysis);
  }
  const auto has = [&](std::string_view table) {
    return std::any_of(contents.tables.begin(), contents.tables.end(),
                       [&](const Analysis* analysis) { return analysis->name == table; });
  };
  const auto add = [&](const char* view, bool shown) {
    if (shown) contents.views.emplace_back(view);
  };
  add("overview", true);
  add("findings", counts.device_ops > 0 || counts.measured_launches > 0 || counts.call_trees > 0);
  add("timeline", counts.slices > 0 || counts.memory_events > 0);
  add("flame", counts.nested() > 0 || counts.call_trees > 0);
  for (const char* view : {"kernels", "ops", "api", "transfers", "collectives", "steps", "idle"}) add(view, has(view));
  add("stalls", has("stalls"));
  add("roofline", counts.in_roofline > 0);
  add("memory", has("memory"));
  add("call_tree", counts.call_trees > 0);  // that of a timeline is its flame graph
  add("launches", counts.measured_launches > 0);
  add("tables", true);
  add("sql", true);
  contents.is_of_one_kind = is_of_one_kind(counts);
  return contents;
}

}  // namespace cgpu
