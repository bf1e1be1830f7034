// The rows of an ordinary SQLite table, read from the pages of the file without SQLite: a scan of all rows needs none
// of what makes SQLite's virtual machine slow. https://www.sqlite.org/fileformat.html, "B-tree Pages", "Record Format".
// What it earns: an Nsight Systems export of 200 MB (bench/readers) is read in 0.37 s of processor time, and with
// statements to SQLite in 1.10 s.
//
// Only for files that do not change and have no write-ahead log, for tables with row ids, and for UTF-8; `Scan` asks
// SQLite in all other cases. A page is read once, with one pread. Nothing in the file is believed: every offset is
// checked, the tree may be 20 levels deep and visit each page of the file once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "readers/common/table_source.h"

namespace cgpu::sqlite {

inline constexpr std::string_view kMagic("SQLite format 3\0", 16);

/// What the header of a file says of its pages; empty where it is not of the kind that TableWalk reads.
struct PageLayout {
  uint32_t page_size = 0;
  uint32_t usable = 0;
  uint32_t pages = 0;  // that the file has room for
};
std::optional<PageLayout> layout_of(const File& file);

class TableWalk {
 public:
  /// `columns`: for each value of a row its place in the record, or kAbsent. `largest`: bytes of a record at most.
  static constexpr int kAbsent = -1;
  TableWalk(const File& file, const PageLayout& layout, uint32_t root, std::vector<int> columns, uint64_t largest);

  /// The next row; false at the end, and where the rest cannot be read: see `error`.
  bool next();
  /// Whether the root is one of a table with row ids.
  bool is_table() const { return is_table_; }
  const char* error() const { return error_; }  // null, or why the walk ended early

  int64_t rowid() const { return rowid_; }
  const TableValue& value(int column) const { return values_[static_cast<size_t>(column)]; }

 private:
  struct Level {
    std::vector<unsigned char> page;
    uint32_t header = 0;  // where the header of the page begins
    uint32_t cell = 0;    // the next one
    uint32_t cells = 0;
    bool leaf = false;
  };
  struct Bytes {
    const unsigned char* at;
    const unsigned char* end;
    uint64_t left() const { return static_cast<uint64_t>(end - at); }
  };

  bool push(uint32_t number);
  bool read_row(const Level& level, uint32_t cell);
  bool read_record(Bytes record, bool whole);
  bool assemble(Bytes local, uint32_t next, uint64_t size);
  static uint32_t pointers_of(const Level& level);
  bool cell_at(const Level& level, uint32_t cell, Bytes& bytes) const;
  bool fail(const char* why);

  const File& file_;
  PageLayout layout_;
  std::vector<int> slot_of_;  // by place in the record: the value it becomes, or kAbsent
  std::vector<TableValue> values_;
  uint64_t largest_;
  std::vector<Level> levels_;
  size_t depth_ = 0;
  uint64_t visited_ = 0;
  int64_t rowid_ = 0;
  std::vector<unsigned char> record_;  // one that overflows its page
  const char* error_ = nullptr;
  bool is_table_ = false;
};

}  // namespace cgpu::sqlite
