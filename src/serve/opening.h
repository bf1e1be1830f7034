// Opens a profile for the viewer and reports progress from the start.
#pragma once

#include <functional>

#include "serve/viewed_profile.h"
#include "session/input_options.h"
#include "session/open_options.h"

namespace cgpu {

/// Opens what `input` says, lays out its timeline and shows it; of a summary, shows its tables. `options`: those of
/// `input`, with further callbacks for progress and warnings. `inspect`, if given, is called with the open session,
/// which it may change, before the timeline is laid out. Throws Error, also one of `inspect`.
void open_profile(ViewedProfile& profile, const InputOptions& input, OpenOptions options,
                  const std::function<void(Session&)>& inspect = nullptr);

}  // namespace cgpu
