// Brings the names of device ops and API calls into one spelling (kernels/names.h).
#pragma once

#include "model/run.h"

namespace cgpu {

/// Demangles the names of kernels and removes version suffixes from those of calls. Each distinct name is processed
/// once.
void normalise_names(Timeline& timeline);

}  // namespace cgpu
