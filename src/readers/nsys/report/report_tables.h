// A report as the tables of its export: what it says of itself and of devices is read when it is opened, and its events
// are found once, with their table and place; each pass over a table then decodes the rows of that table alone.
//
// Memory: two blocks (of at most 4 MB in the reports that were seen), the block of texts, 4 bytes an event, and, until
// all rows have been read, those of each table with at most kMostCopied bytes of them: for these no block has to be
// decompressed once more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/notes.h"
#include "readers/common/table_source.h"
#include "readers/nsys/report/block_reader.h"
#include "readers/nsys/report/container.h"
#include "readers/nsys/report/report_facts.h"
#include "readers/nsys/report/report_layout.h"

namespace cgpu::nsys {

class ReportTables final : public TableSource {
 public:
  /// What is damaged or not understood goes into `notes`. Throws Error as ReportContainer does.
  ReportTables(std::shared_ptr<const File> file, const std::string& name, Notes& notes);

  const std::map<std::string, std::vector<std::string>>& tables() const override { return columns_; }
  bool has_rows(const std::string& table) const override { return rows_expected(table) > 0; }
  uint64_t rows_expected(const std::string& table) const override;
  /// Bytes of the events, uncompressed.
  uint64_t size() const override { return size_; }
  std::unique_ptr<RowScan> scan(const std::string& table, const std::vector<std::string>& columns) override;
  void for_each_row(const std::string& table, const std::vector<std::string>& columns, std::span<const int64_t> rows,
                    const std::function<void(Row&)>& visit) override;
  std::string text_with_id(const std::string& table, const std::string& id_column, int64_t id) override;

  /// Frees what reading all rows needs; a few rows can still be read again.
  void release();

  const ReportContainer& container() const { return container_; }

 private:
  static constexpr size_t kMostCopied = size_t{1} << 20;
  static constexpr const char* kTexts = "StringIds";
  static constexpr const char* kCallsWithFrames = "OSRT_API";
  static constexpr const char* kSamples = "COMPOSITE_EVENTS";
  static constexpr const char* kFrames = "SAMPLING_CALLCHAINS";  // a row a frame of each sample
  static constexpr uint32_t kFramesOfSample = 4;

  /// Where the messages are that are the rows of one table: payloads of events, and messages at the end of the report,
  /// which are copied.
  struct Messages {
    std::vector<uint32_t> offset;          // of the field with each in the message of its block
    std::vector<uint64_t> first_of_block;  // the first row of each block, by its place in `offset`
    std::string copy;                      // these fields, one after the other
    bool is_copied = true;                 // all of them
    bool is_at_end = false;                // of the report: in no block, so that the copy stays
  };
  class MessageReader;
  class Scan;
  using Columns = std::vector<std::string>;
  /// Sets the values of the row with an id, from 1 on; false behind the last one.
  using ReadRow = std::function<bool(int64_t rowid, std::vector<TableValue>& values)>;

  void find_events(uint64_t expected, Notes& notes);
  void index_block(std::string_view message);
  void read_end(Notes& notes);
  void add_event(size_t table, uint64_t offset, std::string_view field);
  void add_messages(std::string_view table, std::string_view message, uint32_t field_number);
  void add_facts(const std::string& table, std::vector<std::string> columns, std::vector<Facts> rows);
  void list_columns();
  void note_losses(uint64_t expected, Notes& notes) const;
  ReadRow rows_of_messages(size_t table, const Columns& columns);
  ReadRow rows_of_frames(const Columns& columns);  // each in turn
  ReadRow rows_of_texts(const Columns& columns) const;
  ReadRow rows_of_facts(const std::string& table, const Columns& columns);
  bool is_of_messages(std::string_view table) const { return layout_.place(table) < rows_.size() && table != kFrames; }
  /// The number of a call among those with a call chain, 0 for one without.
  int64_t call_chain_of(uint64_t row) const;
  /// False where they are missing or damaged.
  bool load_texts();

  ReportContainer container_;
  std::string version_;
  ReportLayout layout_;
  std::vector<ReportBlock> blocks_;
  BlockReader reader_{container_, blocks_};  // also keeps the last block for rows that are asked for one by one
  ReportBlock texts_block_;
  std::vector<Messages> rows_ = std::vector<Messages>(layout_.tables().size());  // by place of the table
  std::vector<uint32_t> with_call_chain_;  // rows of OSRT_API with frames, in order
  std::map<std::string, std::vector<Facts>> facts_;
  std::map<std::string, std::vector<std::string>> columns_;
  ReportContainer::Decompressed texts_;
  std::vector<std::string_view> text_of_id_;
  uint64_t size_ = 0;
  uint64_t seen_ = 0;                      // events, those included that are no rows
  int64_t damaged_ = 0;                    // of these
  bool has_frames_ = false;                // any sample
  std::map<std::string, int64_t> unread_;  // events by name
};

}  // namespace cgpu::nsys
