// Kind and class of every device op, and notes about doubtful ones.
#pragma once

#include "kernels/dictionary.h"
#include "model/run.h"

namespace cgpu {

/// Fills DeviceOps::kernel_class and ::kind (docs/definitions.md, "Device ops"). Each distinct name is classified once.
void classify_device_ops(Timeline& timeline, const KernelDictionary& dictionary);

/// Counts device ops that begin before an earlier op of their stream has ended (overlap_in_stream in notes). They are
/// legitimate: programmatic dependent launch, merged queues. No op is dropped for it.
void note_overlaps(Run& run);

/// Flags slices whose duration is implausible (implausible_duration in notes; kImplausibleDuration): longer than a
/// week, or a device op more than a second longer than the whole recording. Tables leave flagged slices out.
void flag_implausible_durations(Run& run);

/// Takes away sizes of copies and collectives that no machine has the memory for, and allocator events with such
/// (implausible_size in notes): sums of them would not fit. O(n).
void drop_implausible_sizes(Run& run);

}  // namespace cgpu
