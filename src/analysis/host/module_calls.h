// The modules of a framework's model, and in which of them something was done.
//
// A call of a module is a slice of the host that names it: the Python frames `nn.Module: Linear_3` of PyTorch's
// profiler (with_stack and with_modules), and the annotations that layerwise hooks of vLLM and SGLang push, whose text
// is a Python dictionary (`{'Module': 'model.layers.0.mlp', ...}`). Frames name the class and the number of the object,
// so that their path is made of the modules around them; annotations name the path themselves.
//
// What the backward pass does belongs to the module of the forward op that the profile links to the backward op; so do
// modules that run again in it (recomputed activations). 16 bytes a slice, O(n) in the slices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/common/slice_forest.h"
#include "model/timeline.h"

namespace cgpu {

struct ModuleName {
  std::string_view name;
  bool is_path = false;  // of the whole model; else of the module around it
};
/// The module that slices of this kind and name are calls of; none where they are no such calls.
std::optional<ModuleName> module_of_slice(SliceKind kind, std::string_view name);

/// Whether any slice calls a module. The names once, and the slices up to the first such call.
bool has_module_calls(const Timeline& timeline);

class ModuleCalls {
 public:
  /// Paths have at most this many modules; those deeper inside count as the one at this depth.
  static constexpr uint32_t kDeepest = 100;

  explicit ModuleCalls(const Timeline& timeline);

  bool any() const { return !paths_.empty(); }
  bool is_call(SliceIndex slice) const { return path_of_[slice] != kNone; }
  /// "Model_0.Block_3.Linear_7" of a call.
  const std::string& path(SliceIndex call) const { return paths_[path_of_[call]].text; }
  /// Of the calls with equal paths one number, below paths().
  uint32_t path_number(SliceIndex call) const { return path_of_[call]; }
  size_t paths() const { return paths_.size(); }
  const std::string& path_text(uint32_t number) const { return paths_[number].text; }
  /// The innermost call that a slice belongs to, by nesting or through the forward op; kNone where there is none.
  SliceIndex around(SliceIndex slice) const { return forest_->above(slice); }
  /// Whether it belongs to that call through the forward op alone.
  bool is_backward(SliceIndex slice) const { return nested_in_[slice] == kNone && around(slice) != kNone; }
  /// Each call below the one around it.
  const SliceForest& forest() const { return *forest_; }

 private:
  struct Path {
    std::string text;
    uint32_t depth = 0;
  };
  void find_paths(const Timeline& timeline, const std::vector<SliceIndex>& around);

  std::vector<SliceIndex> nested_in_;
  std::vector<uint32_t> path_of_;  // by slice, into paths_; kNone for what is no call
  std::vector<Path> paths_;
  std::optional<SliceForest> forest_;
};

}  // namespace cgpu
