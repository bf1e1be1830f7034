#include "serve/endpoints/launch_endpoint.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "kernels/names.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"

namespace cgpu {

namespace {

constexpr size_t kMostListed = 20;
constexpr size_t kMostLookedAt = 100;  // slices whose arguments are read for their launch shape

struct FoundSlice {
  size_t run;
  SliceIndex slice;
};

std::optional<LaunchShape> shape_of(const Profile& profile, const FoundSlice& of) {
  try {
    const std::vector<Argument> arguments = profile.arguments(of.run, of.slice);
    std::vector<ArgumentView> views;
    for (const Argument& each : arguments) views.push_back({0, each.key, each.value, each.json});
    return launch_shape(views);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The slices of the kernels for which this is true, by time.
template <typename IsWanted>
std::vector<FoundSlice> kernels_called(const Profile& profile, IsWanted is_wanted) {
  std::vector<FoundSlice> found;
  for (size_t run = 0; run < profile.session().runs.size(); ++run) {
    const Timeline& timeline = profile.session().runs[run].timeline;
    std::unordered_map<StringId, bool> known;
    for (const SliceIndex slice : timeline.device_ops.slice) {
      if (!is_kernel(timeline.kind(slice))) continue;
      const auto [at, is_new] = known.try_emplace(timeline.slices.name[slice], false);
      if (is_new) at->second = is_wanted(std::string(timeline.name(slice)));
      if (at->second) found.push_back({run, slice});
    }
  }
  const auto start = [&](const FoundSlice& of) {
    return profile.session().runs[of.run].timeline.slices.start[of.slice] - profile.view().zero(of.run);
  };
  std::ranges::stable_sort(found, [&](const FoundSlice& a, const FoundSlice& b) { return start(a) < start(b); });
  return found;
}

/// The slices that agree best with a measured launch: of many, only the first are compared by their shape.
std::pair<LaunchMatch, std::vector<FoundSlice>> slices_of(const Profile& profile, const KernelLaunch& launch) {
  std::vector<FoundSlice> candidates = kernels_called(profile, [&](const std::string& name) {
    return compare({name, {}}, launch) == LaunchMatch::name;
  });
  if (candidates.empty()) {
    const std::string short_name = base_kernel_name(launch.name);
    candidates = kernels_called(profile, [&](const std::string& name) { return base_kernel_name(name) == short_name; });
  }
  if (candidates.size() > kMostLookedAt) candidates.resize(kMostLookedAt);
  std::pair<LaunchMatch, std::vector<FoundSlice>> best{LaunchMatch::none, {}};
  for (const FoundSlice& candidate : candidates) {
    const Timeline& timeline = profile.session().runs[candidate.run].timeline;
    const KernelLaunch here{std::string(timeline.name(candidate.slice)), shape_of(profile, candidate)};
    const LaunchMatch match = compare(here, launch);
    if (match == LaunchMatch::none || match < best.first) continue;
    if (match > best.first) best = {match, {}};
    best.second.push_back(candidate);
  }
  if (best.second.size() > kMostListed) best.second.resize(kMostListed);
  return best;
}

template <typename T>
void member_if(JsonTextWriter& json, const char* name, const std::optional<T>& value) {
  if (value) json.member(name, *value);
}

}  // namespace

void write_measured_launches(JsonTextWriter& json, const Profile& profile, size_t run, SliceIndex slice) {
  const Timeline& timeline = profile.session().runs[run].timeline;
  if (profile.measured().empty() || !is_kernel(timeline.kind(slice))) return;
  const MeasuredLaunches::Found found =
      profile.measured().of({std::string(timeline.name(slice)), shape_of(profile, {run, slice})});
  if (found.launches.empty()) return;
  json.key("measured").begin_object().member("match", text_of(found.match)).member("count", found.launches.size());
  json.key("launches").begin_array();
  for (size_t i = 0; i < std::min(found.launches.size(), kMostListed); ++i) {
    const MeasuredLaunch& launch = *found.launches[i];
    json.begin_object().member("rank", launch.rank).member("id", launch.id);
    member_if(json, "duration", launch.duration_ns);
    member_if(json, "intensity", launch.intensity);
    member_if(json, "flops_per_s", launch.flops_per_s);
    if (!launch.bound.empty()) json.member("bound", launch.bound);
    if (launch.ceiling_pct) json.member("ceiling", launch.ceiling).member("ceiling_pct", *launch.ceiling_pct);
    json.end_object();
  }
  json.end_array().end_object();
}

Answer answer_launch(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"rank", "id"});
  const int64_t rank = parameters.required_integer("rank", INT64_MIN, INT64_MAX);
  const MeasuredLaunch* launch = profile.measured().find(rank, parameters.required_integer("id", INT64_MIN, INT64_MAX));
  if (launch == nullptr) throw RequestError(kNotFound, "there is no such measured launch");
  const auto [match, slices] = slices_of(profile, launch->kernel);
  JsonTextWriter json;
  json.begin_object()
      .member("rank", launch->rank)
      .member("id", launch->id)
      .member("match", text_of(match))
      .key("slices")
      .begin_array();
  for (const FoundSlice& found : slices) write_position(json, profile.view(), found.run, found.slice);
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
