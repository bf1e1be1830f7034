// Opening a profile ends when its caller no longer waits for it.
#pragma once

#include "session/input_options.h"
#include "session/open_options.h"
#include "session/opening_progress.h"
#include "work.h"

namespace cgpu::python {

/// Throws Stop once it is stopped.
inline OpeningProgress until(const Stopped& stopped) {
  return [stopped](OpeningPhase, double) {
    if (*stopped) throw Stop();
  };
}

/// What `input` says; opening throws Stop once it is stopped.
inline OpenOptions stoppable(const InputOptions& input, const Stopped& stopped) {
  OpenOptions open = input.open();
  open.progress = until(stopped);
  return open;
}

}  // namespace cgpu::python
