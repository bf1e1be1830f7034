#include "analysis/partial_bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cgpu {

namespace {

/// What partial results of version 9 of summaries begin with; no message does.
constexpr std::string_view kPositionalMagic = "cgpu partial\n";
constexpr uint32_t kPositionalVersion = 2;

/// Throws Error for the partial result of another table, or of other options.
void check_is_of(const Analysis& analysis, const TableOptions& options, const std::string& table,
                 const std::map<std::string, std::vector<std::string>>& given, const std::string& name) {
  if (table == analysis.name && given == options.all()) return;
  throw Error(name, "is no partial result of table " + analysis.name + " with the options that it is asked for with");
}

/// What the analysis keeps, as version 9 has it behind name, options, size and checksum.
std::string_view positional_content(const Analysis& analysis, const TableOptions& options, std::string_view bytes,
                                    const std::string& name) {
  PositionalReader head(bytes.substr(kPositionalMagic.size()), name);
  uint32_t version = 0;
  std::string table;
  std::map<std::string, std::vector<std::string>> given;
  uint64_t size = 0;
  uint64_t checksum = 0;
  head(version);
  if (version != kPositionalVersion) head.fail("holds a partial result of another version than 2");
  head(table, given, size, checksum);
  check_is_of(analysis, options, table, given, name);
  const std::string_view kept = head.rest();
  if (kept.size() != size || XXH3_64bits(kept.data(), kept.size()) != checksum) {
    throw Error(name, "is damaged: its length or checksum is another; make it again");
  }
  return kept;
}

}  // namespace

std::string partial_to_bytes(const Analysis& analysis, const TableOptions& options, const Partial& partial,
                             bool reduced) {
  MessageWriter message(reduced);
  message(analysis.name, options.all());
  partial.save(message);
  return message.take();
}

std::unique_ptr<Partial> partial_from_bytes(const Analysis& analysis, const TableOptions& options,
                                            std::string_view bytes, const std::string& name, bool reduced) {
  std::unique_ptr<Partial> partial = analysis.fold(analysis, options);
  if (bytes.starts_with(kPositionalMagic)) {
    PositionalReader content(positional_content(analysis, options, bytes, name), name, reduced);
    partial->load(content);
    if (!content.at_end()) content.fail("holds more than it should");
    return partial;
  }
  MessageReader message(bytes, name, reduced);
  std::string table;
  std::map<std::string, std::vector<std::string>> given;
  message(table, given);
  check_is_of(analysis, options, table, given, name);
  partial->load(message);
  return partial;
}

}  // namespace cgpu
