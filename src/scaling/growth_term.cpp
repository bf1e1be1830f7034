#include "scaling/growth_term.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace cgpu {

namespace {

std::string power_text(const GrowthTerm& term) {
  if (term.numerator == 1 && term.denominator == 1) return "p";
  // A third has no end as a decimal.
  if (term.denominator == 3) return fmt::format("p^({}/{})", term.numerator, term.denominator);
  return fmt::format("p^{}", term.exponent());
}

}  // namespace

double GrowthTerm::value(double size) const {
  return std::pow(size, exponent()) * std::pow(std::log2(size), log_exponent);
}

std::string GrowthTerm::text() const {
  if (is_constant()) return "1";
  std::string text = numerator == 0 ? "" : power_text(*this);
  if (log_exponent == 0) return text;
  if (!text.empty()) text += ' ';
  return text + (log_exponent == 1 ? "log2(p)" : fmt::format("log2(p)^{}", log_exponent));
}

std::partial_ordering GrowthTerm::operator<=>(const GrowthTerm& other) const {
  if (const auto order = exponent() <=> other.exponent(); order != 0) return order;
  return log_exponent <=> other.log_exponent;
}

const std::vector<GrowthTerm>& growth_terms() {
  static const std::vector<GrowthTerm> terms = [] {
    constexpr std::pair<int, int> kExponents[] = {{0, 1}, {1, 4}, {1, 3}, {1, 2}, {2, 3}, {3, 4},
                                                  {1, 1}, {3, 2}, {2, 1}, {5, 2}, {3, 1}};
    constexpr int kMostLogs = 2;
    std::vector<GrowthTerm> all;
    for (const auto& [numerator, denominator] : kExponents) {
      for (int log = 0; log <= kMostLogs; ++log) {
        if (const GrowthTerm term{numerator, denominator, log}; !term.is_constant()) all.push_back(term);
      }
      const bool is_small = numerator > 0 && numerator <= denominator;
      if (is_small) all.push_back({-numerator, denominator, 0});
    }
    return all;
  }();
  return terms;
}

}  // namespace cgpu
