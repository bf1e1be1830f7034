#include "readers/ncu/sass.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "readers/common/bytes.h"

namespace cgpu::ncu {

namespace {

constexpr uint32_t kVolta = 70;  // the first with instructions of 16 bytes
constexpr uint64_t kOperationBits = 0x1FF;
constexpr unsigned kGuardAt = 12;
constexpr uint64_t kAlwaysGuard = 7;

struct SassOperation {
  uint16_t code;
  std::string_view name;
};
/// By the low nine bits of an instruction, which name the operation; the three above say what kinds its operands are.
constexpr std::array kSassOperations = {
    SassOperation{0x002, "MOV"},       SassOperation{0x003, "P2R"},       SassOperation{0x004, "R2P"},
    SassOperation{0x005, "CS2R"},      SassOperation{0x006, "VOTE"},      SassOperation{0x007, "SEL"},
    SassOperation{0x008, "FSEL"},      SassOperation{0x009, "FMNMX"},     SassOperation{0x00A, "FSET"},
    SassOperation{0x00B, "FSETP"},     SassOperation{0x00C, "ISETP"},     SassOperation{0x00D, "CSMTEST"},
    SassOperation{0x010, "IADD3"},     SassOperation{0x011, "LEA"},       SassOperation{0x012, "LOP3"},
    SassOperation{0x013, "IABS"},      SassOperation{0x014, "VABSDIFF"},  SassOperation{0x015, "VABSDIFF4"},
    SassOperation{0x016, "PRMT"},      SassOperation{0x017, "IMNMX"},     SassOperation{0x019, "SHF"},
    SassOperation{0x01A, "SGXT"},      SassOperation{0x01B, "BMSK"},      SassOperation{0x01C, "PLOP3"},
    SassOperation{0x01D, "PLOP3"},     SassOperation{0x01E, "PLOP3"},     SassOperation{0x020, "FMUL"},
    SassOperation{0x021, "FADD"},      SassOperation{0x022, "FSWZADD"},   SassOperation{0x023, "FFMA"},
    SassOperation{0x024, "IMAD"},      SassOperation{0x025, "IMAD"},      SassOperation{0x026, "IDP"},
    SassOperation{0x027, "IMAD"},      SassOperation{0x028, "DMUL"},      SassOperation{0x029, "DADD"},
    SassOperation{0x02A, "DSETP"},     SassOperation{0x02B, "DFMA"},      SassOperation{0x02C, "CLMAD"},
    SassOperation{0x02D, "PREEXIT"},   SassOperation{0x02E, "ACQBULK"},   SassOperation{0x02F, "ELECT"},
    SassOperation{0x030, "HADD2"},     SassOperation{0x031, "HFMA2"},     SassOperation{0x032, "HMUL2"},
    SassOperation{0x033, "HSET2"},     SassOperation{0x034, "HSETP2"},    SassOperation{0x035, "HFMA2"},
    SassOperation{0x036, "VIADD"},     SassOperation{0x037, "IMMA"},      SassOperation{0x038, "I2I"},
    SassOperation{0x039, "I2IP"},      SassOperation{0x03A, "MOVM"},      SassOperation{0x03B, "LDSM"},
    SassOperation{0x03C, "HMMA"},      SassOperation{0x03D, "BMMA"},      SassOperation{0x03E, "F2FP"},
    SassOperation{0x03F, "DMMA"},      SassOperation{0x040, "HMNMX2"},    SassOperation{0x043, "F2IP"},
    SassOperation{0x044, "STSM"},      SassOperation{0x045, "I2FP"},      SassOperation{0x046, "VIADDMNMX"},
    SassOperation{0x047, "VHMNMX"},    SassOperation{0x048, "VIMNMX"},    SassOperation{0x082, "UMOV"},
    SassOperation{0x086, "VOTEU"},     SassOperation{0x087, "USEL"},      SassOperation{0x08C, "UISETP"},
    SassOperation{0x090, "UIADD3"},    SassOperation{0x091, "ULEA"},      SassOperation{0x092, "ULOP3"},
    SassOperation{0x096, "UPRMT"},     SassOperation{0x099, "USHF"},      SassOperation{0x09A, "USGXT"},
    SassOperation{0x09B, "UBMSK"},     SassOperation{0x09C, "UPLOP3"},    SassOperation{0x0A4, "UIMAD"},
    SassOperation{0x0A5, "UIMAD"},     SassOperation{0x0B9, "ULDC"},      SassOperation{0x0BD, "UFLO"},
    SassOperation{0x0BE, "UBREV"},     SassOperation{0x0BF, "UPOPC"},     SassOperation{0x100, "FLO"},
    SassOperation{0x101, "BREV"},      SassOperation{0x102, "FCHK"},      SassOperation{0x104, "F2F"},
    SassOperation{0x105, "F2I"},       SassOperation{0x106, "I2F"},       SassOperation{0x107, "FRND"},
    SassOperation{0x108, "MUFU"},      SassOperation{0x109, "POPC"},      SassOperation{0x110, "F2F"},
    SassOperation{0x111, "F2I"},       SassOperation{0x112, "I2F"},       SassOperation{0x113, "FRND"},
    SassOperation{0x118, "NOP"},       SassOperation{0x119, "S2R"},       SassOperation{0x11A, "DEPBAR"},
    SassOperation{0x11D, "BAR"},       SassOperation{0x141, "BSYNC"},     SassOperation{0x142, "BREAK"},
    SassOperation{0x143, "CALL"},      SassOperation{0x144, "CALL"},      SassOperation{0x145, "BSSY"},
    SassOperation{0x146, "YIELD"},     SassOperation{0x147, "BRA"},       SassOperation{0x148, "WARPSYNC"},
    SassOperation{0x149, "BRX"},       SassOperation{0x14A, "JMP"},       SassOperation{0x14C, "JMX"},
    SassOperation{0x14D, "EXIT"},      SassOperation{0x14F, "RTT"},       SassOperation{0x150, "RET"},
    SassOperation{0x155, "BMOV"},      SassOperation{0x156, "BMOV"},      SassOperation{0x157, "BMOV"},
    SassOperation{0x158, "BMOV"},      SassOperation{0x15B, "KILL"},      SassOperation{0x15C, "BPT"},
    SassOperation{0x15D, "NANOSLEEP"}, SassOperation{0x160, "TEX"},       SassOperation{0x161, "TEX"},
    SassOperation{0x163, "TLD4"},      SassOperation{0x164, "TLD4"},      SassOperation{0x166, "TLD"},
    SassOperation{0x167, "TLD"},       SassOperation{0x169, "TMML"},      SassOperation{0x16A, "TMML"},
    SassOperation{0x16C, "TXD"},       SassOperation{0x16D, "TXD"},       SassOperation{0x16F, "TXQ"},
    SassOperation{0x170, "TXQ"},       SassOperation{0x180, "LD"},        SassOperation{0x181, "LDG"},
    SassOperation{0x182, "LDC"},       SassOperation{0x183, "LDL"},       SassOperation{0x184, "LDS"},
    SassOperation{0x185, "ST"},        SassOperation{0x186, "STG"},       SassOperation{0x187, "STL"},
    SassOperation{0x188, "STS"},       SassOperation{0x189, "SHFL"},      SassOperation{0x18A, "ATOM"},
    SassOperation{0x18B, "ATOM"},      SassOperation{0x18C, "ATOMS"},     SassOperation{0x18D, "ATOMS"},
    SassOperation{0x18E, "RED"},       SassOperation{0x18F, "CCTL"},      SassOperation{0x192, "MEMBAR"},
    SassOperation{0x1A1, "MATCH"},     SassOperation{0x1A8, "ATOMG"},     SassOperation{0x1A9, "ATOMG"},
    SassOperation{0x1AA, "QSPC"},      SassOperation{0x1AB, "ERRBAR"},    SassOperation{0x1AC, "LDCU"},
    SassOperation{0x1AE, "LDGSTS"},    SassOperation{0x1AF, "LDGDEPBAR"}, SassOperation{0x1C2, "R2UR"},
    SassOperation{0x1C3, "S2UR"},      SassOperation{0x1C4, "REDUX"},
};

}  // namespace

uint32_t instruction_bytes(uint32_t architecture) {
  return architecture >= kVolta ? 16 : 8;
}

std::string operation_of(uint32_t architecture, std::string_view instruction) {
  if (architecture < kVolta) return {};
  const auto bits = ByteCursor(instruction).take<uint64_t>();
  const auto* found = std::ranges::lower_bound(kSassOperations, bits & kOperationBits, {}, &SassOperation::code);
  if (found == kSassOperations.end() || found->code != (bits & kOperationBits)) return {};
  const uint64_t guard = bits >> kGuardAt & 7;
  const bool is_negated = (bits >> (kGuardAt + 3) & 1) != 0;
  if (guard == kAlwaysGuard && !is_negated) return std::string(found->name);
  // The units that compute one value for a whole warp have predicates of their own.
  const char* kind = found->name.starts_with('U') ? "UP" : "P";
  const std::string number = guard == kAlwaysGuard ? "T" : std::to_string(guard);
  return fmt::format("@{}{}{} {}", is_negated ? "!" : "", kind, number, found->name);
}

}  // namespace cgpu::ncu
