// The numbers in table `slices` of slices that a table knows in the whole session while a part of it is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/events/slice_numbers.h"
#include "analysis/session_facts.h"
#include "table/table.h"

namespace cgpu {

class ShownSlices {
 public:
  /// `facts` must outlive it.
  explicit ShownSlices(const SessionFacts& facts) : facts_(facts), numbers_(facts.session()) {
    runs_.resize(facts.whole().session().runs.size());
    for (size_t run = 0; run < facts.session().runs.size(); ++run) runs_[facts.place_in_whole(run)] = run;
  }

  /// Of a slice of the whole session; absent for kNone and where it is not shown. O(log slices).
  std::optional<int64_t> number(size_t run_in_whole, SliceIndex slice) const {
    const std::optional<size_t> run = runs_[run_in_whole];
    if (!run || slice == kNone) return std::nullopt;
    return numbers_.number(*run, slice_in_part(facts_.run(*run), slice));
  }

 private:
  const SessionFacts& facts_;
  const SliceNumbers numbers_;
  std::vector<std::optional<size_t>> runs_;  // shown, by run of the whole
};

inline Column shown_slice_column(const std::string& whose) {
  return {"slice", ColumnType::integer, "",
          whose + " number in table slices; absent where it has none or lies outside of the selected time",
          ColumnRole::key};
}

}  // namespace cgpu
