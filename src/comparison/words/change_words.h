// What changed between two runs, in words.
#pragma once

#include <string>

#include "comparison/attribution/explained_causes.h"
#include "table/marked_text.h"

namespace cgpu {

/// "aten::mm: gemm, 60 device ops an iteration, 13.0 us instead of 10.0 us each (1.30 times as long), since iteration
/// 7". `also_always`: also says that something is in every iteration.
std::string words_of(const Comparison& comparison, const ExplainedCause& explained, bool also_always = true);

/// The findings that came, went, grew or shrank by 3 % of the steps' time or more, a line each under a heading; or that
/// none did. Of a table `compare_findings` (compare_findings.h).
MarkedText finding_words(const Table& compared);

/// Lines. Of profiles without device work `summary` says how their measured launches or call trees differ.
struct ChangeWords {
  MarkedText summary;  // the headline (change_headline.h), and what else differs: iterations, devices, work, memory
  MarkedText causes;   // what explains at least 95 % of the change, and the findings that changed

  std::string all() const { return summary.plain() + causes.plain(); }
};
ChangeWords change_words(const Comparison& comparison);

}  // namespace cgpu
