#include "session/summary.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/partial_bytes.h"
#include "base/compress.h"
#include "base/decompress.h"
#include "base/file.h"
#include "readers/unread_formats.h"
#include "session/summary_archive.h"

namespace cgpu {

namespace {

/// Goes up with every change of what is written.
constexpr uint32_t kVersion = 1;
/// No summary is as large; what claims to be is not read.
constexpr uint64_t kMostPlainBytes = uint64_t{256} << 20;
constexpr uint64_t kMostFileBytes = uint64_t{64} << 20;

/// The options that are not as they are anyhow.
bool is_default(const WantedTable& wanted) {
  const auto& given = wanted.options.all();
  return std::all_of(given.begin(), given.end(), [&](const auto& each) {
    const auto& options = wanted.analysis->options;
    const auto declared = std::find_if(options.begin(), options.end(),
                                       [&](const TableOption& option) { return option.name == each.first; });
    return declared != options.end() && each.second == std::vector<std::string>{declared->fallback};
  });
}

}  // namespace

std::string summary_to_bytes(const Summary& summary) {
  ByteWriter content;
  content(static_cast<uint64_t>(summary.session.runs.size()));
  for (const Run& run : summary.session.runs) write_run(content, run);
  content(summary.numbers, summary.session.inputs, summary.figures, summary.partials, summary.left_out);
  content(static_cast<uint64_t>(summary.tables.size()));
  for (const Table& table : summary.tables) write_table(content, table);
  const std::string frame = compress_zstd(content.bytes());
  ByteWriter head;
  head(kVersion, static_cast<uint64_t>(content.bytes().size()), static_cast<uint64_t>(frame.size()),
       static_cast<uint64_t>(XXH3_64bits(frame.data(), frame.size())));
  return std::string(kSummaryMagic) + head.bytes() + frame;
}

Summary summary_from_bytes(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kSummaryMagic)) throw Error(name, "is no summary of cgpu");
  bytes.remove_prefix(kSummaryMagic.size());
  ByteReader head(bytes, name);
  uint32_t version = 0;
  head(version);
  if (version != kVersion) {
    throw Error(name, fmt::format("is a summary of version {}, of which this program knows {}: make it again from the "
                                  "profile, or use the program that made it",
                                  version, kVersion));
  }
  uint64_t plain_size = 0;
  uint64_t size = 0;
  uint64_t checksum = 0;
  head(plain_size, size, checksum);
  const std::string_view frame = head.rest();
  if (frame.size() != size || XXH3_64bits(frame.data(), frame.size()) != checksum || plain_size > kMostPlainBytes) {
    throw Error(name, "is damaged: its length or checksum is another; make it again from the profile");
  }
  const auto plain = decompress_zstd(frame, plain_size);
  if (!plain || plain->size() != plain_size) throw Error(name, "is damaged: it does not decompress; make it again");

  return summary_from_content(*plain, name);
}

Summary summary_from_content(std::string_view plain, const std::string& name) {
  ByteReader content(plain, name);
  Summary summary;
  uint64_t count = 0;
  for (content(count); count > 0; --count) summary.session.runs.push_back(read_run(content));
  content(summary.numbers, summary.session.inputs, summary.figures, summary.partials, summary.left_out);
  if (summary.session.runs.empty() || summary.numbers.size() != summary.session.runs.size()) {
    content.fail("holds no runs, or not their numbers");
  }
  for (content(count); count > 0; --count) summary.tables.push_back(read_table(content));
  if (!content.at_end()) content.fail("holds more than it should");
  return summary;
}

bool is_summary(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    std::string head(kSummaryMagic.size(), '\0');
    head.resize(File(path).read_at(0, head.data(), head.size()));
    return head == kSummaryMagic;
  } catch (const Error&) {
    return false;
  }
}

Summary read_summary(const std::string& path) {
  const File file(path);
  if (file.size() > kMostFileBytes) throw Error(path, "is larger than any summary");
  std::string bytes(file.size(), '\0');
  bytes.resize(file.read_at(0, bytes.data(), bytes.size()));
  return summary_from_bytes(bytes, path);
}

std::optional<Summary> summary_of(const OpenOptions& open, const Selection& selection) {
  if (!open.input_format.empty() || open.inputs.size() != 1 || !is_summary(open.inputs[0])) return std::nullopt;
  if (!selection.empty()) {
    throw Error(open.inputs[0], "is a summary of a run, of which no part can be selected: give the profile");
  }
  return read_summary(open.inputs[0]);
}

FoldedSession fold_summary(Summary summary, const std::string& name, const std::vector<WantedTable>& wanted) {
  FoldedSession folded{std::move(summary.session), {}, std::move(summary.numbers)};
  const SessionFacts facts(folded.session);
  const bool has_call_tree = std::any_of(folded.session.runs.begin(), folded.session.runs.end(),
                                         [](const Run& run) { return run.call_tree.has_value(); });
  for (const WantedTable& each : wanted) {
    const Analysis& analysis = *each.analysis;
    check_options(analysis.name, analysis.options, each.options);
    const auto partial = summary.partials.find(analysis.name);
    const auto table = std::find_if(summary.tables.begin(), summary.tables.end(),
                                    [&](const Table& kept) { return kept.name == analysis.name; });
    const bool has_table = table != summary.tables.end();
    if ((partial != summary.partials.end() || has_table) && !is_default(each)) {
      throw Error(name, fmt::format("is a summary, in which table {} is as it comes without options: give the profile "
                                    "for others",
                                    analysis.name));
    }
    if (partial != summary.partials.end()) {
      if (has_call_tree && analysis.subject == Subject::call_tree) {
        throw Error(name, "is damaged: it holds a partial result of a recorded call tree, which no summary has");
      }
      folded.tables.push_back(
          partial_from_bytes(analysis, {}, partial->second, name)->finalize({facts, folded.numbers}));
    } else if (has_table) {
      folded.tables.push_back(*table);
    } else if (each.if_open) {
      folded.tables.push_back(analysis.empty_table());
    } else {
      const bool too_large =
          std::find(summary.left_out.begin(), summary.left_out.end(), analysis.name) != summary.left_out.end();
      throw Error(name,
                  fmt::format("is a summary, which has no table {}{}: give the profile that it was made of",
                              analysis.name, too_large ? " (it was too large)" : ", because that needs the timeline"));
    }
  }
  return folded;
}

}  // namespace cgpu
