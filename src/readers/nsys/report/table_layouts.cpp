#include "readers/nsys/report/table_layouts.h"

#include <algorithm>
#include <array>

namespace cgpu::nsys {

namespace {

using Computed = ReportColumn::Computed;

template <size_t A, size_t B>
constexpr auto join(const std::array<ReportColumn, A>& first, const std::array<ReportColumn, B>& second) {
  std::array<ReportColumn, A + B> all{};
  std::copy(first.begin(), first.end(), all.begin());
  std::copy(second.begin(), second.end(), all.begin() + A);
  return all;
}
template <size_t N>
constexpr std::array<ReportColumn, N> columns(const ReportColumn (&list)[N]) {
  return std::to_array(list);
}

// Work of the device: what all kinds have; each kind has a message of its own.
constexpr auto kDeviceIds = columns({{"deviceId", 4},
                                     {"contextId", 5},
                                     {"greenContextId", 9},
                                     {"streamId", 6},
                                     {"correlationId", 3},
                                     {"globalPid", 8}});
constexpr auto kDeviceWork = join(columns({{"start", 1}, {"end", 2}}), kDeviceIds);
constexpr auto kKernel = join(kDeviceWork, columns({{"demangledName", 101, 1},
                                                    {"shortName", 101, 2},
                                                    {"mangledName", 101, 3},
                                                    {"launchType", 101, 24},
                                                    {"cacheConfig", 101, 23},
                                                    {"registersPerThread", 101, 21},
                                                    {"gridX", 101, 10},
                                                    {"gridY", 101, 11},
                                                    {"gridZ", 101, 12},
                                                    {"blockX", 101, 13},
                                                    {"blockY", 101, 14},
                                                    {"blockZ", 101, 15},
                                                    {"staticSharedMemory", 101, 16},
                                                    {"dynamicSharedMemory", 101, 17},
                                                    {"localMemoryPerThread", 101, 18},
                                                    {"localMemoryTotal", 101, 19},
                                                    {"gridId", 101, 20},
                                                    {"sharedMemoryExecuted", 101, 22},
                                                    {"graphNodeId", 101, 27},
                                                    {"sharedMemoryLimitConfig", 101, 28},
                                                    {"clusterX", 101, 31},
                                                    {"clusterY", 101, 32},
                                                    {"clusterZ", 101, 33},
                                                    {"clusterSchedulingPolicy", 101, 34},
                                                    {"maxPotentialClusterSize", 101, 35},
                                                    {"maxActiveClusters", 101, 36}}));
constexpr auto kMemcpy = join(kDeviceWork, columns({{"bytes", 102, 1},
                                                    {"copyKind", 102, 2},
                                                    {"srcKind", 102, 4},
                                                    {"dstKind", 102, 5},
                                                    {"migrationCause", 102, 10},
                                                    {"virtualAddress", 102, 12},
                                                    {"copyCount", 102, 16}}));
constexpr auto kMemset = join(kDeviceWork, columns({{"value", 103, 2}, {"bytes", 103, 1}, {"memKind", 103, 4}}));
constexpr auto kSynchronization =
    join(kDeviceWork, columns({{"syncType", 105, 4, 2}, {"eventId", 105, 1}, {"eventSyncId", 105, 3}}));
constexpr auto kCudaEvent =
    join(join(columns({{"timestamp", 1}}), kDeviceIds), columns({{"eventId", 106, 1}, {"eventSyncId", 106, 2}}));
constexpr auto kGraphTrace = join(kDeviceWork, columns({{"graphId", 107, 1}, {"graphExecId", 107, 2}}));

// Calls of the host.
constexpr auto kRuntime = columns({{"start", 1},
                                   {"end", 2},
                                   {"eventClass", 6},
                                   {"globalTid", 13},
                                   {"correlationId", 3},
                                   {"nameId", 7},
                                   {"returnValue", 8}});
constexpr auto kOverhead = columns({{"start", 1},
                                    {"end", 2},
                                    {"eventClass", 6},
                                    {"globalTid", 13},
                                    {"correlationId", 3},
                                    {"nameId", 7},
                                    {"overheadType", 8}});
constexpr auto kProfilerOverhead =
    columns({{"start", 1}, {"end", 2}, {"globalTid", 13}, {"nameId", 7}, {"overheadType", 8}});
constexpr auto kOsRuntime = columns({{"start", 1},
                                     {"end", 2},
                                     {"eventClass", 6},
                                     {"globalTid", 13},
                                     {"nameId", 7},
                                     {"returnValue", 8},
                                     {"nestingLevel", 20},
                                     {"callchainId", 0, 0, 0, Computed::call_chain},
                                     {"argumentsId", 42}});
constexpr auto kLibraryCall = columns({{"start", 1}, {"end", 2}, {"eventClass", 6}, {"globalTid", 13}, {"nameId", 7}});

constexpr auto kNvtx = columns({{"start", 2},
                                {"end", 10},
                                {"eventType", 1},
                                {"rangeId", 4},
                                {"color", 6},
                                {"text", 7},
                                {"globalTid", 9},
                                {"endGlobalTid", 11},
                                {"textId", 12},
                                {"domainId", 13},
                                {"uint64Value", 8, 1},
                                {"int64Value", 8, 2},
                                {"doubleValue", 8, 3},
                                {"uint32Value", 8, 4},
                                {"int32Value", 8, 5},
                                {"floatValue", 8, 6},
                                {"jsonTextId", 8, 7}});
constexpr auto kScheduling =
    columns({{"start", 1}, {"cpu", 3}, {"isSchedIn", 4}, {"globalTid", 6}, {"threadState", 5}});
constexpr auto kSample = columns({{"id", 0, 0, 0, Computed::row_number},
                                  {"start", 1},
                                  {"cpu", 3},
                                  {"threadState", 6},
                                  {"globalTid", 11},
                                  {"cpuCycles", 5, 2}});
constexpr auto kDiagnostic = columns(
    {{"timestamp", 1, 1}, {"timestampType", 1, 2}, {"source", 2}, {"severity", 3}, {"text", 4}, {"globalPid", 5}});
constexpr auto kProcess = columns({{"globalPid", 2}, {"name", 6, 0, 5}});

constexpr auto kThreads = columns({{"nameId", 2}, {"priority", 3}, {"globalTid", 4}});
constexpr auto kGpus = columns({{"id", 1},
                                {"name", 2},
                                {"totalMemory", 11},
                                {"smCount", 14},
                                {"threadsPerWarp", 30},
                                {"computeMajor", 41},
                                {"computeMinor", 42}});
constexpr auto kCudaDevices = columns({{"gpuId", 1}, {"cudaId", 2}, {"pid", 3}});
constexpr auto kFrames = columns(
    {{"id", 0, 0, 0, Computed::row_number}, {"symbol", 1}, {"module", 2}, {"stackDepth", 0, 0, 0, Computed::depth}});

constexpr std::array<ReportTable, static_cast<size_t>(EventTable::count)> kEvents{{
    {"CUPTI_ACTIVITY_KIND_KERNEL", kKernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", kMemcpy},
    {"CUPTI_ACTIVITY_KIND_MEMSET", kMemset},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kSynchronization},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", kCudaEvent},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kGraphTrace},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", kRuntime},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", kOverhead},
    {"PROFILER_OVERHEAD", kProfilerOverhead},
    {"OSRT_API", kOsRuntime},
    {"CUDNN_EVENTS", kLibraryCall},
    {"CUBLAS_EVENTS", kLibraryCall},
    {"CUDA_GRAPH_EVENTS", kLibraryCall},
    {"CUDA_GRAPH_NODE_EVENTS", kLibraryCall},
    {"NVTX_EVENTS", kNvtx},
    {"SCHED_EVENTS", kScheduling},
    {"COMPOSITE_EVENTS", kSample},
    {"DIAGNOSTIC_EVENT", kDiagnostic},
    {"PROCESSES", kProcess},
}};
constexpr auto kEarlyProfilerOverhead =
    columns({{"start", 1}, {"end", 2}, {"globalTid", 13}, {"nameId", 7}, {"returnValue", 8}});
constexpr ReportTable kEarlyProfilerOverheadTable{"PROFILER_OVERHEAD", kEarlyProfilerOverhead};
constexpr ReportTable kThreadTable{"ThreadNames", kThreads};
constexpr ReportTable kGpuTable{"TARGET_INFO_GPU", kGpus};
constexpr ReportTable kCudaDeviceTable{"TARGET_INFO_CUDA_DEVICE", kCudaDevices};
constexpr ReportTable kFrameTable{"SAMPLING_CALLCHAINS", kFrames};

}  // namespace

const ReportTable& layout_of(EventTable table, std::string_view version) {
  const bool is_early = version < "2025.6";  // seen in 2025.3.2, no longer in 2025.6.1
  if (table == EventTable::profiler_overhead && is_early) return kEarlyProfilerOverheadTable;
  return kEvents[static_cast<size_t>(table)];
}
const ReportTable& threads_layout() {
  return kThreadTable;
}
const ReportTable& gpus_layout() {
  return kGpuTable;
}
const ReportTable& cuda_devices_layout() {
  return kCudaDeviceTable;
}
const ReportTable& frames_layout() {
  return kFrameTable;
}

}  // namespace cgpu::nsys
