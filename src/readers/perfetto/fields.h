// The numbers of the fields that are read. Source: the .proto files of google/perfetto (protos/perfetto/trace/).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "readers/common/protobuf.h"

namespace cgpu::perfetto {

/// Calls use(number) for a repeated number, packed or one by one.
template <typename Use>
void each_varint(const ProtobufField& field, Use use) {
  if (!field.is_bytes()) return use(field.integer);
  std::string_view rest = field.bytes;
  while (!rest.empty()) {
    uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte = 0x80;
    while (byte >= 0x80 && shift < 64 && !rest.empty()) {
      byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      shift += 7;
    }
    if (byte >= 0x80) return;
    use(value);
  }
}
template <typename Use>
void each_fixed64(const ProtobufField& field, Use use) {
  if (!field.is_bytes()) return use(field.integer);
  for (size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
    uint64_t value = 0;
    std::memcpy(&value, field.bytes.data() + at, sizeof value);
    use(value);
  }
}

namespace packet {  // TracePacket
enum : uint32_t {
  kFtraceEvents = 1,
  kProcessTree = 2,
  kTrustedUid = 3,
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTraceConfig = 33,
  kSynchronizationMarker = 36,
  kStateCleared = 41,
  kPreviousPacketDropped = 42,
  kProcessDescriptor = 43,
  kThreadDescriptor = 44,
  kSystemInfo = 45,
  kCompressed = 50,
  kGpuCounterEvent = 52,
  kGpuRenderStageEvent = 53,
  kTimestampClock = 58,
  kDefaults = 59,
  kTrackDescriptor = 60,
  kVulkanApiEvent = 65,
  kTrustedPid = 79,
  kFirstOnSequence = 87,
  kTraceUuid = 89,
  kMachineId = 98,
  kTraceAttributes = 126,
  kGpuInfo = 128,
  kZstdCompressed = 133,
};

/// Whether a field has the wire type that its number has in a trace; true for numbers that are not known.
inline bool has_its_type(const ProtobufField& field) {
  switch (field.number) {
    case kTrustedUid:
    case kTimestamp:
    case kSequenceId:
    case kSequenceFlags:
    case kStateCleared:
    case kPreviousPacketDropped:
    case kTimestampClock:
    case kTrustedPid:
    case kFirstOnSequence:
    case kMachineId:
      return field.is_varint();
    case kFtraceEvents:
    case kProcessTree:
    case kClockSnapshot:
    case kTrackEvent:
    case kInternedData:
    case kTraceConfig:
    case kSynchronizationMarker:
    case kCompressed:
    case kGpuCounterEvent:
    case kGpuRenderStageEvent:
    case kDefaults:
    case kTrackDescriptor:
    case kTraceUuid:
    case kZstdCompressed:
      return field.is_bytes();
    default:
      return true;
  }
}

/// Fields that other messages of messages hardly have.
inline bool tells_a_trace(uint32_t number) {
  switch (number) {
    case kTrustedUid:
    case kTimestamp:
    case kSequenceId:
    case kTrackEvent:
    case kTraceConfig:
    case kSynchronizationMarker:
    case kCompressed:
    case kTrackDescriptor:
    case kTraceUuid:
    case kZstdCompressed:
      return true;
    default:
      return false;
  }
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
enum : uint32_t {
  kEventCategories = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
  kGraphicsContexts = 23,
  kGpuSpecifications = 24,
  kStrings = 29,
  kGpuCounterDescriptors = 47,
  kComputeKernels = 1000,
  kComputeArgNames = 1001,
};
}  // namespace interned

namespace track {  // TrackDescriptor
enum : uint32_t {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParent = 5,
  kCounter = 8,
  kStaticName = 10,
  kAtraceName = 13,
  kSiblingMerge = 15,
};
}  // namespace track

namespace event {  // TrackEvent
enum : uint32_t {
  kTimeDelta = 1,
  kCategoryIids = 3,
  kAnnotations = 4,
  kLegacy = 6,
  kType = 9,
  kNameIid = 10,
  kTrack = 11,
  kExtraCounters = 12,
  kTimeAbsolute = 16,
  kCategories = 22,
  kName = 23,
  kCounterValue = 30,
  kExtraCounterTracks = 31,
  kOldFlows = 36,
  kOldTerminatingFlows = 42,
  kDoubleCounterValue = 44,
  kExtraDoubleCounterTracks = 45,
  kExtraDoubleCounters = 46,
  kFlows = 47,
  kTerminatingFlows = 48,
  kGpuCorrelation = 3000,
};
enum Type : uint64_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
}  // namespace event

namespace legacy {  // TrackEvent.LegacyEvent
enum : uint32_t {
  kNameIid = 1,
  kPhase = 2,
  kDuration = 3,
  kUnscopedId = 6,
  kBindId = 8,
  kLocalId = 10,
  kGlobalId = 11,
  kFlowDirection = 13,
  kPid = 18,
  kTid = 19,
};
}  // namespace legacy

namespace annotation {  // DebugAnnotation
enum : uint32_t {
  kNameIid = 1,
  kBool = 2,
  kUint = 3,
  kInt = 4,
  kDouble = 5,
  kString = 6,
  kPointer = 7,
  kNested = 8,
  kLegacyJson = 9,
  kName = 10,
  kDictionary = 11,
  kArray = 12,
  kStringIid = 17,
};
}  // namespace annotation

namespace stage {  // GpuRenderStageEvent
enum : uint32_t {
  kEventId = 1,
  kDuration = 2,
  kQueueId = 3,
  kStageId = 4,
  kContext = 5,
  kExtraData = 6,
  kSpecifications = 7,
  kSubmission = 10,
  kGpu = 11,
  kQueueIid = 13,
  kStageIid = 14,
  kName = 17,
  kWaits = 18,
  kKernelIid = 19,
  kNameIid = 20,
  kLaunch = 21,
};
}  // namespace stage

}  // namespace cgpu::perfetto
