// Finds the device op of a transfer between two ranks (a send or receive) that the profile describes only on the host.
//
// PyTorch describes communication in the arguments of its device op. The op of a batch (batch_isend_irecv, and the
// schedules of torch.distributed.pipelining on it) has none: there the ops of the host `record_param_comms` name the
// ranks, one op a send or receive, and behind them the range `nccl:coalesced` launches one device op for all.
// https://github.com/pytorch/pytorch, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp (endCoalescing), as PyTorch 2.11
// writes it.
#pragma once

#include "model/timeline.h"

namespace cgpu {

/// Moves LinkHints::transfers to Timeline::collectives, where their device ops are found and are not described
/// themselves. Needs nesting, launches and kinds of device ops. O(n) in the slices where there is any, else nothing.
void link_transfers(Timeline& timeline);

}  // namespace cgpu
