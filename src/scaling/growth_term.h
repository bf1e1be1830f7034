// How something can grow with the size p of a run: p^a log2(p)^b, the terms of Extra-P's performance model normal form.
//
// The exponents are those of Calotoiu, Hoefler, Poke and Wolf, "Using automated performance modeling to find
// scalability bugs in complex codes" (SC 2013), up to cubes: a of 0, 1/4, 1/3, 1/2, 2/3, 3/4, 1, 3/2, 2, 5/2, 3 and b
// of 0, 1, 2. Besides them p^-a for a up to 1: what falls (a fixed amount of work over more ranks), and what levels off
// (a ring's traffic a rank, 1 - 1/p).
#pragma once

#include <compare>
#include <string>
#include <vector>

namespace cgpu {

struct GrowthTerm {
  int numerator = 0;  // of the exponent of p
  int denominator = 1;
  int log_exponent = 0;

  double exponent() const { return static_cast<double>(numerator) / denominator; }
  /// `size`: 1 or more.
  double value(double size) const;
  bool is_constant() const { return numerator == 0 && log_exponent == 0; }
  bool is_growing() const { return numerator > 0 || log_exponent > 0; }
  /// Powers of p and of its logarithm: 0 of the constant, 2 of p log2(p).
  int factors() const { return (numerator != 0 ? 1 : 0) + (log_exponent != 0 ? 1 : 0); }
  /// "p^0.5", "p^(1/3) log2(p)^2"; "1" of the constant.
  std::string text() const;
  /// By which grows faster in the end.
  std::partial_ordering operator<=>(const GrowthTerm& other) const;
  bool operator==(const GrowthTerm& other) const = default;
};

/// All but the constant.
const std::vector<GrowthTerm>& growth_terms();

}  // namespace cgpu
