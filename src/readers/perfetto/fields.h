// The numbers of the fields that are read. Source: the .proto files of google/perfetto (protos/perfetto/trace/).
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "readers/common/protobuf.h"

namespace cgpu::perfetto {

namespace trace {  // Trace
constexpr uint32_t kPacket = 1;
}

namespace packet {  // TracePacket
constexpr uint32_t kFtraceEvents = 1, kProcessTree = 2, kTrustedUid = 3, kClockSnapshot = 6, kSystemStatistics = 7,
                   kTimestamp = 8, kProcessStatistics = 9, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12,
                   kSequenceFlags = 13, kTraceConfig = 33, kFtraceStatistics = 34, kTraceStatistics = 35,
                   kSynchronizationMarker = 36, kProfilePacket = 37, kBattery = 38, kAndroidLog = 39, kPowerRails = 40,
                   kStateCleared = 41, kPreviousPacketDropped = 42, kProcessDescriptor = 43, kThreadDescriptor = 44,
                   kSystemInfo = 45, kTrigger = 46, kPackagesList = 47, kCompressed = 50, kGpuCounterEvent = 52,
                   kGpuRenderStageEvent = 53, kStreamingProfile = 54, kGraphicsFrameEvent = 57, kTimestampClock = 58,
                   kDefaults = 59, kTrackDescriptor = 60, kVulkanApiEvent = 65, kPerfSample = 66, kCpuInfo = 67,
                   kServiceEvent = 69, kExtensionDescriptor = 72, kMemoryTrackerSnapshot = 73, kTrustedPid = 79,
                   kStatsdAtom = 84, kAndroidSystemProperty = 86, kFirstOnSequence = 87, kTraceUuid = 89,
                   kNetworkPacket = 92, kMachineId = 98, kTraceProvenance = 124, kProtoVms = 125,
                   kTraceAttributes = 126, kGpuInfo = 128, kZstdCompressed = 133;

enum SequenceFlags : uint64_t { kIncrementalStateCleared = 1, kNeedsIncrementalState = 2 };

inline bool is_any(uint32_t number, std::initializer_list<uint32_t> numbers) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

/// Whether a field has the wire type that its number has in a trace; true for numbers that are not known.
inline bool has_its_type(const ProtobufField& field) {
  if (is_any(field.number, {kTrustedUid, kTimestamp, kSequenceId, kSequenceFlags, kStateCleared, kPreviousPacketDropped,
                            kTimestampClock, kTrustedPid, kFirstOnSequence, kMachineId})) {
    return field.is_varint();
  }
  const bool is_message =
      is_any(field.number, {kFtraceEvents, kProcessTree, kClockSnapshot, kTrackEvent, kInternedData, kTraceConfig,
                            kSynchronizationMarker, kCompressed, kGpuCounterEvent, kGpuRenderStageEvent, kDefaults,
                            kTrackDescriptor, kTraceUuid, kZstdCompressed});
  return !is_message || field.is_bytes();
}

/// Fields that other messages of messages hardly have.
inline bool tells_a_trace(uint32_t number) {
  return is_any(number, {kTrustedUid, kTimestamp, kSequenceId, kTrackEvent, kTraceConfig, kSynchronizationMarker,
                         kCompressed, kTrackDescriptor, kTraceUuid, kZstdCompressed});
}

/// Packets about the recording itself.
inline bool is_about_recording(uint32_t number) {
  return is_any(number, {kTraceConfig, kFtraceStatistics, kTraceStatistics, kSynchronizationMarker, kTrigger,
                         kPackagesList, kCpuInfo, kServiceEvent, kExtensionDescriptor, kAndroidSystemProperty,
                         kTraceUuid, kTraceProvenance, kProtoVms});
}

/// A sequence over all machines of a trace.
inline uint64_t sequence_key(uint64_t machine, uint64_t sequence) {
  return machine << 32 | (sequence & UINT32_MAX);
}
inline uint64_t sequence_key(std::string_view message) {
  return sequence_key(protobuf_varint(message, kMachineId).value_or(0),
                      protobuf_varint(message, kSequenceId).value_or(0));
}
}  // namespace packet

namespace interned {  // InternedData
constexpr uint32_t kEventCategories = 1, kEventNames = 2, kAnnotationNames = 3, kGraphicsContexts = 23,
                   kGpuSpecifications = 24, kStrings = 29, kGpuCounterDescriptors = 47, kComputeKernels = 1000,
                   kComputeArgNames = 1001;
/// What nearly all of its messages hold: EventName, InternedString, InternedComputeKernel, ...
namespace entry {
constexpr uint32_t kIid = 1, kName = 2;
}
namespace kernel {  // InternedComputeKernel
constexpr uint32_t kDemangledName = 3;
}
namespace counters {  // InternedGpuCounterDescriptor
constexpr uint32_t kDescriptor = 2, kGpu = 3;
}
}  // namespace interned

namespace clock_snapshot {  // ClockSnapshot
constexpr uint32_t kClocks = 1, kPrimaryTraceClock = 2;
}
namespace clock {  // ClockSnapshot.Clock
constexpr uint32_t kId = 1, kTimestamp = 2, kIsIncremental = 3, kUnitMultiplier = 4;
}

namespace process {  // ProcessDescriptor
constexpr uint32_t kPid = 1, kCommandLine = 2, kName = 6;
}
namespace thread {  // ThreadDescriptor
constexpr uint32_t kPid = 1, kTid = 2, kName = 5, kReferenceTimestamp = 6;
}
namespace counter {  // CounterDescriptor
constexpr uint32_t kUnitMultiplier = 4, kIsIncremental = 5;
}

namespace process_tree {  // ProcessTree
constexpr uint32_t kProcesses = 1, kThreads = 2;
namespace process {  // ProcessTree.Process
constexpr uint32_t kPid = 1, kCommandLine = 3;
}
namespace thread {  // ProcessTree.Thread
constexpr uint32_t kTid = 1, kName = 2, kProcess = 3;
}
}  // namespace process_tree

namespace system_info {  // SystemInfo
constexpr uint32_t kUtsname = 1, kTracingServiceVersion = 4, kMachineName = 17;
}
namespace utsname {  // Utsname
constexpr uint32_t kSystem = 1, kRelease = 3, kMachine = 4;
}
namespace trace_attributes {  // TraceAttributes
constexpr uint32_t kAttributes = 1;
}
namespace attribute {  // TraceAttributes.Attribute
constexpr uint32_t kKey = 1, kLong = 2, kString = 3;
}

namespace ftrace_bundle {  // FtraceEventBundle
constexpr uint32_t kCpu = 1, kEvents = 2, kLostEvents = 3, kCompactSched = 4, kClock = 5;
}
namespace compact_sched {  // FtraceEventBundle.CompactSched
constexpr uint32_t kSwitchTimestamp = 1, kSwitchNextPid = 3, kInternTable = 5, kSwitchNextName = 6,
                   kWakingTimestamp = 7;
}
namespace ftrace_event {  // FtraceEvent: when, who, and one of many messages
constexpr uint32_t kTimestamp = 1, kPid = 2, kPrint = 3, kSchedSwitch = 4;
}
namespace ftrace_print {  // PrintFtraceEvent
constexpr uint32_t kText = 2;
}
namespace sched_switch {  // SchedSwitchFtraceEvent
constexpr uint32_t kNextName = 5, kNextPid = 6;
}

namespace track {  // TrackDescriptor
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8, kStaticName = 10,
                   kAtraceName = 13, kSiblingMerge = 15;
enum SiblingMerge : uint64_t { kByTrackName = 1, kNone = 2, kBySiblingMergeKey = 3 };
}  // namespace track

namespace event {  // TrackEvent
constexpr uint32_t kTimeDelta = 1, kCategoryIids = 3, kAnnotations = 4, kLegacy = 6, kType = 9, kNameIid = 10,
                   kTrack = 11, kExtraCounters = 12, kTimeAbsolute = 16, kCategories = 22, kName = 23,
                   kCounterValue = 30, kExtraCounterTracks = 31, kOldFlows = 36, kOldTerminatingFlows = 42,
                   kDoubleCounterValue = 44, kExtraDoubleCounterTracks = 45, kExtraDoubleCounters = 46, kFlows = 47,
                   kTerminatingFlows = 48, kGpuCorrelation = 3000;
enum Type : uint64_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
}  // namespace event

namespace gpu_correlation {  // GpuCorrelation
constexpr uint32_t kSubmissions = 1;
}

namespace legacy {  // TrackEvent.LegacyEvent
constexpr uint32_t kNameIid = 1, kPhase = 2, kDuration = 3, kUnscopedId = 6, kBindId = 8, kLocalId = 10, kGlobalId = 11,
                   kFlowDirection = 13, kPid = 18, kTid = 19;
enum FlowDirection : uint64_t { kFlowIn = 1, kFlowOut = 2, kFlowInOut = 3 };
}  // namespace legacy

namespace annotation {  // DebugAnnotation
constexpr uint32_t kNameIid = 1, kBool = 2, kUint = 3, kInt = 4, kDouble = 5, kString = 6, kPointer = 7, kNested = 8,
                   kLegacyJson = 9, kName = 10, kDictionary = 11, kArray = 12, kStringIid = 17;
}  // namespace annotation

namespace nested {  // DebugAnnotation.NestedValue
constexpr uint32_t kType = 1, kDictionaryKeys = 2, kDictionaryValues = 3, kArrayValues = 4, kInt = 5, kDouble = 6,
                   kBool = 7, kString = 8;
enum Type : uint64_t { kScalar = 0, kDictionary = 1, kArray = 2 };
}  // namespace nested

namespace stage {  // GpuRenderStageEvent
constexpr uint32_t kEventId = 1, kDuration = 2, kQueueId = 3, kStageId = 4, kContext = 5, kExtraData = 6,
                   kSpecifications = 7, kSubmission = 10, kGpu = 11, kQueueIid = 13, kStageIid = 14, kName = 17,
                   kWaits = 18, kKernelIid = 19, kNameIid = 20, kLaunch = 21;
}  // namespace stage

namespace extra_data {  // GpuRenderStageEvent.ExtraData
constexpr uint32_t kName = 1, kValue = 2;
}
namespace specifications {  // GpuRenderStageEvent.Specifications
constexpr uint32_t kQueues = 2, kStages = 3;
}
namespace description {  // GpuRenderStageEvent.Specifications.Description
constexpr uint32_t kName = 1;
}
namespace launch {  // GpuRenderStageEvent.ComputeKernelLaunch
constexpr uint32_t kGridSize = 1, kWorkgroupSize = 2, kArguments = 3;
}
namespace dimensions {  // GpuRenderStageEvent.Dim3
constexpr uint32_t kX = 1, kY = 2, kZ = 3;
}
namespace compute_argument {  // GpuRenderStageEvent.ExtraComputeArg
constexpr uint32_t kNameIid = 1, kName = 2, kInt = 3, kUint = 4, kDouble = 5, kString = 6, kStringIid = 7;
}

namespace counter_event {  // GpuCounterEvent
constexpr uint32_t kDescriptor = 1, kCounters = 2, kGpu = 3, kDescriptorIid = 4;
}
namespace gpu_counter {  // GpuCounterEvent.GpuCounter
constexpr uint32_t kId = 1, kInt = 2, kDouble = 3;
}
namespace counter_descriptor {  // GpuCounterDescriptor
constexpr uint32_t kSpecs = 1;
}
namespace counter_spec {  // GpuCounterDescriptor.GpuCounterSpec
constexpr uint32_t kId = 1, kName = 2;
}

namespace gpu_info {  // GpuInfo
constexpr uint32_t kGpus = 1;
}
namespace gpu {  // GpuInfo.Gpu
constexpr uint32_t kName = 1, kVendor = 2, kExtraInfo = 6;
}
namespace key_value {  // GpuInfo.Gpu.KeyValue
constexpr uint32_t kKey = 1, kValue = 2;
}

namespace vulkan_event {  // VulkanApiEvent
constexpr uint32_t kQueueSubmit = 2;
}
namespace queue_submit {  // VulkanApiEvent.VkQueueSubmit
constexpr uint32_t kDuration = 1, kPid = 2, kTid = 3, kSubmission = 6;
}

}  // namespace cgpu::perfetto
