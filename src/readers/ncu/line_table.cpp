#include "readers/ncu/line_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "base/to_size.h"
#include "readers/common/bytes.h"

namespace cgpu::ncu {

namespace {

/// Operations of a line program (DWARF 4, section 6.2.5).
struct LineOperation {
  enum : uint8_t { extended = 0, copy = 1, advance = 2, advance_line = 3, set_file = 4 };
  enum : uint8_t { constant_advance = 8, fixed_advance = 9 };
  enum : uint8_t { end_sequence = 1, set_address = 2, define_file = 3 };  // extended ones
};
constexpr uint16_t kOldestTable = 2;
constexpr uint16_t kNewestTable = 4;  // of this version, headers say how many operations an instruction has

auto line_key(const LineRow& row) {
  return std::tuple(row.place.section, row.place.offset);
}

/// One unit of the table.
class LineUnit {
 public:
  LineUnit(std::string_view table, uint64_t start, uint64_t end, const PlaceOf& place_of, std::vector<LineRow>& rows)
      : in_(table.substr(0, to_size(end)), start), place_of_(place_of), rows_(rows) {}

  void read() {
    const auto version = in_.take<uint16_t>();
    if (version < kOldestTable || version > kNewestTable) return;
    const uint64_t header = in_.take<uint32_t>();
    const uint64_t program = in_.at() + header;
    smallest_instruction_ = in_.take<uint8_t>();
    if (version == kNewestTable) in_.take<uint8_t>();
    in_.take<uint8_t>();  // whether rows begin statements at first
    line_base_ = in_.take<int8_t>();
    line_range_ = in_.take<uint8_t>();
    first_special_ = in_.take<uint8_t>();
    if (in_.failed() || line_range_ == 0 || first_special_ == 0) return;
    for (uint8_t i = 1; i < first_special_; ++i) operands_[i] = in_.take<uint8_t>();
    while (!in_.at_end()) {
      const std::string_view folder = in_.text();
      if (folder.empty()) break;
      folders_.push_back(folder);
    }
    while (!in_.at_end()) {
      const std::string_view name = in_.text();
      if (name.empty()) break;
      add_file(name);
    }
    if (in_.failed() || program < in_.at() || program - in_.at() > in_.left()) return;
    in_.bytes(program - in_.at());
    reset();
    while (!in_.at_end() && step()) {
    }
  }

 private:
  void add_file(std::string_view name) {
    const uint64_t folder = in_.unsigned_groups();
    in_.unsigned_groups();  // when it was changed last
    in_.unsigned_groups();  // its size
    std::string path(name);
    if (!name.starts_with('/') && folder > 0 && folder <= folders_.size()) {
      path = std::string(folders_[to_size(folder - 1)]) + "/" + path;
    }
    files_.push_back(std::move(path));
  }
  void reset() {
    place_.reset();
    file_ = 1;
    line_ = 1;
  }
  void advance(uint64_t operations) {
    if (place_) place_->offset += operations * smallest_instruction_;
  }
  void add_row(bool ends) {
    if (!place_) return;
    const bool has_file = !ends && file_ > 0 && file_ <= files_.size();
    rows_.push_back({*place_, has_file ? files_[to_size(file_ - 1)] : std::string(), ends ? 0 : line_});
  }
  bool step() {
    const auto operation = in_.take<uint8_t>();
    if (operation >= first_special_) {
      const unsigned both = operation - unsigned{first_special_};
      advance(both / line_range_);
      move_line(line_base_ + static_cast<int64_t>(both % line_range_));
      add_row(false);
      return true;
    }
    switch (operation) {
      case LineOperation::extended:
        return extended();
      case LineOperation::copy:
        add_row(false);
        break;
      case LineOperation::advance:
        advance(in_.unsigned_groups());
        break;
      case LineOperation::advance_line:
        move_line(in_.signed_groups());
        break;
      case LineOperation::set_file:
        file_ = in_.unsigned_groups();
        break;
      case LineOperation::constant_advance:
        advance((255U - first_special_) / line_range_);
        break;
      case LineOperation::fixed_advance: {
        const auto bytes = in_.take<uint16_t>();
        if (place_) place_->offset += bytes;
        break;
      }
      default:
        for (uint8_t i = 0; i < operands_[operation]; ++i) in_.unsigned_groups();
    }
    return !in_.failed();
  }
  bool extended() {
    const uint64_t size = in_.unsigned_groups();
    if (in_.failed() || size == 0 || size > in_.left()) return false;
    const uint64_t end = in_.at() + size;
    switch (in_.take<uint8_t>()) {
      case LineOperation::end_sequence:
        add_row(true);
        reset();
        break;
      case LineOperation::set_address: {
        const uint64_t at = in_.at();
        place_ = size == 1 + sizeof(uint64_t) ? place_of_(at, in_.take<uint64_t>()) : std::nullopt;
        break;
      }
      case LineOperation::define_file:
        add_file(in_.text());
        break;
      default:
        break;
    }
    if (in_.failed() || in_.at() > end) return false;
    in_.bytes(end - in_.at());
    return true;
  }
  void move_line(int64_t by) {
    line_ = static_cast<uint32_t>(static_cast<uint64_t>(line_) + static_cast<uint64_t>(by));
  }

  ByteCursor in_;
  const PlaceOf& place_of_;
  std::vector<LineRow>& rows_;
  uint8_t smallest_instruction_ = 1;
  int8_t line_base_ = 0;
  uint8_t line_range_ = 1;
  uint8_t first_special_ = 1;
  std::array<uint8_t, 256> operands_{};  // by operation, how many numbers follow it
  std::vector<std::string_view> folders_;
  std::vector<std::string> files_;
  std::optional<CodePlace> place_;
  uint64_t file_ = 1;
  uint32_t line_ = 1;
};

}  // namespace

std::vector<LineRow> read_line_table(std::string_view table, const PlaceOf& place_of) {
  std::vector<LineRow> rows;
  ByteCursor units(table);
  while (!units.at_end()) {
    const uint64_t size = units.take<uint32_t>();
    const uint64_t start = units.at();
    if (units.failed() || size > units.left()) break;
    units.bytes(size);
    LineUnit(table, start, start + size, place_of, rows).read();
  }
  std::ranges::stable_sort(rows, {}, line_key);
  // Of one place, the last that names a line: where a sequence ends another one may begin.
  std::vector<LineRow> last;
  for (LineRow& row : rows) {
    const bool again = !last.empty() && line_key(last.back()) == line_key(row);
    if (!again) {
      last.push_back(std::move(row));
    } else if (row.line != 0) {
      last.back() = std::move(row);
    }
  }
  return last;
}

const LineRow* line_at(const std::vector<LineRow>& rows, const CodePlace& place) {
  const auto above = std::ranges::upper_bound(rows, std::tuple(place.section, place.offset), {}, line_key);
  if (above == rows.begin()) return nullptr;
  const LineRow& row = *std::prev(above);
  return row.place.section == place.section && row.line != 0 ? &row : nullptr;
}

}  // namespace cgpu::ncu
