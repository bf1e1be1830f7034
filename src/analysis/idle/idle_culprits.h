// Who is to blame for a part of an idle gap: the innermost host slice, call or op that is responsible for it
// (docs/definitions/idle.md, "idle_hosts").
//
// O(n) once; a part then costs O(log m) and the slices in it (analysis/common/innermost_slices.h).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "analysis/common/asked_names.h"
#include "analysis/common/innermost_slices.h"
#include "analysis/idle/awaited_threads.h"
#include "analysis/idle/idle_causes.h"
#include "analysis/idle/sampled_host.h"
#include "base/interval_set.h"
#include "links/waits.h"
#include "model/timeline.h"

namespace cgpu {

/// Why no slice is to blame.
enum class NoCulprit : uint8_t {
  none,                 // one is
  nothing_recorded,     // the thread was in no slice but the mark of an iteration
  launch_not_recorded,  // the call that launched the waking op is not in the profile
  no_calls_recorded,    // no call at all is
  wait_not_recorded,    // the op was queued, and the profile does not say for what it waited
  no_wait_recorded,     // the thread waited for other ranks, in a slice that is not known
  not_in_recording,     // what it waited for ran before the recording began or was launched after the host's ended
};
std::string_view text_of(NoCulprit reason);

/// A part of a gap with one cause and one culprit.
struct IdlePart {
  Interval time;
  IdleCause cause = IdleCause::unknown;
  /// A host slice, a sample, an op of the device that was waited for, the profiler's or driver's work.
  SliceIndex culprit = kNone;
  NoCulprit reason = NoCulprit::none;
  SliceIndex next = kNone;  // where nothing is recorded, what the thread began next
  SliceIndex host = kNone;  // the host slice that was active: it and its parents are the stack; kNone without one
};

class IdleCulprits {
 public:
  /// The timeline, of a completed run, and its samples must outlive this. `waits`: those of the timeline, asked for
  /// when first needed.
  IdleCulprits(const Timeline& timeline, const SampledHost& sampled, std::function<const Waits&()> waits);

  /// What a part has before its culprit is known: `slice` stands for the cause.
  struct Named {
    Interval time;
    IdleCause cause = IdleCause::unknown;
    SliceIndex slice = kNone;
    TrackIndex toucher = kNone;  // of pages that migrate: the thread that is taken to have touched them
  };
  /// Appends the parts with one culprit each that `named`, a part of the gap before this op, consists of.
  void append(const Named& named, SliceIndex waking_op, std::vector<IdlePart>& parts);

 private:
  /// Host code of a thread in no slice: by its samples, where it has some.
  void append_unrecorded(TrackIndex thread, IdlePart part, std::vector<IdlePart>& parts) const;
  /// The outermost of those that the thread begins next.
  SliceIndex next_after(TrackIndex thread, int64_t time) const;
  SliceIndex awaited_by(SliceIndex waking_op) const;

  const Timeline& timeline_;
  bool has_calls_ = false;
  const SampledHost& sampled_;
  ThreadWaits thread_waits_;
  InnermostSlices innermost_;
  mutable AskedNames is_step_;  // the mark of an iteration
  std::function<const Waits&()> waits_;
};

}  // namespace cgpu
