#include "cli/viewer_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <ostream>

#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "serve/engine_copy.h"
#include "session/selection/selection.h"

namespace cgpu {

ViewerCopy viewer_copy_of(const InputOptions& input, const ViewerFileOptions& options,
                          const std::function<void(double)>& progress) {
  const auto open = [&](const Selection& part) { return ProfileSource(with_progress(input), part).open(); };
  return make_viewer_copy(input, {.most_bytes = size_t{options.size_limit} << 20,
                                  .arguments = options.arguments,
                                  .engine_page = find_engine_page(),
                                  .open = open,
                                  .progress = progress});
}

void check_viewer_file(const std::string& path, const InputOptions& input) {
  if (path != "-" && !path.ends_with(".html") && !path.ends_with(".htm")) {
    throw Error(path, "a copy of the viewer is a page: end its name in .html");
  }
  check_output(path, input);
}

void write_viewer_file(const std::string& path, const InputOptions& input, const ViewerFileOptions& options) {
  ProgressBar progress("writing " + path);
  const ViewerCopy copy = viewer_copy_of(input, options, [&](double share) { progress.update(share); });
  fmt::print(stderr, "{}: {}\n", path, copy.contents);
  if (!copy.left_out.empty()) say(copy.left_out);
  write_output(path, [&](std::ostream& out) { out << copy.html; });
}

}  // namespace cgpu
