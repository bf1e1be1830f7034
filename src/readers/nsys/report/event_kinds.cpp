#include "readers/nsys/report/event_kinds.h"

#include <algorithm>
#include <array>

#include "base/to_size.h"
#include "readers/common/protobuf.h"

namespace cgpu::nsys {

namespace {

using Use = EventKind::Use;

// The enumerations of event types and classes (ENUM_NSYS_EVENT_TYPE, ENUM_NSYS_EVENT_CLASS of an export), for names.
// clang-format off
constexpr std::array<std::string_view, 155> kTypes = {
    "Unknown", "CpuCycles", "Instructions", "CacheReferences", "L1CacheDataWriteMisses", "L1CacheDataReadMisses",
    "L1CacheInstructionMisses", "L2CacheDataWriteMisses", "L2CacheDataReadMisses", "L2CacheInstructionMisses",
    "BranchInstructions", "BranchMisses", "BusCycles", "CpuClock", "TaskClock", "PageFault", "ContextSwitches",
    "CpuMigrations", "PageFaultsMin", "PageFaultsMax", "AlignmentFaults", "EmulationFaults", "ThreadState",
    "Frames", "Annotations", "SchedSwitch", "SchedWakeup", "Command", "Mmap", "MemUsage", "Emc", "Composite",
    "NvtxEvents", "NvtxCategory", "NvtxMark", "NvtxPushRange", "NvtxPopRange", "NvtxStartRange", "NvtxEndRange",
    "NvtxThread", "PowerRate", "Sched", "CpuCyclesSelf", "CpuCyclesTotal", "CpuCyclesSelfPlus", "Cuda",
    "CudaDevice", "TraceProcess", "TraceFunctions", "Diagnostic", "GlWorkload", "BandwidthUsage", "KhrDebugMark",
    "KhrDebugPushRange", "KhrDebugPopRange", "KhrDebugGpuMark", "KhrDebugGpuPushRange", "KhrDebugGpuPopRange",
    "GpuCtxsw", "NvtxPushPopRange", "NvtxStartEndRange", "ProfTime", "KhrDebugPushPopRange",
    "KhrDebugGpuPushPopRange", "NvtxtCategory", "NvtxtMark", "NvtxtPushRange", "NvtxtPopRange", "NvtxtStartRange",
    "NvtxtEndRange", "NvtxtPushPopRange", "NvtxtStartEndRange", "NvtxtMetaThread", "NvtxtMetaProcess",
    "NvtxtMetaFileDisplay", "NvtxDomainCreate", "NvtxDomainDestroy", "NvnGpuCmdBuf", "TraceVSync",
    "CudaDeviceKernel", "CudaDeviceMemory", "Pmu", "NvnGpuDraw", "NvnGpuCompute", "NvnGpuDebug",
    "OS runtime libraries", "CuDNN", "CuBLAS", "NvMedia", "OpenACC", "Correlation", "DX12", "DX12Workload",
    "PmuRawEvent", "GraphicsFrame", "Vulkan", "VulkanWorkload", "NvtxNameCudaDevice", "NvtxNameCudaContext",
    "NvtxNameCudaStream", "SystemEvent", "GpuMemoryEvent", "DX12CreateObject", "VulkanCreateObject",
    "UnitTraceEvent", "CustomETWEvent", "CudaSyncEvent", "SLIEvent", "CudaBacktrace", "WddmEvent", "DX11",
    "DX11CreateObject", "DXGI", "CudaGraphNodeCreation", "OpenMP", "UncorePmuEvent", "UncorePmuCarmel",
    "CudaDeviceMemoryUsage", "ETWDxgKrnlEvent", "CudaUvmCpuPageFaultEvent", "CudaUvmGpuPageFaultEvent",
    "NICMetricsValuesEvent", "NICMetricsListEvent", "InterruptHandler", "NvEncode", "NVDecode", "nvJPEG",
    "CudaEventRecord", "PerfEventCountEvent", "CudaDeviceMemoryPool", "CudaDeviceGraph", "CudaGraphExecCreation",
    "CudaGraphCreation", "CudaGraphClone", "GpuMemoryTransferEvent", "GlTrace", "GpuVideoEngineWorkload",
    "IBSwitchMetricsValuesEvent", "GenericEvent", "UncorePmuT23xScf", "UncorePmuT23xDsu", "IBSwitchCongestionEvent",
    "CudaDeviceMemcpy", "PerfMetricValueEvent", "OpenXREvent", "TegraInternalEvent", "TraceStartFinish", "Syscall",
    "CudaConfidentialComputeKeyRotation", "CudaGraphExecNodeSetParams", "NvApi", "CudaHostFunc", "CudaApi",
    "Overhead", "CudaOverhead",};

constexpr std::array<std::string_view, 112> kClasses = {
    "CUDA runtime", "CUDA driver", "GL", "TSP overhead", "GL debug", "GL workload", "NVTX start", "NVTX finish",
    "GL start", "GL finish", "CUDA start", "CUDA finish", "CUDA init error", "CUDA EGL driver", "", "", "", "",
    "Vsync", "", "", "", "", "", "", "", "CUDA API", "OSRT runtime", "cuDNN", "cuBLAS", "", "OSRT start",
    "OSRT finish", "cuDNN start", "cuDNN finish", "cuBLAS start", "cuBLAS finish", "Thread block", "NVmedia",
    "NVmedia start", "NVmedia finish", "DX12 API", "DX12 workload", "DX12 start", "DX12 finish", "OpenACC start",
    "OpenACC finish", "OpenACC init error", "OpenACC", "CPU FPS", "GPU FPS", "GL multi-error", "DX12 display",
    "Vulkan API", "Vulkan workload", "Vulkan start", "Vulkan finish", "System event", "GPU memory",
    "DX12 create object", "Vulkan create object", "Custom ETW trace", "SLI", "SLI start", "SLI finish",
    "DX12 debug API", "Vulkan debug API", "CUDA backtrace", "CUDA backtrace start", "CUDA backtrace finish", "WDDM",
    "DX11 API", "DX11 start", "DX11 finish", "DX11 create object", "DX11 debug API", "DX common API",
    "CUDA graph node creation", "OpenMP", "OpenMP start", "OpenMP finish", "NV API", "ETW DXG KRNL", "NVENCODE",
    "NVENCODE start", "NVENCODE finish", "NVDECODE", "NVDECODE start", "NVDECODE finish", "nvJPEG", "nvJPEG start",
    "nvJPEG finish", "DX12 batch workload", "Vulkan batch workload", "CUDA graph exec creation",
    "CUDA graph creation", "CUDA graph clone", "", "OpenCL event", "OpenCL start", "OpenCL finish",
    "OpenCL Init error", "CUDA JIT", "CUDA overhead", "OpenXR event", "OpenXR start", "OpenXR finish", "Syscall",
    "Tegra Internal API", "Tegra Internal API start", "Tegra Internal API finish",
    "CUDA graph exec-node set params",};
// clang-format on

namespace type {
constexpr uint64_t kMarks = 47;
// Category, mark, thread, ranges (push/pop, start/end, those of text files), domain (create, destroy).
constexpr std::array<uint64_t, 9> kNvtx = {33, 34, 39, 59, 60, 70, 71, 75, 76};
}  // namespace type
namespace payload {
constexpr uint32_t kNvtx = 102, kSample = 104, kScheduling = 106, kDevice = 107, kHost = 108, kModule = 109,
                   kDiagnostic = 110, kProcess = 113;
}
namespace device {
constexpr uint32_t kFirstKind = 101;
// By the number of the message that a kind of work has.
constexpr std::array<std::pair<uint32_t, EventTable>, 6> kKinds{{{101, EventTable::kernel},
                                                                 {102, EventTable::memcpy},
                                                                 {103, EventTable::memset},
                                                                 {105, EventTable::synchronization},
                                                                 {106, EventTable::cuda_event},
                                                                 {107, EventTable::graph_trace}}};
}  // namespace device
namespace host {
constexpr uint32_t kClass = 6;
constexpr std::array<std::pair<uint64_t, EventTable>, 13> kClasses{{{0, EventTable::runtime},
                                                                    {1, EventTable::runtime},
                                                                    {3, EventTable::profiler_overhead},
                                                                    {27, EventTable::os_runtime},
                                                                    {28, EventTable::cudnn},
                                                                    {29, EventTable::cublas},
                                                                    {31, EventTable::os_runtime},
                                                                    {32, EventTable::os_runtime},
                                                                    {67, EventTable::runtime},
                                                                    {77, EventTable::graph_node},
                                                                    {94, EventTable::graph},
                                                                    {95, EventTable::graph},
                                                                    {103, EventTable::overhead}}};
constexpr uint64_t kNvtxStart = 6, kCudaInitError = 12, kCudnnStart = 33, kJit = 102;
}  // namespace host
namespace process {
constexpr uint32_t kPath = 5, kName = 6;
}

template <typename Kinds, typename Key>
EventKind row_of(const Kinds& kinds, Key key) {
  for (const auto& [number, table] : kinds) {
    if (number == key) return {Use::row, table};
  }
  return {};
}

EventKind kind_of_device_work(std::string_view work) {
  ProtobufMessage fields(work);
  for (ProtobufField field; fields.next(field);) {
    if (field.number >= device::kFirstKind && field.is_bytes()) return row_of(device::kKinds, field.number);
  }
  return {};
}

/// It comes near the start of the message.
uint64_t class_of_call(std::string_view call) {
  ProtobufMessage fields(call);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == host::kClass && field.is_varint()) return field.integer;
  }
  return 0;
}

EventKind kind_of_call(const EventHead& event) {
  const uint64_t event_class = class_of_call(event.payload);
  const EventKind kind = row_of(host::kClasses, event_class);
  const bool is_mark = event.type == type::kMarks;  // of a tracer; exports show those of two classes as calls
  if (kind.use == Use::row && (!is_mark || kind.table == EventTable::os_runtime)) return kind;
  if (is_mark || (event_class >= host::kNvtxStart && event_class <= host::kCudaInitError) ||
      event_class == host::kCudnnStart || event_class == host::kJit) {
    return {Use::nothing};
  }
  return {};
}

bool is_nvtx(uint64_t type) {
  return std::find(type::kNvtx.begin(), type::kNvtx.end(), type) != type::kNvtx.end();
}

/// Processes without a name and a path are not in an export.
EventKind kind_of_process(std::string_view process) {
  const bool named =
      !protobuf_bytes(process, process::kName).empty() || !protobuf_bytes(process, process::kPath).empty();
  return named ? EventKind{Use::row, EventTable::process} : EventKind{Use::nothing};
}

}  // namespace

std::optional<EventHead> head_of_event(std::string_view event) {
  constexpr uint32_t kType = 1;
  EventHead head;
  ProtobufMessage fields(event);
  const char* start = fields.position();
  for (ProtobufField field; fields.next(field); start = fields.position()) {
    if (field.number == kType && field.is_varint()) {
      head.type = field.integer;
    } else if (field.is_bytes()) {
      head.payload_number = field.number;
      head.payload = field.bytes;
      head.payload_field = start;
    }
  }
  if (fields.damaged() || head.payload_number == 0) return std::nullopt;
  return head;
}

EventKind kind_of_event(const EventHead& event) {
  switch (event.payload_number) {
    case payload::kDevice:
      return kind_of_device_work(event.payload);
    case payload::kHost:
      return kind_of_call(event);
    case payload::kNvtx:
      return is_nvtx(event.type) ? EventKind{Use::row, EventTable::nvtx} : EventKind{};
    case payload::kScheduling:
      return {Use::row, EventTable::scheduling};
    case payload::kSample:
      return {Use::row, EventTable::sample};
    case payload::kDiagnostic:
      return {Use::row, EventTable::diagnostic};
    case payload::kProcess:
      return kind_of_process(event.payload);
    case payload::kModule:
      return {Use::nothing};
    default:
      return {};
  }
}

std::string name_of_event(const EventHead& event) {
  const auto name = [](const auto& names, uint64_t number) {
    const std::string_view known = number < names.size() ? names[to_size(number)] : std::string_view();
    return known.empty() ? std::to_string(number) : std::string(known);
  };
  std::string text = name(kTypes, event.type);
  if (event.payload_number == payload::kHost) {
    text += " (" + name(kClasses, class_of_call(event.payload)) + ")";
  }
  return text;
}

}  // namespace cgpu::nsys
