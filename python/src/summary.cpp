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

std::string merge(std::vector<SummaryPart> parts) {
  return work([parts = std::move(parts)](const Stopped& stopped) mutable {
    OpenOptions open;
    open.strict = true;
    std::vector<Summary> summaries;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (*stopped) throw Stop();
      if (parts[i].bytes.empty()) {
        summaries.push_back(open_summaries(summary_files({parts[i].input}), open));
      } else {
        summaries.push_back(summary_from_bytes(std::move(parts[i].bytes), fmt::format("summary {}", i)));
        summaries.back().leave_out_damaged(true, nullptr);
      }
    }
    std::ostringstream out;
    write_summary(out, united(summaries));
    return std::move(out).str();
  });
}

}  // namespace cgpu::python
