// The messages of a Chakra execution trace, by the names and numbers that their schema gives them (et_def.proto of
// mlcommons/chakra): for what reads and what writes them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cgpu::chakra {

namespace global_metadata {  // GlobalMetadata
enum : uint32_t { kVersion = 1, kAttributes = 2 };
}
namespace node {  // Node
enum : uint32_t {
  kId = 1,
  kName = 2,
  kType = 3,
  kControlDependencies = 4,
  kDataDependencies = 5,
  kStartMicroseconds = 6,
  kDurationMicroseconds = 7,
  kInputs = 8,
  kOutputs = 9,
  kAttributes = 10,
};
inline constexpr uint32_t kMostNumber = 20;  // larger ones than any that a version of the schema has
}  // namespace node
enum NodeType : int64_t {
  kMetadata = 1,
  kMemoryLoad = 2,
  kMemoryStore = 3,
  kCompute = 4,
  kSend = 5,
  kReceive = 6,
  kCollective = 7,
  kStorage = 8,
};
/// CollectiveCommType, by its numbers.
inline constexpr std::array<std::string_view, 10> kCollectiveTypes{
    "all_reduce", "reduce",         "all_gather",           "gather", "scatter", "broadcast",
    "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"};
namespace io_info {  // IOInfo
enum : uint32_t { kValues = 1, kShapes = 2, kTypes = 3 };
}
/// AttributeProto. Each type of a number is followed by the list of such numbers, which has the next field.
namespace attribute {
enum : uint32_t {
  kName = 1,
  kInt32 = 7,
  kInt64 = 9,
  kUint64 = 13,
  kSint32 = 15,
  kSint64 = 17,
  kBool = 27,
  kString = 29
};
}

}  // namespace cgpu::chakra
