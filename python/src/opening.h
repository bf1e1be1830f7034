// Opening a profile ends when its caller no longer waits for it.
#pragma once

#include "session/input_options.h"
#include "session/open.h"
#include "work.h"

namespace cgpu::python {

/// What `input` says; opening throws Stop once it is stopped.
inline OpenOptions stoppable(const InputOptions& input, const Stopped& stopped) {
  OpenOptions open = input.open();
  open.progress = [stopped](OpeningPhase, double) {
    if (*stopped) throw Stop();
  };
  return open;
}

}  // namespace cgpu::python
