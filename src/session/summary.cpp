#include "session/summary.h"

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
#include "base/served_file.h"
#include "readers/unread_formats.h"
#include "session/summary_archive.h"

namespace cgpu {

uint64_t checksum_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

namespace {

/// Goes up with every change of what is written.
constexpr uint32_t kVersion = 9;
/// No index, no tables and no record are as large; what claims to be is not read.
constexpr uint64_t kMostIndexBytes = uint64_t{256} << 20;
constexpr uint64_t kMostRecordBytes = uint64_t{64} << 20;
/// Version, sizes and checksum of the index, each of ten bytes at most.
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

/// What the index holds of the finished tables.
struct TablesInIndex {
  uint64_t size = 0;  // 0: there are none
  uint64_t plain_size = 0;
  uint64_t checksum = 0;
};

template <typename Archive, typename Entry>
void entry_members(Archive& archive, Entry& entry) {
  archive(entry.rank_known, entry.rank, entry.world_size, entry.file, entry.size, entry.checksum);
}

std::string head_of(const std::vector<Summary::Entry>& runs, const std::vector<std::string>& damaged,
                    const TablesInIndex& tables) {
  ByteWriter index;
  index(static_cast<uint64_t>(runs.size()));
  for (const Summary::Entry& entry : runs) entry_members(index, entry);
  index(damaged, tables.size, tables.plain_size, tables.checksum);
  const std::string frame = compress_zstd(index.bytes());
  ByteWriter head;
  head(kVersion, static_cast<uint64_t>(index.bytes().size()), static_cast<uint64_t>(frame.size()), checksum_of(frame));
  return std::string(kSummaryMagic) + head.bytes() + frame;
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
    Summary::Entry entry{run.run.rank_known, run.run.rank_known ? run.run.rank : 0,
                         run.run.world_size, run.run.file,
                         bytes.size(),       checksum_of(bytes)};
    records.emplace_back(std::move(entry), std::move(bytes));
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return is_before(a.first, b.first); });
  const auto same = [](const auto& a, const auto& b) { return is_same(a.first, b.first); };
  records.erase(std::unique(records.begin(), records.end(), same), records.end());
  ByteWriter tables;
  tables(static_cast<uint64_t>(finished.tables.size()));
  for (const Table& table : finished.tables) write_table(tables, table);
  tables(finished.left_out);
  const std::string frame = compress_zstd(tables.bytes());
  std::vector<Summary::Entry> entries;
  for (const auto& [entry, bytes] : records) entries.push_back(entry);
  std::string all = head_of(entries, {}, {frame.size(), tables.bytes().size(), checksum_of(frame)});
  for (const auto& [entry, bytes] : records) all += bytes;
  return all + frame;
}

std::string Summary::read(uint32_t source, uint64_t position, uint64_t size) const {
  const Source& from = sources_[source];
  if (from.bytes) return from.bytes->substr(position, size);
  std::string bytes(size, '\0');
  bytes.resize(open_file(from.name)->read_at(position, bytes.data(), bytes.size()));
  return bytes;
}

Summary summary_from(const std::string& name, std::shared_ptr<const std::string> bytes) {
  Summary summary;
  summary.sources_.push_back({name, bytes});
  const uint64_t file_size = bytes ? bytes->size() : open_file(name)->size();
  const std::string begin = summary.read(0, 0, std::min<uint64_t>(file_size, kSummaryMagic.size() + kMostHeadBytes));
  if (!begin.starts_with(kSummaryMagic)) throw Error(name, "is no summary of cgpu");
  ByteReader head(std::string_view(begin).substr(kSummaryMagic.size()), name);
  uint32_t version = 0;
  head(version);
  if (version != kVersion) {
    throw Error(name, fmt::format("is a summary of version {}, of which this program knows {}: make it again from the "
                                  "profile, or use the program that made it",
                                  version, kVersion));
  }
  const auto damaged = [&](const char* what) -> Error {
    return {name, fmt::format("is damaged: {}; make it again from the profile", what)};
  };
  uint64_t plain_size = 0;
  uint64_t size = 0;
  uint64_t checksum = 0;
  head(plain_size, size, checksum);
  const uint64_t index_begin = begin.size() - head.rest().size();
  if (plain_size > kMostIndexBytes || size > file_size - index_begin) throw damaged("its length is another");
  const std::string frame = summary.read(0, index_begin, size);
  if (frame.size() != size || checksum_of(frame) != checksum) throw damaged("the checksum of its index is another");
  const auto plain = decompress_zstd(frame, plain_size);
  if (!plain || plain->size() != plain_size) throw damaged("its index does not decompress");

  ByteReader index(*plain, name);
  uint64_t count = 0;
  uint64_t position = index_begin + size;
  const auto place = [&](uint64_t length) {
    const uint64_t begins = position;
    if (length > kMostRecordBytes || length > file_size - position) throw damaged("its length is another");
    position += length;
    return begins;
  };
  for (index(count); count > 0; --count) {
    Summary::Entry& entry = summary.runs_.emplace_back();
    entry_members(index, entry);
    entry.position = place(entry.size);
    if (summary.runs_.size() > 1 && !is_before(summary.runs_[summary.runs_.size() - 2], entry)) {
      index.fail("holds runs that are not in order");
    }
  }
  if (summary.runs_.empty()) index.fail("holds no runs");
  TablesInIndex tables;
  index(summary.damaged_, tables.size, tables.plain_size, tables.checksum);
  if (!index.at_end()) index.fail("holds more than it should");
  if (tables.size > 0) {
    if (tables.plain_size > kMostIndexBytes) throw damaged("its tables are larger than any");
    summary.tables_ = {0, place(tables.size), tables.size, tables.plain_size, tables.checksum};
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
  const auto plain = decompress_zstd(frame, tables_->plain_size);
  if (!plain || plain->size() != tables_->plain_size) throw Error(name, "is damaged: its tables do not decompress");
  ByteReader bytes(*plain, name);
  uint64_t count = 0;
  for (bytes(count); count > 0; --count) finished.tables.push_back(read_table(bytes));
  bytes(finished.left_out);
  if (!bytes.at_end()) bytes.fail("holds more than it should");
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
  TablesInIndex tables;
  if (summary.tables_) tables = {summary.tables_->size, summary.tables_->plain_size, summary.tables_->checksum};
  out << head_of(summary.runs_, summary.damaged_, tables);
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
