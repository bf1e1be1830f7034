// What NCCL writes into its NVTX ranges: communicator, message size, number of ranks.
//
// A payload is a blob of 32 bytes (u32 domain, u32, u32 schema, u32, u64 bytes that follow, u64 bytes in all) and the
// fields of the schema at their offsets, or JSON with the same names, in exports that were asked for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/nsys/assembler.h"

namespace cgpu::nsys {

struct NcclPayload {
  std::optional<uint64_t> communicator;
  std::optional<int64_t> bytes;
  std::optional<int64_t> ranks;
};

class PayloadSchemas {
 public:
  explicit PayloadSchemas(Assembler& assembler);
  /// Whether payloads of this file can be read at all.
  bool empty() const { return fields_.empty(); }
  /// Empty where the blob is none of NCCL's, or does not fit its schema.
  std::optional<NcclPayload> decode(int64_t domain, std::string_view blob) const;

 private:
  enum class Meaning : uint8_t { communicator, bytes, ranks };
  struct Field {
    Meaning meaning;
    uint64_t offset;
    uint64_t size;
  };
  std::map<std::pair<int64_t, int64_t>, std::vector<Field>> fields_;  // by domain and schema
};

/// The same from JSON text.
std::optional<NcclPayload> payload_of_json(std::string_view json);

/// A range of NCCL on a host thread.
struct NcclRange {
  int64_t thread;
  int64_t start;
  int64_t end;
  StringId name;  // "ncclAllReduce"
  NcclPayload payload;
};

/// Tells the device ops that were launched in these ranges what collective they are: in the call's own range, or, of
/// calls that were grouped, in the end of the group, where all calls of the group have one communicator. Call when
/// kernels and calls have been read. O(n log n) in the ranges, O(n) in the slices.
void add_collectives(Assembler& assembler, std::vector<NcclRange> ranges);

}  // namespace cgpu::nsys
