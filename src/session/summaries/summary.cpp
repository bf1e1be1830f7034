#include "session/summaries/summary.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include "base/compress.h"
#include "base/decompress.h"
#include "base/natural_order.h"
#include "base/number_ranges.h"
#include "base/remote_file.h"
#include "base/to_size.h"
#include "readers/unread_formats.h"
#include "session/summaries/summary_messages.h"

namespace cgpu {

uint64_t checksum_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

namespace {

/// Of the file around the messages. What they hold may grow without another version (base/message.h).
constexpr uint8_t kVersion = 10;
/// The last one without field numbers (base/positional_reader.h).
constexpr uint8_t kPositionalVersion = 9;
/// No index, no tables and no record are as large; what claims to be is not read.
constexpr uint64_t kMostIndexBytes = uint64_t{256} << 20;
constexpr uint64_t kMostRecordBytes = uint64_t{64} << 20;
/// Version, length, sizes and checksum of the index, each of eleven bytes at most.
constexpr size_t kMostHeadBytes = 40;

/// The order of the runs, whatever order they came in.
bool is_before(const Summary::Entry& a, const Summary::Entry& b) {
  if (a.rank_known != b.rank_known) return a.rank_known;
  if (a.rank_known && a.rank != b.rank) return a.rank < b.rank;
  if (a.file != b.file) return natural_less(a.file, b.file);
  return std::tie(a.checksum, a.size) < std::tie(b.checksum, b.size);
}
bool is_same(const Summary::Entry& a, const Summary::Entry& b) {
  return a.checksum == b.checksum && a.size == b.size;
}

/// Version 9 knew one only.
template <typename Archive>
void encoding_member(Archive& archive, RecordEncoding& encoding) {
  if constexpr (Archive::kIsPositional) {
    encoding = RecordEncoding::positional;
  } else {
    archive(encoding);
    if constexpr (!Archive::kIsWriting) {
      if (encoding > RecordEncoding::positional) archive.fail("holds a record of no known encoding");
    }
  }
}

/// What the index holds of the finished tables.
struct TablesInIndex {
  uint64_t size = 0;  // 0: there are none
  uint64_t plain_size = 0;
  uint64_t checksum = 0;
  RecordEncoding encoding = RecordEncoding::message;

  template <typename Archive>
  void members(Archive& archive) {
    archive(size, plain_size, checksum);
    encoding_member(archive, encoding);
  }
};

struct Index {
  std::vector<Summary::Entry> runs;
  std::vector<std::string> damaged;
  TablesInIndex tables;

  template <typename Archive>
  void members(Archive& archive) {
    each_element(archive, runs, [&](Summary::Entry& entry) {
      archive(entry.rank_known, entry.rank, entry.world_size, entry.file, entry.size, entry.checksum);
      encoding_member(archive, entry.encoding);
    });
    archive(damaged, tables);
  }
};

/// Where the index lies, and what it holds.
struct Head {
  uint64_t plain_size = 0;  // of the index
  uint64_t size = 0;        // of its frame
  uint64_t checksum = 0;    // of its frame

  template <typename Archive>
  void members(Archive& archive) {
    archive(plain_size, size, checksum);
  }
};

std::string head_of(Index index) {
  MessageWriter content;
  content(index);
  const std::string frame = compress_zstd(content.bytes());
  MessageWriter head;
  head(Head{content.bytes().size(), frame.size(), checksum_of(frame)});
  std::string bytes(kSummaryMagic);
  bytes += static_cast<char>(kVersion);
  bytes += static_cast<char>(head.bytes().size());
  return bytes + head.bytes() + frame;
}

}  // namespace

std::string finished_name(const std::string& table, const TableOptions& options) {
  std::string name = table;
  for (const auto& [option, values] : options.all()) {
    name += fmt::format(" --{} {}", option, fmt::join(values, ","));
  }
  return name;
}

std::string summary_to_bytes(const std::vector<RunRecord>& runs, const FinishedTables& finished) {
  std::vector<std::pair<Summary::Entry, std::string>> records;
  for (const RunRecord& run : runs) {
    std::string bytes = record_to_bytes(run);
    Summary::Entry entry{.rank_known = run.run.rank_known,
                         .rank = run.run.rank_known ? run.run.rank : 0,
                         .world_size = run.run.world_size,
                         .file = run.run.file,
                         .size = bytes.size(),
                         .checksum = checksum_of(bytes)};
    records.emplace_back(std::move(entry), std::move(bytes));
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return is_before(a.first, b.first); });
  const auto same = [](const auto& a, const auto& b) { return is_same(a.first, b.first); };
  records.erase(std::unique(records.begin(), records.end(), same), records.end());
  MessageWriter tables;
  tables.each(finished.tables.size(), [&](size_t i) { write_table(tables, finished.tables[i]); });
  tables(finished.left_out);
  const std::string frame = compress_zstd(tables.bytes());
  Index index;
  for (const auto& [entry, bytes] : records) index.runs.push_back(entry);
  index.tables = {frame.size(), tables.bytes().size(), checksum_of(frame)};
  std::string all = head_of(std::move(index));
  for (const auto& [entry, bytes] : records) all += bytes;
  return all + frame;
}

std::string Summary::read(uint32_t source, uint64_t position, uint64_t size) const {
  const Source& from = sources_[source];
  if (from.bytes) return from.bytes->substr(to_size(position), to_size(size));
  std::string bytes(to_size(size), '\0');
  bytes.resize(open_file(from.name)->read_at(position, bytes.data(), bytes.size()));
  return bytes;
}

Summary summary_from(const std::string& name, std::shared_ptr<const std::string> bytes) {
  Summary summary;
  summary.sources_.push_back({name, bytes});
  const uint64_t file_size = bytes ? bytes->size() : open_file(name)->size();
  const std::string begin = summary.read(0, 0, std::min<uint64_t>(file_size, kSummaryMagic.size() + kMostHeadBytes));
  if (!begin.starts_with(kSummaryMagic)) throw Error(name, "is no summary of cgpu");
  const auto damaged = [&](const char* what) -> Error {
    return {name, fmt::format("is damaged: {}; make it again from the profile", what)};
  };
  std::string_view left = std::string_view(begin).substr(kSummaryMagic.size());
  const auto next_byte = [&] {
    if (left.empty()) throw damaged("it ends too early");
    const auto byte = static_cast<uint8_t>(left.front());
    left.remove_prefix(1);
    return byte;
  };
  const uint8_t version = next_byte();
  if (version != kVersion && version != kPositionalVersion) {
    throw Error(name, fmt::format("is a summary of version {}; this program knows {} and {}: {}", version,
                                  kPositionalVersion, kVersion,
                                  version > kVersion ? "use a newer cgpu, or make it again from the profile"
                                                     : "make it again from the profile"));
  }
  Head head;
  if (version == kVersion) {
    const uint8_t size = next_byte();
    MessageReader(left.substr(0, size), name)(head);
    left.remove_prefix(std::min<size_t>(size, left.size()));
  } else {
    PositionalReader reader(left, name);
    reader(head);
    left = reader.rest();
  }
  const uint64_t index_begin = begin.size() - left.size();
  if (head.plain_size > kMostIndexBytes || head.size > file_size - index_begin) throw damaged("its length is another");
  const std::string frame = summary.read(0, index_begin, head.size);
  if (frame.size() != head.size || checksum_of(frame) != head.checksum) {
    throw damaged("the checksum of its index is another");
  }
  const auto plain = decompress_zstd(frame, to_size(head.plain_size));
  if (!plain || plain->size() != head.plain_size) throw damaged("its index does not decompress");

  Index index;
  if (version == kVersion) {
    MessageReader(*plain, name)(index);
  } else {
    PositionalReader reader(*plain, name);
    reader(index);
    if (!reader.at_end()) reader.fail("holds more than it should");
  }
  uint64_t position = index_begin + head.size;
  const auto place = [&](uint64_t length) {
    const uint64_t begins = position;
    if (length > kMostRecordBytes || length > file_size - position) throw damaged("its length is another");
    position += length;
    return begins;
  };
  for (Summary::Entry& entry : index.runs) entry.position = place(entry.size);
  if (index.runs.empty()) throw damaged("it holds no runs");
  const auto unordered = std::adjacent_find(index.runs.begin(), index.runs.end(),
                                            [](const auto& a, const auto& b) { return !is_before(a, b); });
  if (unordered != index.runs.end()) throw damaged("its runs are not in order");
  summary.runs_ = std::move(index.runs);
  summary.damaged_ = std::move(index.damaged);
  const TablesInIndex& tables = index.tables;
  if (tables.size > 0) {
    if (tables.plain_size > kMostIndexBytes) throw damaged("its tables are larger than any");
    summary.tables_ = {0, place(tables.size), tables.size, tables.plain_size, tables.checksum, tables.encoding};
  }
  if (position != file_size) throw damaged("its length is another");
  return summary;
}

Summary summary_from_bytes(std::string bytes, const std::string& name) {
  return summary_from(name, std::make_shared<const std::string>(std::move(bytes)));
}

Summary read_summary(const std::string& path) {
  return summary_from(path, nullptr);
}

std::string Summary::record(size_t run) const {
  const Entry& entry = runs_[run];
  std::string bytes = read(entry.source, entry.position, entry.size);
  if (bytes.size() != entry.size || checksum_of(bytes) != entry.checksum) {
    throw Error(source_of(run),
                fmt::format("is damaged: its length or checksum is another in what it keeps of {}; make it again from "
                            "the profile",
                            entry.file));
  }
  return bytes;
}

std::string Summary::tables_frame() const {
  std::string frame = read(tables_->source, tables_->position, tables_->size);
  if (frame.size() == tables_->size && checksum_of(frame) == tables_->checksum) return frame;
  throw Error(sources_[tables_->source].name,
              "is damaged: the checksum of its tables is another; make it again from the profile");
}

FinishedTables Summary::finished() const {
  FinishedTables finished;
  if (!tables_) return finished;
  const std::string& name = sources_[tables_->source].name;
  const std::string frame = tables_frame();
  const auto plain = decompress_zstd(frame, to_size(tables_->plain_size));
  if (!plain || plain->size() != tables_->plain_size) throw Error(name, "is damaged: its tables do not decompress");
  if (tables_->encoding == RecordEncoding::message) {
    MessageReader message(*plain, name);
    message.each(0, [&](size_t) { finished.tables.push_back(read_table(message)); });
    message(finished.left_out);
  } else {
    PositionalReader bytes(*plain, name);
    bytes.each(0, [&](size_t) { finished.tables.push_back(read_table(bytes)); });
    bytes(finished.left_out);
    if (!bytes.at_end()) bytes.fail("holds more than it should");
  }
  return finished;
}

void Summary::add_damaged(const std::string& file) {
  const auto at = std::lower_bound(damaged_.begin(), damaged_.end(), file);
  if (at == damaged_.end() || *at != file) damaged_.insert(at, file);
}

void Summary::leave_out_damaged(bool strict, const std::function<void(const std::string&)>& warn) {
  if (tables_) tables_frame();
  std::vector<Entry> whole;
  std::vector<std::pair<std::string, Error>> damaged;
  for (size_t run = 0; run < runs_.size(); ++run) {
    try {
      record(run);
      whole.push_back(runs_[run]);
    } catch (const Error& error) {
      if (strict) throw;
      damaged.emplace_back(runs_[run].file, error);
    }
  }
  if (whole.empty()) throw Error(damaged.front().second);
  if (damaged.empty()) return;
  for (const auto& [file, error] : damaged) {
    if (warn) warn(std::string("left out: ") + error.what());
    add_damaged(file);
  }
  tables_.reset();
  runs_ = std::move(whole);
}

Summary united(const std::vector<Summary>& parts) {
  Summary all;
  for (const Summary& part : parts) {
    const auto first_source = static_cast<uint32_t>(all.sources_.size());
    all.sources_.insert(all.sources_.end(), part.sources_.begin(), part.sources_.end());
    for (Summary::Entry entry : part.runs_) {
      entry.source += first_source;
      all.runs_.push_back(std::move(entry));
    }
    all.repeated_ += part.repeated_;
    for (const std::string& file : part.damaged_) all.add_damaged(file);
  }
  const size_t given = all.runs_.size();
  std::sort(all.runs_.begin(), all.runs_.end(), is_before);
  all.runs_.erase(std::unique(all.runs_.begin(), all.runs_.end(), is_same), all.runs_.end());
  all.repeated_ += given - all.runs_.size();
  // Tables are of the runs that they were made of. Of two that are of the same runs the choice must not depend on which
  // came first.
  uint32_t first_source = 0;
  for (const Summary& part : parts) {
    const auto key = [](const Summary::Tables& tables) { return std::tie(tables.plain_size, tables.checksum); };
    if (part.tables_ && part.runs_.size() == all.runs_.size() &&
        (!all.tables_ || key(*all.tables_) < key(*part.tables_))) {
      all.tables_ = part.tables_;
      all.tables_->source += first_source;
    }
    first_source += static_cast<uint32_t>(part.sources_.size());
  }
  return all;
}

void write_summary(std::ostream& out, const Summary& summary) {
  Index index{summary.runs_, summary.damaged_, {}};
  if (summary.tables_) {
    index.tables = {summary.tables_->size, summary.tables_->plain_size, summary.tables_->checksum,
                    summary.tables_->encoding};
  }
  out << head_of(std::move(index));
  for (size_t run = 0; run < summary.runs_.size(); ++run) out << summary.record(run);
  if (summary.tables_) out << summary.tables_frame();
}

std::string missing_ranks(const Summary& summary) {
  constexpr size_t kShown = 20;
  std::set<int64_t> seen;
  std::optional<int64_t> size;
  for (const Summary::Entry& entry : summary.runs()) {
    if (!entry.rank_known) return "";
    seen.insert(entry.rank);
    if (entry.world_size) size = std::max(size.value_or(0), *entry.world_size);
  }
  return ranges_text(missing_numbers(seen, size.value_or(0)), kShown);
}

}  // namespace cgpu
