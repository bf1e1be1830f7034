#include "library/run_summary.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "base/error.h"
#include "gate/summarize.h"
#include "session/profile_source.h"
#include "session/selection/selection.h"
#include "session/summaries/summary.h"

namespace cgpu {

std::string summary_of_run(const InputOptions& input, bool with_host, const OpeningProgress& progress) {
  OpenOptions open = input.open();
  open.progress = progress;
  return summarize(ProfileSource(open, input.selection()), with_host).bytes;
}

MergedSummary merge_summaries(std::vector<SummaryPart> parts, size_t allow_missing, const OpeningProgress& progress) {
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
  open.progress = progress;
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
}

}  // namespace cgpu
