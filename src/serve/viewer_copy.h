// A copy of the viewer in one HTML file: with the engine in it (engine_copy.h), where there is a page for that and a
// trace holds all of the profile; else with recorded answers (static_copy.h).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "model/run.h"
#include "session/input_options.h"
#include "session/selection/selection.h"

namespace cgpu {

struct ViewerCopyOptions {
  size_t most_bytes = size_t{50} << 20;  // of the file
  bool arguments = true;                 // of events
  std::string engine_page;               // a path (find_engine_page); empty: answers are recorded
  /// Opens a part of what the input options name.
  std::function<Session(const Selection&)> open;
  std::function<void(double)> progress;  // called with the share done (0..1), once the profile is open
};

struct ViewerCopy {
  std::string html;
  std::string contents;  // what the file holds, in a line
  std::string left_out;  // what did not fit, and what to do; empty where nothing was left out
};

/// Throws Error for a summary, and where not even a part fits.
ViewerCopy make_viewer_copy(const InputOptions& input, const ViewerCopyOptions& options);

}  // namespace cgpu
