#include "readers/hpctoolkit/structures.h"

#include <algorithm>

namespace cgpu::hpctoolkit {

namespace {

/// Cuts an array of elements of known size to the file; whether something is missing.
bool clip(const Bytes& file, Array& array) {
  const uint64_t count = array.count;
  array = file.clip(array, array.stride);
  return array.count < count;
}

}  // namespace

std::optional<FileHeader> read_file_header(const Bytes& file, std::string_view format, size_t sections) {
  constexpr std::string_view kStart = "HPCTOOLKIT";
  constexpr uint64_t kFormat = 0x0a, kMajor = 0x0e, kMinor = 0x0f, kSections = 0x10, kSection = 0x10;
  const auto start = file.fields(0, kSections);
  if (!start || file.part(0, kStart.size()) != kStart || file.part(kFormat, format.size()) != format) {
    return std::nullopt;
  }
  FileHeader header{start->u8(kMajor), start->u8(kMinor), std::vector<Section>(sections)};
  for (size_t i = 0; i < sections; ++i) {
    const auto f = file.fields(kSections + kSection * i, kSection);
    if (f) header.sections[i] = {f->u64(0x00), f->u64(0x08)};
  }
  return header;
}

bool has_footer(std::string_view bytes, std::string_view footer) {
  return bytes.ends_with(footer);
}

std::optional<Context> read_context(const Bytes& file, uint64_t at) {
  constexpr uint64_t kWords = 0x20, kWord = 8;
  enum Flags : uint8_t { hasFunction = 1, hasSrcLoc = 2, hasPoint = 4 };
  const auto f = file.fields(at, kWords);
  if (!f) return std::nullopt;
  Context context;
  context.children = {f->u64(0x00), f->u64(0x08)};
  context.context = f->u32(0x10);
  const uint8_t flags = f->u8(0x14);
  context.relation = static_cast<Relation>(f->u8(0x15));
  context.lexical_type = static_cast<LexicalType>(f->u8(0x16));
  const size_t words = f->u8(0x17);
  context.size = kWords + kWord * words;
  if (!file.holds(at, context.size)) return std::nullopt;

  // The words behind the fixed part hold what the flags announce, in this order; two 32-bit values share a word, even
  // where a 64-bit one comes in between.
  size_t next = 0;
  const auto u64 = [&]() -> uint64_t { return next < words ? f->u64(kWords + kWord * next++) : 0; };
  if (flags & hasFunction) context.function = u64();
  if (flags & hasSrcLoc) {
    context.file = u64();
    if (next < words) context.line = f->u32(kWords + kWord * next++);
  }
  if (flags & hasPoint) {
    context.module = u64();
    context.module_offset = u64();
  }
  return context;
}

ProfileInfo::ProfileInfo(const Fields& f, const Bytes& file)
    : values{f.u64(0x08), f.u64(0x00), StoredValue::kEnd},
      contexts{f.u64(0x18), f.u32(0x10), ContextIndex::kEnd},
      identity(f.u64(0x20)),
      is_summary((f.u32(0x28) & 1) != 0) {
  const bool values_cut = clip(file, values);
  cut = clip(file, contexts) || values_cut;
}

std::vector<Identifier> read_identifier_tuple(const Bytes& file, uint64_t at) {
  constexpr uint64_t kMost = 32, kIds = 0x08, kId = 0x10;
  const auto f = at == 0 ? std::nullopt : file.fields(at, kIds);
  if (!f) return {};
  const Array ids = file.clip({at + kIds, std::min<uint64_t>(f->u16(0x00), kMost), kId}, kId);
  std::vector<Identifier> tuple;
  for (uint64_t i = 0; i < ids.count; ++i) {
    const Fields id = file.known_fields(ids[i]);
    const bool is_physical = (id.u16(0x02) & 1) != 0;
    tuple.push_back({id.u8(0x00), is_physical ? id.u64(0x08) : id.u32(0x04)});
  }
  return tuple;
}

ContextTrace::ContextTrace(const Fields& f, const Bytes& file) : profile(f.u32(0x00)) {
  const uint64_t start = f.u64(0x08);
  const uint64_t end = f.u64(0x10);
  elements = {start, end < start ? 0 : (end - start) / TraceElement::kEnd, TraceElement::kEnd};
  cut = clip(file, elements) || end < start;
}

}  // namespace cgpu::hpctoolkit
