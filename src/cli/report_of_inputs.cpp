#include "cli/report_of_inputs.h"

#include <utility>

#include "report/run_history.h"
#include "session/ranks/rank_fold.h"

namespace cgpu {

Report report_of(const InputOptions& input, const ReportOptions& options) {
  const OpeningWithProgress opening(input, options.exchange);
  RunHistories histories;
  FoldedSession folded = fold_ranks(opening.options(), input.selection(),
                                    report_tables(options.kernel_names, options.with_pictures, options.sections),
                                    options.with_pictures ? &histories : nullptr);
  std::vector<RunHistory> drawn;
  if (options.with_pictures) drawn = histories.take(folded);
  return make_report(folded.session, std::move(folded.tables), std::move(drawn));
}

}  // namespace cgpu
