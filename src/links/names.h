// Brings the names of device ops and API calls into one spelling (kernels/names.h).
#pragma once

#include "model/run.h"

namespace cgpu {

/// Kernels get their full demangled name, calls lose version suffixes. Each distinct name is worked on once.
void normalise_names(Timeline& timeline);

}  // namespace cgpu
