// The report of what the command line names, for `cgpu report` and for what the page of `cgpu view` saves.
#pragma once

#include <string>
#include <vector>

#include "cli/input_options.h"
#include "report/report.h"

namespace cgpu {

struct ReportOptions {
  Exchange* exchange = nullptr;  // of cgpu-mpi
  bool with_pictures = true;     // over time, of pages
  std::string kernel_names = "full";
  std::vector<std::string> sections = {};  // none: all
};

/// Opens the profiles, with a progress bar. Throws Error, also for sections that there are not.
Report report_of(const InputOptions& input, const ReportOptions& options = {});

}  // namespace cgpu
