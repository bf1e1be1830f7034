// What to do about ranks that others wait for.
#pragma once

namespace cgpu {

inline constexpr const char* kCompareKernels =
    "Compare the kernels with those of the others: clocks and temperature of the device, more work (uneven batches, "
    "experts)";
inline constexpr const char* kLookAtHost =
    "Look at what the host does there: its input, other processes on its cores, its garbage collection";
inline constexpr const char* kLaunchBeside =
    "Launch on each device from its own thread or process (DistributedDataParallel in the place of DataParallel), or "
    "give each device its work in turns, so that no device waits until all work of another is launched";
inline constexpr const char* kRecordBesides =
    "Record what the devices and their hosts do besides (a PyTorch profile, Nsight Systems): why it comes late is not "
    "in this profile";
inline constexpr const char* kLookAtPath =
    "Look at the path between these ranks: topology (nvidia-smi topo -m, NCCL_DEBUG=INFO), a link that is down or "
    "shared, NCCL_IB_HCA and NCCL_SOCKET_IFNAME, placement of ranks on nodes";
inline constexpr const char* kBalanceExperts =
    "Balance the routing (auxiliary loss, bias of the router, capacity factor), or place experts by their load and copy "
    "the busiest (EPLB)";
inline constexpr const char* kBalanceWork =
    "Give the ranks equal work in each step: batches of equally many tokens (sort or pack sequences by their length), "
    "or fewer collectives between which it can differ";
inline constexpr const char* kCalmHosts =
    "Look at what stops the hosts now and then: other processes on their cores, garbage collection, input";
inline constexpr const char* kMoveLayers =
    "Move layers from the stages with the most work to those with the least (embedding and loss count too)";

}  // namespace cgpu
