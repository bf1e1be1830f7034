#include "cli/report_of_inputs.h"

#include <utility>

#include "report/run_history.h"
#include "session/table_engine.h"

namespace cgpu {

Report report_of(const InputOptions& input, const ReportOptions& options) {
  RunHistories histories;
  MadeTables made = make_tables(source_of(input, options.exchange),
                                report_tables(options.kernel_names, options.with_pictures, options.sections),
                                options.with_pictures ? &histories : nullptr);
  std::vector<RunHistory> drawn;
  if (options.with_pictures) drawn = histories.take(made);
  return make_report(*made.session, std::move(made.tables), std::move(drawn));
}

}  // namespace cgpu
