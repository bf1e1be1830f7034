#include "readers/nsys/payloads.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "base/to_size.h"
#include "readers/common/bytes.h"

namespace cgpu::nsys {

namespace {

constexpr std::string_view kCommunicator = "NCCL communicator ID";
constexpr std::string_view kMessageSize = "Message size [bytes]";
constexpr std::string_view kRanks = "No. of ranks";
// The header of a payload, see payloads.h.
constexpr size_t kSchemaOffset = 8;
constexpr size_t kSchemaSize = 4;
constexpr size_t kHeader = 32;

/// Bytes of a field of NVTX's plain integer types; 0 for others.
uint64_t size_of_type(int64_t type) {
  // char, short, int, long, long long, each signed and unsigned; then of 8, 16, 32 and 64 bits; 22 is size_t.
  static constexpr std::array<uint8_t, 23> sizes = {0, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 1,
                                                    1, 2, 2, 4, 4, 8, 8, 0, 0, 0, 8};
  return type > 0 && static_cast<size_t>(type) < sizes.size() ? sizes[static_cast<size_t>(type)] : 0;
}

std::optional<int64_t> plausible(uint64_t value) {
  return value < uint64_t{1} << 62 ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
}

/// NCCL's functions as the table of collectives calls them; empty for the others.
std::string_view collective_of(std::string_view function) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames = {{
      {"ncclAllReduce", "allreduce"},
      {"ncclAllGather", "allgather"},
      {"ncclReduceScatter", "reduce_scatter"},
      {"ncclAlltoAll", "alltoall"},
      {"ncclBroadcast", "broadcast"},
      {"ncclReduce", "reduce"},
      {"ncclSend", "send_recv"},
      {"ncclRecv", "send_recv"},
  }};
  for (const auto& [name, collective] : kNames) {
    if (function == name) return collective;
  }
  return {};
}

/// What one launch carries out.
struct Work {
  std::string_view name;
  uint64_t communicator = 0;
  int64_t in = 0;
  int64_t out = 0;
  bool known_bytes = true;
  bool mixed = false;  // not one kind of collective on one communicator
};

class Collectives {
 public:
  Collectives(Assembler& assembler, std::vector<NcclRange> ranges) : assembler_(assembler), ranges_(std::move(ranges)) {
    std::stable_sort(ranges_.begin(), ranges_.end(), [](const NcclRange& a, const NcclRange& b) {
      return a.thread != b.thread ? a.thread < b.thread : a.start < b.start;
    });
    for (const NcclRange& range : ranges_) {
      if (range.payload.communicator && range.payload.ranks) {
        ranks_[*range.payload.communicator] = *range.payload.ranks;
      }
    }
    find_work();
  }

  void add() {
    const Timeline& timeline = assembler_.run.timeline;
    // By the key that joins a call and a device op.
    std::unordered_map<int64_t, SliceIndex> calls;
    for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
      if (is_call(timeline.kind(i)) && timeline.slices.correlation[i] != kNoCorrelation) {
        calls.try_emplace(timeline.slices.correlation[i], i);
      }
    }
    for (const SliceIndex op : timeline.device_ops.slice) {
      const auto call = calls.find(timeline.slices.correlation[op]);
      if (call == calls.end() || timeline.slices.correlation[op] == kNoCorrelation) continue;
      if (timeline.name(op).find("nccl") == std::string_view::npos) continue;
      if (const Work* work = work_at(timeline.slices.track[call->second], timeline.slices.start[call->second])) {
        record(op, *work);
      }
    }
  }

 private:
  /// Where launches of one thread carry out `work`.
  struct Place {
    int64_t start;
    int64_t end;
    Work work;
  };

  void find_work() {
    const Timeline& timeline = assembler_.run.timeline;
    std::vector<const NcclRange*> group;
    int depth = 0;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const NcclRange& range = ranges_[i];
      if (i == 0 || ranges_[i - 1].thread != range.thread) {
        group.clear();
        depth = 0;
      }
      const std::string_view name = timeline.names[range.name];
      if (name == "ncclGroupStart") {
        ++depth;
      } else if (name == "ncclGroupEnd") {
        if (depth > 0) --depth;
        if (depth > 0 || group.empty()) continue;
        place(range, group);
        group.clear();
      } else if (!collective_of(name).empty()) {
        if (depth > 0) {
          group.push_back(&range);
        } else {
          place(range, {&range});
        }
      }
    }
  }

  void place(const NcclRange& where, const std::vector<const NcclRange*>& calls) {
    Work work;
    for (const NcclRange* call : calls) add_call(work, *call, call == calls.front());
    places_[assembler_.thread_track(where.thread)].push_back({where.start, where.end, work});
  }

  void add_call(Work& work, const NcclRange& call, bool first) const {
    const std::string_view function = assembler_.run.timeline.names[call.name];
    const std::string_view name = collective_of(function);
    const uint64_t communicator = call.payload.communicator.value_or(0);
    if (first) {
      work.name = name;
      work.communicator = communicator;
    } else if (work.name != name || work.communicator != communicator) {
      work.mixed = true;
    }
    const auto ranks = ranks_.find(communicator);
    const bool needs_ranks = name == "allgather" || name == "reduce_scatter" || name == "alltoall";
    if (!call.payload.bytes || (needs_ranks && ranks == ranks_.end())) {
      work.known_bytes = false;
      return;
    }
    const int64_t bytes = *call.payload.bytes;
    int64_t whole = bytes;
    if (needs_ranks && __builtin_mul_overflow(bytes, ranks->second, &whole)) work.known_bytes = false;
    const int64_t in = name == "reduce_scatter" || name == "alltoall" ? whole : bytes;
    const int64_t out = name == "allgather" || name == "alltoall" ? whole : bytes;
    if (function != "ncclRecv" && __builtin_add_overflow(work.in, in, &work.in)) work.known_bytes = false;
    if (function != "ncclSend" && __builtin_add_overflow(work.out, out, &work.out)) work.known_bytes = false;
  }

  const Work* work_at(TrackIndex track, int64_t time) const {
    const auto found = places_.find(track);
    if (found == places_.end()) return nullptr;
    const std::vector<Place>& places = found->second;
    const auto after =
        std::partition_point(places.begin(), places.end(), [&](const Place& place) { return place.start <= time; });
    if (after == places.begin() || std::prev(after)->end <= time || std::prev(after)->work.mixed) return nullptr;
    return &std::prev(after)->work;
  }

  void record(SliceIndex op, const Work& work) {
    Collective& collective = assembler_.run.timeline.collectives.emplace_back();
    collective.slice = op;
    collective.name = assembler_.names.intern(work.name);
    collective.type = assembler_.names.intern("byte");
    if (work.communicator != 0) {
      std::array<char, 24> text{};
      std::snprintf(text.data(), text.size(), "0x%016llx", static_cast<unsigned long long>(work.communicator));
      collective.group = assembler_.names.intern(text.data());
    }
    const auto ranks = ranks_.find(work.communicator);
    if (ranks != ranks_.end() && ranks->second <= INT32_MAX)
      collective.group_size = static_cast<int32_t>(ranks->second);
    if (!work.known_bytes) return;
    collective.elements_in = work.in;
    collective.elements_out = work.out;
  }

  Assembler& assembler_;
  std::vector<NcclRange> ranges_;
  std::unordered_map<uint64_t, int64_t> ranks_;  // by communicator
  std::unordered_map<TrackIndex, std::vector<Place>> places_;
};

void collect_json(simdjson::dom::element element, NcclPayload& payload) {
  simdjson::dom::object object;
  if (element.get(object)) return;
  for (const simdjson::dom::key_value_pair& field : object) {
    uint64_t value = 0;
    if (field.value.get(value)) {
      collect_json(field.value, payload);
    } else if (field.key == kCommunicator) {
      payload.communicator = value;
    } else if (field.key == kMessageSize) {
      payload.bytes = plausible(value);
    } else if (field.key == kRanks) {
      payload.ranks = plausible(value);
    }
  }
}

}  // namespace

PayloadSchemas::PayloadSchemas(Assembler& assembler) {
  enum { kDomain, kSchema, kType, kName, kOffset };
  assembler.each("NVTX_PAYLOAD_SCHEMA_ENTRIES", {"domainId", "schemaId", "type", "name", "offset"}, [&](Row& row) {
    const uint64_t size = size_of_type(row.integer(kType));
    const std::string_view name = row.text(kName);
    const int64_t offset = row.integer(kOffset);  // null for the first
    if (size == 0 || offset < 0) return;
    std::vector<Field>& fields = fields_[{row.integer(kDomain), row.integer(kSchema)}];
    const auto add = [&](Meaning meaning) { fields.push_back({meaning, static_cast<uint64_t>(offset), size}); };
    if (name == kCommunicator) add(Meaning::communicator);
    if (name == kMessageSize) add(Meaning::bytes);
    if (name == kRanks) add(Meaning::ranks);
  });
}

std::optional<NcclPayload> PayloadSchemas::decode(int64_t domain, std::string_view blob) const {
  if (blob.size() < kHeader) return std::nullopt;
  const auto found =
      fields_.find({domain, static_cast<int64_t>(little_endian(blob.substr(kSchemaOffset, kSchemaSize)))});
  if (found == fields_.end()) return std::nullopt;
  const std::string_view body = blob.substr(kHeader);
  NcclPayload payload;
  for (const Field& field : found->second) {
    if (field.offset > body.size() || field.size > body.size() - field.offset) return std::nullopt;
    const uint64_t value = little_endian(body.substr(to_size(field.offset), to_size(field.size)));
    if (field.meaning == Meaning::communicator) payload.communicator = value;
    if (field.meaning == Meaning::bytes) payload.bytes = plausible(value);
    if (field.meaning == Meaning::ranks) payload.ranks = plausible(value);
  }
  return payload;
}

std::optional<NcclPayload> payload_of_json(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  NcclPayload payload;
  if (parser.parse(simdjson::padded_string(json)).get(element)) return std::nullopt;
  collect_json(element, payload);
  if (!payload.communicator && !payload.bytes) return std::nullopt;
  return payload;
}

void add_collectives(Assembler& assembler, std::vector<NcclRange> ranges) {
  const bool any = std::any_of(ranges.begin(), ranges.end(), [](const NcclRange& range) {
    return range.payload.communicator || range.payload.bytes;
  });
  if (any) Collectives(assembler, std::move(ranges)).add();
}

}  // namespace cgpu::nsys
