#include "progress.h"

#include <utility>

namespace cgpu::python {

ToldProgress::ToldProgress(nanobind::object callable) : callable_(std::move(callable)) {}

OpeningProgress ToldProgress::teller() const {
  return [told = told_](OpeningPhase phase, double share) {
    const std::lock_guard lock(told->mutex);
    if (phase == told->phase && share <= told->share) return;
    told->phase = phase;
    told->share = share;
    told->is_new = true;
  };
}

void ToldProgress::pass_on() {
  if (callable_.is_none()) return;
  OpeningPhase phase;
  double share;
  {
    const std::lock_guard lock(told_->mutex);
    if (!std::exchange(told_->is_new, false)) return;
    phase = told_->phase;
    share = told_->share;
  }
  callable_(phase == OpeningPhase::reading ? "reading" : "linking", share);
}

}  // namespace cgpu::python
