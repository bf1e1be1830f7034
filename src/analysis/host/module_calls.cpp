#include "analysis/host/module_calls.h"

#include <unordered_map>

#include "analysis/common/nesting.h"
#include "analysis/device/device_ops.h"

namespace cgpu {

namespace {

constexpr std::string_view kFrame = "nn.Module: ";
constexpr std::string_view kMarker = "{'Module': ";
constexpr std::string_view kResults = "'Outputs': ";  // a marker behind the call that tells what came out

/// Whether the slices of a timeline are calls of modules; each name is looked at once.
class IsModuleCall {
 public:
  explicit IsModuleCall(const Timeline& timeline) : timeline_(timeline), names_module_(timeline.names.size()) {
    for (StringId name = 0; name < names_module_.size(); ++name) {
      // A name that slices of both kinds have is the same for both.
      names_module_[name] = module_of_slice(SliceKind::annotation, timeline.names[name]).has_value();
      any_ = any_ || names_module_[name];
    }
  }

  /// Whether any name is that of such a call.
  bool any() const { return any_; }

  bool operator()(SliceIndex slice) const {
    if (!names_module_[timeline_.slices.name[slice]] || !is_plausible(timeline_, slice)) return false;
    const SliceKind kind = timeline_.kind(slice);
    return kind == SliceKind::python_function || kind == SliceKind::annotation;
  }

 private:
  const Timeline& timeline_;
  std::vector<bool> names_module_;
  bool any_ = false;
};

/// For each slice that lies in a backward op and in no module: the call of the module that the forward op was made in.
/// Forward ops begin before their backward ops, so that following these calls outwards ends.
std::vector<SliceIndex> through_forward_ops(const Timeline& timeline, std::vector<SliceIndex> nested_in) {
  const Slices& slices = timeline.slices;
  std::unordered_map<SliceIndex, SliceIndex> module_of;  // of a backward op
  for (const Link& link : timeline.links) {
    if (link.kind != Link::Kind::forward_backward || slices.start[link.from] >= slices.start[link.to]) continue;
    if (nested_in[link.from] != kNone) module_of.try_emplace(link.to, nested_in[link.from]);
  }
  if (module_of.empty()) return nested_in;
  std::vector<SliceIndex> around = std::move(nested_in);
  for_each_outside_in(slices, [&](SliceIndex slice) {
    if (around[slice] != kNone) return;
    const SliceIndex parent = slices.parent[slice];
    if (const auto own = module_of.find(slice); own != module_of.end()) {
      around[slice] = own->second;
    } else if (parent != kNone) {
      around[slice] = around[parent];
    }
  });
  return around;
}

}  // namespace

std::optional<ModuleName> module_of_slice(SliceKind kind, std::string_view name) {
  if (kind != SliceKind::python_function && kind != SliceKind::annotation) return std::nullopt;
  if (name.starts_with(kFrame) && name.size() > kFrame.size()) return ModuleName{name.substr(kFrame.size()), false};
  if (!name.starts_with(kMarker) || name.find(kResults) != std::string_view::npos) return std::nullopt;
  name.remove_prefix(kMarker.size());
  if (name.empty() || (name[0] != '\'' && name[0] != '"')) return std::nullopt;
  const size_t end = name.find(name[0], 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  return ModuleName{name.substr(1, end - 1), true};
}

bool has_module_calls(const Timeline& timeline) {
  const IsModuleCall is_call(timeline);
  if (!is_call.any()) return false;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (is_call(slice)) return true;
  }
  return false;
}

ModuleCalls::ModuleCalls(const Timeline& timeline) {
  const IsModuleCall is_module_call(timeline);
  path_of_.assign(timeline.slices.size(), kNone);
  nested_in_ = nearest_above(timeline.slices, is_module_call);
  std::vector<SliceIndex> around = through_forward_ops(timeline, nested_in_);
  for (SliceIndex slice = 0; slice < path_of_.size(); ++slice) {
    if (is_module_call(slice)) path_of_[slice] = 0;  // one of those for which paths are to be found
  }
  find_paths(timeline, around);
  forest_.emplace(std::move(around), [&](SliceIndex slice) { return path_of_[slice] != kNone; });
}

void ModuleCalls::find_paths(const Timeline& timeline, const std::vector<SliceIndex>& around) {
  const Slices& slices = timeline.slices;
  std::unordered_map<uint64_t, uint32_t> known;  // by path of the module around, kNone for none, and name
  std::vector<bool> found(slices.size());
  std::vector<SliceIndex> chain;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (path_of_[slice] == kNone) continue;
    for (SliceIndex call = slice; call != kNone && !found[call]; call = around[call]) {
      found[call] = true;
      chain.push_back(call);
    }
    for (; !chain.empty(); chain.pop_back()) {
      const SliceIndex call = chain.back();
      const ModuleName module = *module_of_slice(timeline.kind(call), timeline.name(call));
      const uint32_t outer = module.is_path || around[call] == kNone ? kNone : path_of_[around[call]];
      const auto [at, is_new] =
          known.try_emplace(uint64_t{outer} << 32 | slices.name[call], static_cast<uint32_t>(paths_.size()));
      if (is_new && outer != kNone && paths_[outer].depth == kDeepest) {
        at->second = outer;
      } else if (is_new) {
        paths_.push_back(
            {outer == kNone ? std::string(module.name) : paths_[outer].text + "." + std::string(module.name),
             outer == kNone ? 1 : paths_[outer].depth + 1});
      }
      path_of_[call] = at->second;
    }
  }
}

}  // namespace cgpu
