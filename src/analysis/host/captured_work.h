// The run that has the calls of captured device ops (model/run.h, CapturedWork).
#pragma once

#include "model/run.h"

namespace cgpu {

/// `work` is of `run`, which is of `session`. A run that has captured itself keeps its calls where it was cut out of.
inline const Run& run_of_capture(const Session& session, const Run& run, const CapturedWork& work) {
  if (work.capture) return *work.capture;
  return run.part_of ? session.whole->runs[run.part_of->run] : run;
}

/// The duration of a captured op.
inline int64_t duration_of(const Run& run, const CapturedOp& captured) {
  return run.timeline.slices.duration[run.timeline.device_ops.slice[captured.op]];
}

}  // namespace cgpu
