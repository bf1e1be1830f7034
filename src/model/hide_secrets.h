// Takes the credentials out of a run before anything reads it.
//
// Every text of a run is looked at once: names in its pools of strings, and the texts beside them. What follows
// (tables, reports, exports, the viewer) has nothing left to leak but the arguments of events, which are read from the
// profile again and are looked at then (model/arguments.h). O(length of all distinct texts); columns are only touched
// where there is something to hide.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Replaces every credential (base/credentials.h) by "[hidden]" and notes how many there were.
void hide_secrets(Run& run);

}  // namespace cgpu
