#include "summary.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "gate/summarize.h"
#include "opening.h"
#include "session/open.h"
#include "session/selection.h"
#include "session/summary.h"
#include "work.h"

namespace cgpu::python {

std::string summarize(const InputOptions& input, bool with_host) {
  return work([=](const Stopped& stopped) {
    return cgpu::summarize(stoppable(input, stopped), input.selection(), with_host).bytes;
  });
}

MergedSummary merge(std::vector<SummaryPart> parts, size_t allow_missing) {
  return work([parts = std::move(parts), allow_missing](const Stopped& stopped) mutable {
    std::vector<SummaryInput> sources;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].bytes.empty()) {
        for (SummaryInput& source : summary_inputs({parts[i].input})) sources.push_back(std::move(source));
      } else {
        sources.push_back({fmt::format("summary {}", i), std::move(parts[i].bytes)});
      }
    }
    MergedSummary merged;
    OpenOptions open;
    open.progress = [&](OpeningPhase, double) {
      if (*stopped) throw Stop();
    };
    open.warn = [&](const std::string& line) { merged.warnings.push_back(line); };
    const Summary summary = open_summaries(std::move(sources), open);
    if (const size_t left_out = summary.damaged().size(); left_out > allow_missing) {
      std::string why;
      for (const std::string& line : merged.warnings) why += line + "; ";
      throw Error(fmt::format("{}left out, because damaged or not there: {}; allow_missing={} merges the others", why,
                              left_out_of(summary), left_out));
    }
    std::ostringstream out;
    write_summary(out, summary);
    merged.bytes = std::move(out).str();
    return merged;
  });
}

}  // namespace cgpu::python
