// What changed between two runs, in words.
#pragma once

#include <string>
#include <vector>

#include "comparison/comparison.h"

namespace cgpu {

/// A cause with its times of one iteration on one device (of the whole, where there are no iterations).
struct ExplainedCause {
  const Cause* cause = nullptr;
  int64_t a = 0;  // ns
  int64_t b = 0;
};

/// All causes, those that changed most first. Their times add up to those of the sides.
std::vector<ExplainedCause> explained_causes(const Comparison& comparison);

/// "aten::mm: gemm, 60 device ops an iteration, 13.0 us instead of 10.0 us each (1.30 times as long), since iteration
/// 7". `also_always`: that something is in every iteration is said too.
std::string words_of(const Comparison& comparison, const ExplainedCause& explained, bool also_always = true);

/// The findings that came, went, grew or shrank by 3 % of the steps' time or more, a line each under a heading; or that
/// none did.
std::string finding_words(const Comparison& comparison);

/// The whole change as a paragraph: how much, and what explains at least 95 % of it, or that there is none. Of profiles
/// without device work, how their call trees differ.
std::string paragraph_of(const Comparison& comparison);

}  // namespace cgpu
