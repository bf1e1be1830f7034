#include "watch/backlog.h"

#include <fmt/format.h>

#include "table/units.h"

namespace cgpu {

std::string Backlog::update(size_t waiting, Duration oldest) {
  if (!is_behind_ && waiting > kFew && oldest > limit_) {
    is_behind_ = true;
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(oldest);
    return fmt::format("falls behind: {} runs wait, the first for {}", waiting,
                       format_ns(static_cast<double>(ns.count())));
  }
  if (is_behind_ && waiting <= 1) {
    is_behind_ = false;
    return "has caught up";
  }
  return "";
}

}  // namespace cgpu
