#include "analysis/partial_bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cgpu {

namespace {
/// Goes up with every change of what an analysis keeps.
constexpr uint32_t kVersion = 2;
constexpr std::string_view kMagic = "cgpu partial\n";
}  // namespace

std::string partial_to_bytes(const Analysis& analysis, const TableOptions& options, const Partial& partial,
                             bool reduced) {
  ByteWriter content(reduced);
  partial.save(content);
  const std::string& kept = content.bytes();
  ByteWriter head;
  head(kVersion, analysis.name, options.all(), static_cast<uint64_t>(kept.size()),
       static_cast<uint64_t>(XXH3_64bits(kept.data(), kept.size())));
  return std::string(kMagic) + head.bytes() + kept;
}

std::unique_ptr<Partial> partial_from_bytes(const Analysis& analysis, const TableOptions& options,
                                            std::string_view bytes, const std::string& name, bool reduced) {
  if (!bytes.starts_with(kMagic)) throw Error(name, "is no partial result of cgpu");
  bytes.remove_prefix(kMagic.size());
  ByteReader head(bytes, name);
  uint32_t version = 0;
  head(version);
  if (version != kVersion) throw Error(name, "was written by another version of cgpu; make it again");
  std::string table;
  std::map<std::string, std::vector<std::string>> given;
  uint64_t size = 0;
  uint64_t checksum = 0;
  head(table, given, size, checksum);
  if (table != analysis.name || given != options.all()) {
    throw Error(name, "is a partial result of table " + table + " with its options, not of the one asked for");
  }
  const std::string_view kept = head.rest();
  if (kept.size() != size || XXH3_64bits(kept.data(), kept.size()) != checksum) {
    throw Error(name, "is damaged: its length or checksum is another; make it again");
  }
  std::unique_ptr<Partial> partial = analysis.fold(analysis, options);
  ByteReader content(kept, name, reduced);
  partial->load(content);
  if (!content.at_end()) content.fail("holds more than it should");
  return partial;
}

}  // namespace cgpu
