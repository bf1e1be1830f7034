#include "readers/ncu/cubin.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/to_size.h"
#include "readers/common/bytes.h"
#include "readers/ncu/line_table.h"
#include "readers/ncu/sass.h"

namespace cgpu::ncu {

namespace {

/// The first bytes of an object file of 64 bits, little-endian.
constexpr std::string_view kObjectFile("\x7f\x45\x4c\x46\x02\x01", 6);
/// Offsets in its header, and sizes of the rows of its tables.
struct ElfLayout {
  enum : uint64_t { interface = 7, sections = 0x28, flags = 0x30, section_count = 0x3C, section_names = 0x3E };
  enum : uint64_t { section_size = 64, symbol_size = 24 };
  enum : uint8_t { new_interface = 0x41, section_symbol = 3 };
};
enum class ElfSection : uint32_t { symbols = 2, addends = 4, no_bytes = 8, replacements = 9 };

struct CubinSection {
  std::string_view name;
  std::string_view bytes;
  ElfSection kind{};
  uint32_t link = 0;  // number of the section that it goes with
  uint32_t info = 0;  // of replacements: number of the section that they change
};

struct CubinSymbol {
  std::string_view name;
  uint8_t kind = 0;
  uint16_t section = 0;
  uint64_t value = 0;  // offset in its section, or the address where it was loaded
};

std::string_view text_at(std::string_view texts, uint64_t at) {
  return Bytes(texts).text(at).value_or(std::string_view());
}

class Cubin {
 public:
  explicit Cubin(std::string_view bytes) : bytes_(bytes) {
    if (!bytes.starts_with(kObjectFile)) return;
    const auto at = Bytes(bytes).number<uint64_t>(ElfLayout::sections);
    const auto count = Bytes(bytes).number<uint16_t>(ElfLayout::section_count);
    std::vector<uint32_t> names;
    for (uint64_t i = 0; i < count; ++i) {
      const std::string_view head = Bytes(bytes).part(at + i * ElfLayout::section_size, ElfLayout::section_size);
      if (at > bytes.size() || head.empty()) break;
      ByteCursor in(head);
      CubinSection section;
      names.push_back(in.take<uint32_t>());
      section.kind = static_cast<ElfSection>(in.take<uint32_t>());
      in.bytes(16);  // flags, address
      const auto offset = in.take<uint64_t>();
      const auto size = in.take<uint64_t>();
      section.link = in.take<uint32_t>();
      section.info = in.take<uint32_t>();
      if (section.kind != ElfSection::no_bytes) section.bytes = Bytes(bytes).part(offset, size);
      sections_.push_back(section);
    }
    const auto of_names = Bytes(bytes).number<uint16_t>(ElfLayout::section_names);
    if (of_names < sections_.size()) {
      for (size_t i = 0; i < sections_.size(); ++i) sections_[i].name = text_at(sections_[of_names].bytes, names[i]);
    }
    read_symbols();
  }

  const std::vector<CubinSection>& sections() const { return sections_; }
  const std::vector<CubinSymbol>& symbols() const { return symbols_; }
  /// Number of the section of this name; that of no section where there is none.
  size_t find(std::string_view name) const {
    const auto found = std::ranges::find(sections_, name, &CubinSection::name);
    return static_cast<size_t>(found - sections_.begin());
  }
  /// 86: compute capability 8.6.
  uint32_t architecture() const {
    const auto flags = Bytes(bytes_).number<uint32_t>(ElfLayout::flags);
    return Bytes(bytes_).number<uint8_t>(ElfLayout::interface) >= ElfLayout::new_interface ? flags >> 8 & 0xFF
                                                                                           : flags & 0xFF;
  }
  /// The relocations of section `of`: by offset in it, the place in the code that the linker writes there.
  std::map<uint64_t, CodePlace> replacements(size_t of) const {
    std::map<uint64_t, CodePlace> places;
    for (const CubinSection& section : sections_) {
      if ((section.kind != ElfSection::replacements && section.kind != ElfSection::addends) || section.info != of)
        continue;
      for (ByteCursor in(section.bytes); !in.at_end();) {
        const auto at = in.take<uint64_t>();
        const auto what = in.take<uint64_t>();
        const uint64_t addend = section.kind == ElfSection::addends ? in.take<uint64_t>() : 0;
        if (in.failed() || what >> 32 >= symbols_.size()) break;
        const CubinSymbol& symbol = symbols_[to_size(what >> 32)];
        if (symbol.section >= sections_.size()) continue;
        const bool is_inside =
            symbol.kind != ElfLayout::section_symbol && symbol.value < sections_[symbol.section].bytes.size();
        places[at] = {symbol.section, (is_inside ? symbol.value : 0) + addend};
      }
    }
    return places;
  }

 private:
  void read_symbols() {
    for (const CubinSection& section : sections_) {
      if (section.kind != ElfSection::symbols || section.link >= sections_.size()) continue;
      for (uint64_t at = 0; at + ElfLayout::symbol_size <= section.bytes.size(); at += ElfLayout::symbol_size) {
        ByteCursor in(section.bytes, at);
        CubinSymbol symbol;
        symbol.name = text_at(sections_[section.link].bytes, in.take<uint32_t>());
        symbol.kind = in.take<uint8_t>() & 0xF;
        in.take<uint8_t>();
        symbol.section = in.take<uint16_t>();
        symbol.value = in.take<uint64_t>();
        symbols_.push_back(symbol);
      }
      return;
    }
  }

  std::string_view bytes_;
  std::vector<CubinSection> sections_;
  std::vector<CubinSymbol> symbols_;
};

std::vector<LineRow> lines_in(const Cubin& file, std::string_view name) {
  const size_t number = file.find(name);
  if (number == file.sections().size()) return {};
  const std::map<uint64_t, CodePlace> places = file.replacements(number);
  return read_line_table(file.sections()[number].bytes, [&](uint64_t at, uint64_t value) -> std::optional<CodePlace> {
    const auto found = places.find(at);
    if (found == places.end()) return std::nullopt;
    return CodePlace{found->second.section, found->second.offset + value};
  });
}

/// The lines of the PTX, which end with a zero byte each, up to what is in it for debuggers alone.
std::vector<std::string> ptx_in(const Cubin& file) {
  std::vector<std::string> lines;
  const size_t number = file.find(".nv_debug_ptx_txt");
  if (number == file.sections().size()) return lines;
  for (ByteCursor in(file.sections()[number].bytes); !in.at_end();) {
    const std::string_view line = in.text();
    if (in.failed() || line.starts_with(".section")) break;
    lines.push_back(valid_utf8(line));
  }
  return lines;
}

}  // namespace

DeviceCode read_function(std::string_view object_file, std::string_view function, uint64_t address,
                         LaunchMetrics& measured) {
  DeviceCode code;
  code.function = valid_utf8(function);
  code.address = address;
  const Cubin file(object_file);
  const size_t number = file.find(".text." + std::string(function));
  if (number == file.sections().size()) return code;
  const std::string_view machine_code = file.sections()[number].bytes;
  const auto symbol = std::ranges::find(file.symbols(), function, &CubinSymbol::name);
  if (address == 0 && symbol != file.symbols().end()) code.address = symbol->value;

  const uint32_t architecture = file.architecture();
  code.instruction_bytes = instruction_bytes(architecture);
  const std::vector<LineRow> source = lines_in(file, ".debug_line");
  const std::vector<LineRow> ptx = lines_in(file, ".nv_debug_line_sass");
  for (uint64_t at = 0; at + code.instruction_bytes <= machine_code.size(); at += code.instruction_bytes) {
    DeviceInstruction instruction;
    instruction.operation =
        measured.names.intern(operation_of(architecture, Bytes(machine_code).part(at, code.instruction_bytes)));
    if (const LineRow* row = line_at(source, {number, at})) {
      instruction.file = measured.names.intern(valid_utf8(row->file));
      instruction.line = row->line;
    }
    if (const LineRow* row = line_at(ptx, {number, at})) instruction.ptx_line = row->line;
    code.instructions.push_back(instruction);
  }
  if (std::vector<std::string> lines = ptx_in(file); !lines.empty()) {
    // The functions of an object file have it in common.
    const auto known = std::ranges::find(measured.ptx, lines);
    code.ptx = static_cast<size_t>(known - measured.ptx.begin()) + 1;
    if (known == measured.ptx.end()) measured.ptx.push_back(std::move(lines));
  }
  return code;
}

}  // namespace cgpu::ncu
