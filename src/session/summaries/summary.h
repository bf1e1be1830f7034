// A summary: the file (.cgpu) that is kept of a session. It is an input like any profile, but without a timeline; a
// baseline for the gate; a part of the merged summary of thousands of ranks.
//
// A summary is a set of records, one a run (run_record.h), and the finished tables that cannot be made of them. To
// merge summaries is to unite the sets: a record is never changed, and their order is that of the ranks. The bytes are
// therefore the same in whatever order and grouping summaries are merged. The records stay in the files until they are
// asked for: a merge takes about 2 kB a run.
//
// The file is a head, an index of the records with their checksums, the records, the tables; docs/formats/cgpu.md has
// it in detail. What a later version of the program adds to these messages is skipped, and what an earlier one did not
// have is absent: the version of the file stays. The file is not trusted: sizes are bounded before anything is
// allocated, and checksums are compared before contents are used.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/table_options.h"
#include "session/open_options.h"
#include "session/selection/selection.h"
#include "session/summaries/run_record.h"
#include "table/table.h"

namespace cgpu {

/// Tables over all runs of a summary that were seen together.
struct FinishedTables {
  std::vector<Table> tables;          // called finished_name
  std::vector<std::string> left_out;  // those that would have been too large
};

/// What a finished table is called that was made with options (Analysis::also_kept), like "imbalance --by function".
std::string finished_name(const std::string& table, const TableOptions& options);

class Summary {
 public:
  /// A run as the index has it.
  struct Entry {
    bool rank_known = false;
    int64_t rank = 0;
    std::optional<int64_t> world_size;
    std::string file;  // of the profile; of its folders the last one, where that tells profiles apart, else none
    uint64_t size = 0;
    uint64_t checksum = 0;  // XXH3 of the record
    RecordEncoding encoding = RecordEncoding::message;
    // Where it lies:
    uint32_t source = 0;
    uint64_t position = 0;
  };

  /// In the order of the ranks, those without a rank last.
  const std::vector<Entry>& runs() const { return runs_; }
  /// Files that could not be read when this was put together, by name.
  const std::vector<std::string>& damaged() const { return damaged_; }
  /// Records that were given several times, without the first of each.
  size_t repeated() const { return repeated_; }
  /// The bytes of a record. Throws Error where they are damaged.
  std::string record(size_t run) const;
  /// Reads a record, with bytes of its own as `record`.
  RecordReader reader_of(size_t run, const std::string& record) const {
    return {record, runs_[run].encoding, source_of(run)};
  }
  /// The file that a record lies in.
  const std::string& source_of(size_t run) const { return sources_[runs_[run].source].name; }
  /// Of all runs together; none where summaries of other runs have come to them. Throws Error.
  FinishedTables finished() const;

  /// Leaves out the runs whose records are damaged: warns and counts them, or throws Error where `strict`, where none
  /// is left, and where the finished tables are damaged. Reads everything once.
  void leave_out_damaged(bool strict, const std::function<void(const std::string&)>& warn);
  void add_damaged(const std::string& file);

 private:
  struct Source {
    std::string name;
    std::shared_ptr<const std::string> bytes;  // null: those of the file of this name
  };
  struct Tables {
    uint32_t source = 0;
    uint64_t position = 0;
    uint64_t size = 0;
    uint64_t plain_size = 0;
    uint64_t checksum = 0;
    RecordEncoding encoding = RecordEncoding::message;
  };
  std::string read(uint32_t source, uint64_t position, uint64_t size) const;
  std::string tables_frame() const;

  friend Summary summary_from(const std::string& name, std::shared_ptr<const std::string> bytes);
  friend Summary united(const std::vector<Summary>& parts);
  friend void write_summary(std::ostream& out, const Summary& summary);

  std::vector<Entry> runs_;
  std::vector<Source> sources_;
  std::optional<Tables> tables_;
  std::vector<std::string> damaged_;
  size_t repeated_ = 0;
};

uint64_t checksum_of(std::string_view bytes);  // XXH3

/// The whole file of these runs and tables.
std::string summary_to_bytes(const std::vector<RunRecord>& runs, const FinishedTables& finished);
/// Also of a file of version 9. Throws Error, beginning with `name`, for bytes of other versions and for damaged ones,
/// as far as head and index say.
Summary summary_from_bytes(std::string bytes, const std::string& name);
/// The same of a file, whose records are read when they are asked for.
Summary read_summary(const std::string& path);
/// All their runs, each once. O(n log n) in the runs.
Summary united(const std::vector<Summary>& parts);
/// Writes the file, one record after another. Throws Error for a record that is damaged.
void write_summary(std::ostream& out, const Summary& summary);

/// Whether a file begins as a summary does. False where it cannot be read.
bool is_summary(const std::string& path);

/// The ranks of a job that are not in it, as far as known: "3,17-20"; "" for none.
std::string missing_ranks(const Summary& summary);

/// A summary to open: a file, or bytes with the name that errors give them.
struct SummaryInput {
  std::string name;
  std::optional<std::string> bytes = std::nullopt;
};

/// The summaries among these inputs: files, patterns and folders. A file with the suffix .cgpu counts as a summary even
/// if it is missing or empty, which opening it reports. Throws Error for a file that is none.
std::vector<SummaryInput> summary_inputs(const std::vector<std::string>& inputs);
/// All of them as one. One that cannot be read is left out with a warning, and in `damaged`; an Error under `strict`,
/// and where it is the only one.
Summary open_summaries(std::vector<SummaryInput> sources, const OpenOptions& open);
/// Describes what was left out of it, also by earlier merges: "2 (a.cgpu, b.cgpu)".
std::string left_out_of(const Summary& summary);

/// Whether an input is a summary, or a folder in which summaries lie and no profiles.
bool stands_for_summaries(const std::string& input);
/// Whether one of the inputs is: then all have to be.
bool are_summaries(const std::vector<std::string>& inputs);
/// The inputs, where they are summaries; nothing where they are profiles. Throws Error for damaged ones, for both at
/// once, and where another part is selected than ranks, which summaries cannot give.
std::optional<Summary> summary_of(const OpenOptions& open, const Selection& selection);

}  // namespace cgpu
