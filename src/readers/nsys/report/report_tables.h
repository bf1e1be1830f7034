// A report as the tables of its export: what it says of itself and of devices is read when it is opened, and its events
// are found once, with their table and place; each pass over a table then decodes the rows of that table alone.
//
// Memory: the block of texts, 4 bytes an event, and until all rows have been read the blocks that the container keeps.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/notes.h"
#include "readers/common/table_source.h"
#include "readers/nsys/report/container.h"
#include "readers/nsys/report/report_facts.h"
#include "readers/nsys/report/report_layout.h"

namespace cgpu::nsys {

class ReportTables final : public TableSource {
 public:
  /// What is damaged or not understood goes into `notes`. Throws Error as ReportContainer does.
  ReportTables(std::shared_ptr<const File> file, const std::string& name, unsigned threads, Notes& notes);

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
  static constexpr const char* kTexts = "StringIds";
  static constexpr const char* kSamples = "COMPOSITE_EVENTS";
  static constexpr const char* kFrames = "SAMPLING_CALLCHAINS";  // a row a frame of each sample
  static constexpr uint32_t kFramesOfSample = 4, kFramesOfCall = 15;

  /// Where the messages are that are the rows of one table: payloads of events, or messages at the end of the report.
  struct Messages {
    std::vector<uint32_t> offset;          // of the field with each in the message of its block, or in `at_end`
    std::vector<uint64_t> first_of_block;  // the first row of each block, by its place in `offset`
    std::string at_end;                    // these fields, one after the other; in no block
  };
  class MessageReader;
  template <typename ReadRow>
  class Scan;
  using Columns = std::vector<std::string>;

  void find_events(uint64_t expected, Notes& notes);
  void index_block(std::string_view message);
  void read_end(Notes& notes);
  void add_messages(std::string_view table, std::string_view message, uint32_t field_number);
  void add_facts(const std::string& table, std::vector<std::string> columns, std::vector<Facts> rows);
  void list_columns();
  void note_losses(uint64_t expected, Notes& notes) const;
  // What reads a row: bool(int64_t rowid, std::vector<TableValue>& values).
  auto rows_of_messages(size_t table, const Columns& columns);
  auto rows_of_frames(const Columns& columns);  // each in turn
  auto rows_of_texts(const Columns& columns) const;
  auto rows_of_facts(const std::string& table, const Columns& columns);
  bool is_of_messages(std::string_view table) const { return layout_.place(table) < rows_.size() && table != kFrames; }
  void list_calls_with_frames(const Messages& calls);
  /// The number of a call among those with a call chain, which are listed; 0 for one without.
  int64_t call_chain_of(uint64_t row) const;
  /// False where they are missing or damaged.
  bool load_texts();

  ReportContainer container_;
  std::string version_;
  ReportLayout layout_;
  std::vector<Messages> rows_ = std::vector<Messages>(layout_.tables().size());  // by place of the table
  /// The rows of OSRT_API with frames, in order, once they are asked for.
  std::optional<std::vector<uint32_t>> with_call_chain_;
  std::map<std::string, std::vector<Facts>> facts_;
  std::map<std::string, std::vector<std::string>> columns_;
  std::vector<std::string_view> text_of_id_;
  uint64_t size_ = 0;
  uint64_t seen_ = 0;                      // events, those included that are no rows
  int64_t damaged_ = 0;                    // of these
  bool has_frames_ = false;                // any sample
  std::map<std::string, int64_t> unread_;  // events by name
};

}  // namespace cgpu::nsys
