// Culprits of idle time as tables name them: docs/definitions/idle.md, "idle_hosts".
#pragma once

#include <string_view>
#include <vector>

#include "analysis/common/merged_names.h"
#include "analysis/idle/idle_culprits.h"

namespace cgpu {

/// One numbering over several runs. A name is spelt once a run; after that a number is one array access.
class CulpritNames {
 public:
  CulpritNames();

  /// From now on parts are those of this timeline, which must outlive the numbering.
  void enter(const Timeline& timeline);
  StringId number(const IdlePart& part);
  /// A folded name, or in brackets why none is known.
  std::string_view text(StringId number) const { return names_.text(number); }

 private:
  const Timeline* timeline_ = nullptr;
  MergedNames names_;
  std::vector<StringId> before_;  // where nothing is recorded: the number, by the name of what comes next
};

}  // namespace cgpu
