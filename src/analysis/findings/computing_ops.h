// The device ops that compute, for rules about kernels.
#pragma once

#include <cstddef>

#include "analysis/device/device_ops.h"
#include "kernels/kernel_class.h"
#include "model/run.h"

namespace cgpu {

/// Calls visit(run, slice, class) for the device ops of a session that compute.
template <typename Visit>
void for_each_kernel(const Session& session, Visit visit) {
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& t = session.runs[run].timeline;
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (t.device_ops.kind[op] == OpKind::compute) {
        visit(run, slice, static_cast<KernelClass>(t.device_ops.kernel_class[op]));
      }
    });
  }
}

/// Whether all that computes is one kernel, again and again: a benchmark of it.
bool repeats_one_kernel(const Session& session);

}  // namespace cgpu
