// What changed between two runs, for other programs (docs/cpp.md): the words and tables of `cgpu compare`
// (docs/comparison.md).
#pragma once

#include <memory>
#include <string>

#include "analysis/table_options.h"
#include "session/opened_profile.h"
#include "table/filter.h"
#include "table/table.h"

namespace cgpu {

/// A copy is the same comparison. It keeps both profiles. Any number of threads may ask at once.
class RunComparison {
 public:
  /// From `a`, the run before, to `b`. `step`: only these iterations of both, as "3" or "2-5"; "" for all. Throws
  /// Error, also for summaries, which have no timeline.
  RunComparison(OpenedProfile a, OpenedProfile b, const std::string& step = {});

  /// What changed and what explains it, in lines.
  std::string words() const;
  /// A table as `cgpu compare A B --table NAME` makes it: "causes" or "compare_causes". Throws Error.
  Table table(const std::string& name, const TableOptions& options = {}, const RowChoice& choice = {}) const;
  /// Those that there are, as `list_of_tables` has them.
  static Table tables();

 private:
  struct Compared;
  std::shared_ptr<const Compared> compared_;
};

}  // namespace cgpu
