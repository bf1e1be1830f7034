// A copy of the viewer in one file (serve/viewer_copy.h), for the verbs that write one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "serve/viewer_copy.h"
#include "session/input_options.h"

namespace cgpu {

struct ViewerFileOptions {
  unsigned size_limit = 50;  // MB
  bool arguments = true;     // of events
};

/// The copy of what `input` names: with the engine in it where there is a page for that. Throws Error.
ViewerCopy viewer_copy_of(const InputOptions& input, const ViewerFileOptions& options,
                          const std::function<void(double)>& progress = nullptr);

/// Throws Error where `path` ("-" for stdout) is no name of a page, or is one of the inputs. For before the work.
void check_viewer_file(const std::string& path, const InputOptions& input);

/// Writes the copy; says on stderr what it holds and what did not fit.
void write_viewer_file(const std::string& path, const InputOptions& input, const ViewerFileOptions& options = {});

}  // namespace cgpu
