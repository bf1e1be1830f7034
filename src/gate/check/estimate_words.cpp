#include "gate/check/estimate_words.h"

#include <fmt/format.h>

#include <cmath>

namespace cgpu {

std::string signed_percent(double share) {
  return fmt::format("{:+.{}f}%", 100 * share, std::abs(share) < 0.1 ? 1 : 0);
}

std::string change_text(const std::string& from, const std::string& to, const Estimate& estimate) {
  std::string text = fmt::format("{} to {}, {}", from, to, signed_percent(estimate.change));
  if (estimate.same) return from + " on both sides";
  if (estimate.method == Estimate::Method::none) return text;
  return text + fmt::format(" (between {} and {})", signed_percent(estimate.low), signed_percent(estimate.high));
}

}  // namespace cgpu
