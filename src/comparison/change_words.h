// What changed between two runs, in words.
#pragma once

#include <string>

#include "comparison/explained_causes.h"

namespace cgpu {

/// "aten::mm: gemm, 60 device ops an iteration, 13.0 us instead of 10.0 us each (1.30 times as long), since iteration
/// 7". `also_always`: also says that something is in every iteration.
std::string words_of(const Comparison& comparison, const ExplainedCause& explained, bool also_always = true);

/// The findings that came, went, grew or shrank by 3 % of the steps' time or more, a line each under a heading; or that
/// none did. Of a table `compare_findings` (compare_findings.h).
std::string finding_words(const Table& compared);

/// The whole change as a paragraph: how much, and what explains at least 95 % of it, or that it is within what runs
/// differ by. Of profiles without device work, how their call trees differ.
std::string paragraph_of(const Comparison& comparison);

}  // namespace cgpu
