#include "analysis/idle/culprit_names.h"

#include <string>

#include "analysis/common/folded_names.h"

namespace cgpu {

CulpritNames::CulpritNames() : names_(folded_name) {}

void CulpritNames::enter(const Timeline& timeline) {
  timeline_ = &timeline;
  names_.enter(timeline.names);
  before_.assign(timeline.names.size(), StringPool::absent);
}

StringId CulpritNames::number(const IdlePart& part) {
  if (part.culprit != kNone) return names_.number(timeline_->slices.name[part.culprit]);
  if (part.next == kNone) return names_.number_of_text(text_of(part.reason));
  StringId& number = before_[timeline_->slices.name[part.next]];
  if (number == StringPool::absent) {
    number = names_.number_of_text("(nothing recorded before " + folded_name(timeline_->name(part.next)) + ")");
  }
  return number;
}

}  // namespace cgpu
