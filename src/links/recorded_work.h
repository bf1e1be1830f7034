// What a profile recorded of the work of its devices.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Whether calls of a GPU runtime or driver are in it. O(n).
bool has_calls(const Timeline& timeline);

/// Whether it holds device ops, all of them communication, and no call: a record of collectives alone. O(n).
bool records_only_collectives(const Timeline& timeline);

/// Notes how many replays of graphs show no device ops (unrecorded_replays), and that utilisation is unknown
/// (model/unknown_utilization.h) where these are a noticeable part and in a record of collectives alone. After launches
/// are linked. O(n).
void note_unrecorded_work(Run& run);

}  // namespace cgpu
