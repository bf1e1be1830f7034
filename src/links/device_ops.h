// Kind and class of every device op, and notes about doubtful ones.
#pragma once

#include "kernels/dictionary.h"
#include "model/run.h"

namespace cgpu {

/// What device ops of a class do.
OpKind kind_of(KernelClass kernel_class);

/// Fills DeviceOps::kernel_class and ::kind (docs/definitions/device-time.md, "Device ops"). Each distinct name is
/// classified once.
void classify_device_ops(Timeline& timeline, const KernelDictionary& dictionary);

/// Flags slices whose duration is implausible (implausible_duration in notes; kImplausibleTime): longer than a
/// week, or a device op more than a second longer than the whole recording. Tables leave flagged slices out.
void flag_implausible_durations(Run& run);

/// Flags device ops at times that cannot be (impossible_time in notes; kImplausibleTime): they begin a second or more
/// before the call that launched them, or, without a launch, at time 0 with no duration, a second or more before all
/// else; or they last over the begins of 1,000 later ops of their stream and 100 times as long as the median of their
/// name there, and do not communicate (which may wait). Nothing is flagged for its launch where a tenth of the ops
/// begins so early: then the clocks of host and device do not agree. After launches are linked. O(n log n).
void flag_impossible_times(Run& run);

/// Counts device ops that begin before an earlier op of their stream has ended (overlap_in_stream in notes). They are
/// legitimate: programmatic dependent launch, merged queues. No op is dropped for it.
void note_overlaps(Run& run);

/// Takes away sizes of copies and collectives that no machine has the memory for, and allocator events with such
/// (implausible_size in notes): sums of them would not fit. O(n).
void drop_implausible_sizes(Run& run);

}  // namespace cgpu
