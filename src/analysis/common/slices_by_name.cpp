#include "analysis/common/slices_by_name.h"

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"

namespace cgpu {

std::vector<Row> visit_slices_by_name(const Session& session, bool (*is_wanted)(SliceKind),
                                      const MergedNames::Spelling& spelling, const RowSlices::Visit& visit) {
  MergedNames names(spelling);
  std::vector<uint32_t> row_of;  // by merged number
  std::vector<Row> keys;
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& timeline = session.runs[run].timeline;
    std::vector<bool> has_kind;  // by category
    for (const Category& category : timeline.categories) has_kind.push_back(is_wanted(category.kind));
    names.enter(timeline.names);
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!has_kind[timeline.slices.category[slice]] || !is_plausible(timeline, slice)) continue;
      const StringId number = names.number(timeline.slices.name[slice]);
      while (row_of.size() <= number) row_of.push_back(UINT32_MAX);
      if (row_of[number] == UINT32_MAX) {
        row_of[number] = static_cast<uint32_t>(keys.size());
        keys.push_back({cell(names.text(number))});
      }
      visit(run, slice, row_of[number]);
    }
  }
  return keys;
}

}  // namespace cgpu
