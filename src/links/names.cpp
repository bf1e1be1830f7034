#include "links/names.h"

#include <string>

#include "kernels/names.h"

namespace cgpu {

namespace {

/// The new id of each name, computed when it is first asked for.
template <typename Spelling>
class Renaming {
 public:
  Renaming(StringPool& names, Spelling spelling) : names_(names), spelling_(spelling) {}

  StringId operator()(StringId id) {
    if (id >= new_ids_.size()) new_ids_.resize(names_.size(), StringPool::absent);
    StringId& renamed = new_ids_[id];
    if (renamed == StringPool::absent) renamed = names_.intern(spelling_(names_[id]));
    return renamed;
  }

 private:
  StringPool& names_;
  Spelling spelling_;
  std::vector<StringId> new_ids_;
};

}  // namespace

void normalise_names(Timeline& timeline) {
  Slices& slices = timeline.slices;
  Renaming kernel(timeline.names, [](std::string_view name) { return full_kernel_name(name); });
  for (const SliceIndex i : timeline.device_ops.slice) slices.name[i] = kernel(slices.name[i]);

  Renaming call(timeline.names, [](std::string_view name) { return std::string(api_name(name)); });
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (is_call(timeline.kind(i))) slices.name[i] = call(slices.name[i]);
  }
}

}  // namespace cgpu
