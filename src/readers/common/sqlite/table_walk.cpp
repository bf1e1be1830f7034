#include "readers/common/sqlite/table_walk.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "base/to_size.h"

namespace cgpu::sqlite {

namespace {

// Named as in https://www.sqlite.org/fileformat.html.

/// Offsets in the header of the database.
namespace database {
enum : size_t { kPageSize = 16, kReservedSpace = 20, kTextEncoding = 56, kSize = 100 };
constexpr uint32_t kLargestPageAs = 1;  // 65536 does not fit into the two bytes of a page's size
constexpr uint32_t kLargestPage = 65536;
constexpr uint32_t kSmallestPage = 512;
constexpr uint32_t kSmallestUsable = 480;
constexpr uint32_t kUtf8 = 1;
}  // namespace database

/// Offsets in the header of a b-tree page; cell pointers of two bytes each follow it.
namespace page {
enum : size_t { kType = 0, kCellCount = 3, kRightMostPointer = 8 };
constexpr unsigned char kTableInterior = 0x05;
constexpr unsigned char kTableLeaf = 0x0d;
constexpr uint32_t kLeafHeader = 8;
constexpr uint32_t kInteriorHeader = 12;
constexpr uint32_t kCellPointer = 2;
constexpr uint32_t kPageNumber = 4;
}  // namespace page

/// Codes that stand for the type of a value and its size.
namespace serial_type {
enum : uint64_t { kNull = 0, kReal = 7, kZero = 8, kOne = 9, kReserved10 = 10, kReserved11 = 11, kFirstBlob = 12 };
}

constexpr size_t kDeepest = 20;
constexpr const char* kMalformed = "database disk image is malformed";

uint32_t big_endian16(const unsigned char* at) {
  return static_cast<uint32_t>(at[0]) << 8 | at[1];
}
uint32_t big_endian32(const unsigned char* at) {
  return big_endian16(at) << 16 | big_endian16(at + 2);
}

/// A number of 1 to 9 bytes, seven bits each, the last of nine bytes with eight. False where the bytes end.
template <typename Bytes>
bool take_varint(Bytes& bytes, uint64_t& value) {
  if (bytes.at == bytes.end) return false;
  if (*bytes.at < 0x80) {  // nearly always
    value = *bytes.at++;
    return true;
  }
  value = 0;
  for (int i = 0; i < 9; ++i) {
    if (bytes.at == bytes.end) return false;
    const unsigned char byte = *bytes.at++;
    if (i == 8) {
      value = value << 8 | byte;
      return true;
    }
    value = value << 7 | (byte & 0x7f);
    if (byte < 0x80) return true;
  }
  return true;
}

/// Bytes of a value of this serial type.
uint64_t size_of_type(uint64_t type) {
  static constexpr std::array<uint8_t, 12> sizes = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < sizes.size() ? sizes[to_size(type)] : (type - serial_type::kFirstBlob) / 2;
}

int64_t signed_big_endian(const unsigned char* at, uint64_t size) {
  uint64_t value = (at[0] & 0x80) != 0 ? ~uint64_t{0} : 0;
  for (uint64_t i = 0; i < size; ++i) value = value << 8 | at[i];
  return static_cast<int64_t>(value);
}

void decode(uint64_t type, const unsigned char* at, TableValue& value) {
  value.type = ValueType::null;
  value.integer = 0;
  if (type == serial_type::kNull || type == serial_type::kReserved10 || type == serial_type::kReserved11) return;
  if (type >= serial_type::kFirstBlob) {  // even for blobs, odd for texts
    value.type = type % 2 == 0 ? ValueType::blob : ValueType::text;
    value.bytes = {reinterpret_cast<const char*>(at), static_cast<size_t>(size_of_type(type))};
  } else if (type == serial_type::kReal) {
    const auto bits = static_cast<uint64_t>(signed_big_endian(at, 8));
    std::memcpy(&value.real, &bits, sizeof bits);
    if (value.real == value.real) value.type = ValueType::real;  // SQLite reads no number as null
  } else {
    value.type = ValueType::integer;
    value.integer = type == serial_type::kZero  ? 0
                    : type == serial_type::kOne ? 1
                                                : signed_big_endian(at, size_of_type(type));
  }
}

}  // namespace

std::optional<PageLayout> layout_of(const File& file) {
  std::array<unsigned char, database::kSize> header{};
  if (!file.is_regular() || file.read_at(0, header.data(), header.size()) < header.size()) return std::nullopt;
  if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0) return std::nullopt;
  PageLayout layout;
  const uint32_t written = big_endian16(&header[database::kPageSize]);
  layout.page_size = written == database::kLargestPageAs ? database::kLargestPage : written;
  const bool power_of_two = (layout.page_size & (layout.page_size - 1)) == 0;
  if (layout.page_size < database::kSmallestPage || !power_of_two) return std::nullopt;
  layout.usable = layout.page_size - header[database::kReservedSpace];
  if (layout.usable < database::kSmallestUsable) return std::nullopt;
  const uint32_t encoding = big_endian32(&header[database::kTextEncoding]);
  if (encoding > database::kUtf8) return std::nullopt;  // UTF-16; 0 is a database without tables
  layout.pages = static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX - 1, file.size() / layout.page_size));
  return layout;
}

TableWalk::TableWalk(const File& file, const PageLayout& layout, uint32_t root, std::vector<int> columns,
                     uint64_t largest)
    : file_(file), layout_(layout), values_(columns.size()), largest_(largest), levels_(kDeepest) {
  for (size_t slot = 0; slot < columns.size(); ++slot) {
    if (columns[slot] == kAbsent) continue;
    const auto place = static_cast<size_t>(columns[slot]);
    if (place >= slot_of_.size()) slot_of_.resize(place + 1, kAbsent);
    slot_of_[place] = static_cast<int>(slot);
  }
  is_table_ = push(root);
}

bool TableWalk::fail(const char* why) {
  error_ = why;
  depth_ = 0;
  return false;
}

bool TableWalk::push(uint32_t number) {
  if (number == 0 || number > layout_.pages || depth_ == kDeepest || visited_++ > layout_.pages) {
    return fail(kMalformed);
  }
  Level& level = levels_[depth_];
  level.page.resize(layout_.page_size);
  try {
    if (file_.read_at(uint64_t{number - 1} * layout_.page_size, level.page.data(), layout_.page_size) <
        layout_.page_size) {
      return fail(kMalformed);
    }
  } catch (const Error&) {
    return fail("disk I/O error");
  }
  level.header = number == 1 ? uint32_t{database::kSize} : 0;
  const unsigned char* header = &level.page[level.header];
  level.leaf = header[page::kType] == page::kTableLeaf;
  level.cell = 0;
  level.cells = big_endian16(header + page::kCellCount);
  if (!level.leaf && header[page::kType] != page::kTableInterior) return fail(kMalformed);
  if (pointers_of(level) + page::kCellPointer * level.cells > layout_.usable) return fail(kMalformed);
  ++depth_;
  return true;
}

/// Where the cell pointers of a page begin.
uint32_t TableWalk::pointers_of(const Level& level) {
  return level.header + (level.leaf ? page::kLeafHeader : page::kInteriorHeader);
}

bool TableWalk::cell_at(const Level& level, uint32_t cell, Bytes& bytes) const {
  const uint32_t pointers = pointers_of(level);
  const uint32_t at = big_endian16(&level.page[pointers + page::kCellPointer * cell]);
  if (at < pointers + page::kCellPointer * level.cells || at >= layout_.usable) return false;
  bytes = {&level.page[at], level.page.data() + layout_.usable};
  return true;
}

bool TableWalk::next() {
  while (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (level.leaf) {
      if (level.cell < level.cells) return read_row(level, level.cell++);
      --depth_;
    } else if (level.cell < level.cells) {
      Bytes cell{};
      if (!cell_at(level, level.cell++, cell) || cell.left() < page::kPageNumber) return fail(kMalformed);
      if (!push(big_endian32(cell.at))) return false;
    } else if (level.cell == level.cells) {
      ++level.cell;
      if (!push(big_endian32(&level.page[level.header + page::kRightMostPointer]))) return false;
    } else {
      --depth_;
    }
  }
  return false;
}

bool TableWalk::read_row(const Level& level, uint32_t cell) {
  Bytes bytes{};
  uint64_t size = 0;
  uint64_t rowid = 0;
  if (!cell_at(level, cell, bytes) || !take_varint(bytes, size) || !take_varint(bytes, rowid)) return fail(kMalformed);
  rowid_ = static_cast<int64_t>(rowid);
  const uint64_t usable = layout_.usable;
  // How much of a record stays in its page: X, M and K of "B-tree Pages", which gives these numbers.
  const uint64_t most = usable - 35;
  if (size <= most) {
    if (size > bytes.left()) return fail(kMalformed);
    return read_record({bytes.at, bytes.at + size}, true);
  }
  const uint64_t least = (usable - 12) * 32 / 255 - 23;
  uint64_t local = least + (size - least) % (usable - 4);
  if (local > most) local = least;
  if (size > largest_) return fail("string or blob too big");
  if (local + page::kPageNumber > bytes.left()) return fail(kMalformed);
  const Bytes here{bytes.at, bytes.at + local};
  // What is wanted may all lie here.
  if (read_record(here, false)) return true;
  if (error_ != nullptr || !assemble(here, big_endian32(here.end), size)) return false;
  return read_record({record_.data(), record_.data() + record_.size()}, true);
}

bool TableWalk::assemble(Bytes local, uint32_t next, uint64_t size) {
  record_.assign(local.at, local.end);
  std::vector<unsigned char> overflow(layout_.usable);
  while (record_.size() < size) {
    if (next == 0 || next > layout_.pages || visited_++ > layout_.pages) return fail(kMalformed);
    try {
      if (file_.read_at(uint64_t{next - 1} * layout_.page_size, overflow.data(), overflow.size()) < overflow.size()) {
        return fail(kMalformed);
      }
    } catch (const Error&) {
      return fail("disk I/O error");
    }
    next = big_endian32(overflow.data());
    const auto content = overflow.begin() + page::kPageNumber;
    const uint64_t part = std::min<uint64_t>(size - record_.size(), overflow.size() - page::kPageNumber);
    record_.insert(record_.end(), content, content + static_cast<std::ptrdiff_t>(part));
  }
  return true;
}

/// Reads the wanted values. Of a part of a record: false without an error where that is not enough.
bool TableWalk::read_record(Bytes record, bool whole) {
  const auto lacks = [&] { return whole ? fail(kMalformed) : false; };
  const unsigned char* const begin = record.at;
  uint64_t header_size = 0;
  if (!take_varint(record, header_size) || header_size > static_cast<uint64_t>(record.end - begin)) return lacks();
  Bytes header{record.at, begin + header_size};
  if (header.at > header.end) return fail(kMalformed);
  Bytes body{begin + header_size, record.end};
  size_t place = 0;
  for (; place < slot_of_.size() && header.at < header.end; ++place) {
    uint64_t type = 0;
    if (!take_varint(header, type)) return fail(kMalformed);
    const uint64_t size = size_of_type(type);
    const int slot = slot_of_[place];
    if (size > body.left()) {
      // A column that is not read may lie beyond the part; those behind it too.
      return lacks();
    }
    if (slot != kAbsent) decode(type, body.at, values_[static_cast<size_t>(slot)]);
    body.at += size;
  }
  for (; place < slot_of_.size(); ++place) {  // the table got columns after this row
    if (slot_of_[place] != kAbsent) values_[static_cast<size_t>(slot_of_[place])] = {};
  }
  return true;
}

}  // namespace cgpu::sqlite
