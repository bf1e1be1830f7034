#include "readers/unread_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/contains.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/rule_lines.h"
#include "base/to_size.h"
#include "readers/rocprof/rocprof.h"

namespace cgpu {

extern const std::string_view builtin_unread_formats;  // unread_formats.txt

namespace {

namespace fs = std::filesystem;

using namespace std::string_view_literals;

using Description = std::pair<std::string_view, std::string_view>;  // how it begins, what it is and what to do

constexpr auto kContainers = std::to_array<Description>({
    {"\xfd\x37zXZ\0"sv,
     "compressed with xz: decompress it first (xz -dk FILE), or pipe it: xz -dc FILE | cgpu report -"},
    {"BZh"sv,
     "compressed with bzip2: decompress it first (bzip2 -dk FILE), or pipe it: bzip2 -dc FILE | cgpu report -"},
    {"\x04\x22\x4d\x18"sv,
     "compressed with lz4: decompress it first (lz4 -dk FILE), or pipe it: lz4 -dc FILE | cgpu report -"},
    {"\x1f\x8b"sv, "compressed twice: decompress it once (gzip -dk FILE)"},
    {"\x28\xb5\x2f\xfd"sv, "compressed twice: decompress it once (zstd -dk FILE)"},
    {"PK\x03\x04"sv, "a zip archive: extract it first (unzip FILE)"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive: extract it first (7z x FILE)"},
    {"Rar!\x1a"sv, "a RAR archive: extract it first (unrar x FILE)"},
});

constexpr auto kBinaryFiles = std::to_array<Description>({
    {"\x89HDF\r\n"sv,
     "an HDF5 file, which cgpu does not read: where Nsight Systems exported it, open the .nsys-rep that it was made of, or "
     "`nsys export --type sqlite FILE.nsys-rep`"},
    {"\x7f"
     "ELF",
     "a program, not a profile of one"},
});

/// Whether the conditions of a line of unread_formats.txt hold.
bool hold(std::string_view conditions, std::string_view head) {
  constexpr std::string_view kAnd = " & ";
  const size_t end = std::min(conditions.find(kAnd), conditions.size());
  std::string_view text = conditions.substr(0, end);
  const std::string_view what = take_word(text);
  if (text.ends_with('|')) text.remove_suffix(1);
  const std::string_view place = what == "line"   ? head.substr(0, head.find('\n'))
                                 : what == "near" ? head.substr(0, 200)
                                                  : head;
  if (what != "begins" && what != "line" && what != "near" && what != "has") {
    throw Error(fmt::format("unread_formats.txt: '{}' is no condition", conditions));
  }
  if (what == "begins" ? !head.starts_with(text) : !contains(place, text)) return false;
  return end == conditions.size() || hold(conditions.substr(end + kAnd.size()), head);
}

/// The text of the first rule of a section that applies, "" for none.
std::string find_rule(std::string_view section, std::string_view head) {
  std::string text;
  bool is_in_section = false;
  bool is_continued = false;
  bool is_found = false;
  each_rule_line(builtin_unread_formats, [&](std::string_view line, int) {
    if (is_found) return;
    if (line.starts_with('[')) {
      is_in_section = line.substr(1, line.size() - 2) == section;
    } else if (line.starts_with("is ")) {
      text = is_continued ? text + std::string(line.substr(2)) : std::string(line.substr(3));
      is_continued = true;
    } else {
      is_continued = false;
      is_found = is_in_section && hold(line, head);
    }
  });
  return is_found ? text : "";
}

std::string_view find_beginning(const auto& descriptions, std::string_view head) {
  const auto found = std::find_if(descriptions.begin(), descriptions.end(),
                                  [&](const Description& one) { return head.starts_with(one.first); });
  return found == descriptions.end() ? std::string_view() : found->second;
}

bool is_tar(std::string_view head) {
  constexpr size_t kMagic = 257;
  constexpr size_t kName = 100;
  return head.size() > kMagic && head.substr(kMagic).starts_with("ustar") &&
         head.substr(0, kName + 1).find('\0') != std::string_view::npos;
}

/// An archive with the members of a CUBE profile: anchor.xml, remapping.spec, and numbered files of values. Its first
/// headers are in `head`.
bool is_cube(std::string_view head) {
  constexpr size_t kBlock = 512;
  constexpr size_t kSize = 124;  // of the member, in octal digits
  while (head.size() >= kBlock && is_tar(head)) {
    const std::string_view name = head.substr(0, head.find('\0'));
    if (name == "anchor.xml") return true;
    const size_t point = name.find('.');
    const bool values = name.find_first_not_of("0123456789") == point && point > 0 && point != std::string_view::npos &&
                        (name.substr(point) == ".data" || name.substr(point) == ".index");
    if (!values && name != "remapping.spec") return false;
    uint64_t size = 0;
    for (const char c : head.substr(kSize, 11))
      size = size * 8 + (c >= '0' && c <= '7' ? static_cast<uint64_t>(c - '0') : 0);
    const uint64_t next = kBlock + (size + kBlock - 1) / kBlock * kBlock;
    if (next >= head.size()) return true;  // nothing but values as far as it is seen
    head.remove_prefix(to_size(next));
  }
  return false;
}

/// A file of an OTF2 trace begins with the header of a chunk: a mark, the byte order ('B' or '#'), and for all but the
/// anchor the number of its first event.
std::string_view describe_otf2(std::string_view head) {
  constexpr std::string_view kAnchor =
      "the anchor of an OTF2 trace (Score-P), which cgpu does not read: Vampir shows it, and `otf2-print FILE` prints it; "
      "kernels of the same program show in a trace of `nsys profile` or `rocprofv3`";
  constexpr std::string_view kPart =
      "a part of an OTF2 trace (Score-P), which cgpu does not read: Vampir shows the trace, and `otf2-print ANCHOR.otf2` "
      "prints it; kernels of the same program show in a trace of `nsys profile` or `rocprofv3`";
  if (head.size() < 18 || head[0] != '\x03' || (head[1] != 'B' && head[1] != '#')) return "";
  if (head.substr(2, 4) == "OTF2") return kAnchor;
  const std::string_view first = head.substr(2, 8);
  return first == "\0\0\0\0\0\0\0\1"sv || first == "\1\0\0\0\0\0\0\0"sv ? kPart : "";
}

/// A database whose first page its writer would have written last: nothing but zeros, and pages behind it.
bool is_unfinished_database(std::string_view head) {
  constexpr size_t kLeastPage = 512;
  constexpr size_t kLargestPage = 65536;
  for (size_t page = kLeastPage; page < head.size() && page <= kLargestPage; page *= 2) {
    if (head.find_first_not_of('\0') < page) return false;
    constexpr std::string_view kPageTypes = "\x02\x05\x0a\x0d";  // interior and leaf pages of indices and tables
    if (kPageTypes.find(head[page]) != std::string_view::npos) return true;
  }
  return false;
}

/// What an SQLite database is in whose schema `head` begins.
std::string describe_database(std::string_view head) {
  if (is_unfinished_database(head)) {
    return "a database whose header was never written, as `nsys export` leaves one that was interrupted: run `nsys "
           "export --type sqlite` again, or open the .nsys-rep that it is made of";
  }
  return head.starts_with("SQLite format 3\0"sv) ? find_rule("database", head) : "";
}

/// By its mark, or by the zero byte in its first character, which is one of markup, JSON or text.
bool is_utf16(std::string_view head) {
  if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv)) return true;
  const auto is_text = [](char c) { return is_json_space(c) || (c > ' ' && c <= '~'); };
  return head.size() >= 4 && ((is_text(head[0]) && head[1] == 0 && is_text(head[2]) && head[3] == 0) ||
                              (head[0] == 0 && is_text(head[1]) && head[2] == 0 && is_text(head[3])));
}

/// JSON that says something of a run without being a trace.
std::string describe_json(std::string_view head) {
  std::string what = describe_foreign_json(head);
  return what.empty() ? find_rule("JSON", head.substr(0, 2000)) : what;
}

std::string describe_text(std::string_view head) {
  return find_rule("text", head);
}

fs::path folder_of(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

bool has_file(const fs::path& folder, const char* name) {
  std::error_code failed;
  return fs::is_regular_file(folder / name, failed);
}

constexpr const char* kNoMeta =
    "an HPCToolkit database without its meta.db, which holds the call tree and all names: copy the whole folder that "
    "hpcprof wrote";

}  // namespace

std::string describe_container(std::string_view head) {
  if (head.starts_with(kSummaryMagic)) {
    return "a summary of a run, which has no timeline: reports, tables that need none, checks and histories take it; "
           "for all else open the profile that it was made of";
  }
  if (const std::string_view what = find_beginning(kContainers, head); !what.empty()) return std::string(what);
  if (is_cube(head)) {
    return "a CUBE profile (Score-P, Scalasca), which cgpu does not read: CubeGUI shows it, and `cube_dump -m time -c "
           "all FILE` prints it; kernels of the same program show in a trace of `nsys profile` or `rocprofv3`";
  }
  if (is_tar(head)) return "a tar archive: extract it first (tar -xf FILE)";
  if (is_utf16(head)) return "text in UTF-16: convert it first (iconv -f UTF-16 -t UTF-8 FILE > NEW)";
  return "";
}

std::string describe_foreign_json(std::string_view head) {
  while (!head.empty() && is_json_space(head.front())) head.remove_prefix(1);
  const auto has = [&](std::string_view text) { return contains(head, text); };
  if ((!head.starts_with('{') && !head.starts_with('[')) || has("\"ph\"") || has("\"traceEvents\"")) return "";
  return find_rule("foreign JSON", head);
}

std::string describe_unread_format(std::string_view head) {
  if (const std::string_view what = find_beginning(kBinaryFiles, head); !what.empty()) return std::string(what);
  if (std::string what = find_rule("beginning", head); !what.empty()) return what;
  if (const std::string_view what = describe_otf2(head); !what.empty()) return std::string(what);
  for (const auto describe : {describe_database, describe_json, describe_text}) {
    if (std::string what = describe(head); !what.empty()) return what;
  }
  constexpr char kPickleProtocol = '\x80';  // the operation with which pickles of protocols 2 to 5 begin
  if (head.size() > 2 && head[0] == kPickleProtocol && head[1] >= 2 && head[1] <= 5) {
    return "a Python pickle that is no memory snapshot of PyTorch";
  }
  return rocprof::describe_unread(head);
}

std::string describe_unread_file(const std::string& path, std::string_view head) {
  if (head.starts_with("HPCTOOLKIT") && path != "-" && !has_file(folder_of(path), "meta.db")) {
    return std::string("a part of ") + kNoMeta;
  }
  return describe_unread_format(head);
}

std::string describe_unread_folder(const std::string& folder) {
  if (!has_file(folder, "meta.db") && (has_file(folder, "trace.db") || has_file(folder, "profile.db"))) return kNoMeta;
  if (has_file(folder, "application.parquet") &&
      (has_file(folder, "dag.parquet") || has_file(folder, "entities.parquet") || has_file(folder, "zero.parquet") ||
       has_file(folder, "starpu.parquet"))) {
    return "a folder of StarVZ (traces of StarPU), which cgpu does not read: StarVZ shows it; kernels of the same program "
           "show in a trace of `nsys profile` or `rocprofv3`";
  }
  std::error_code failed;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    if (at->path().extension() == ".otf2") {
      return "an OTF2 trace (Score-P), which cgpu does not read: Vampir shows it, and `otf2-print` prints its .otf2 file; "
             "kernels of the same program show in a trace of `nsys profile` or `rocprofv3`";
    }
    if (at->path().extension() == ".parquet" || at->path().extension() == ".arrow") {
      return "a folder of Parquet or Arrow tables, which cgpu does not read: where Nsight Systems exported them, open "
             "the .nsys-rep that they were made of, or `nsys export --type sqlite FILE.nsys-rep`; those of AWS Neuron "
             "show in Neuron Explorer";
    }
    if (at->path().extension() == ".hpcrun") {
      return "a measurement folder of HPCToolkit, which hpcprof turns into a database: run `hpcprof -o DATABASE FOLDER` "
             "and open DATABASE";
    }
  }
  return "";
}

}  // namespace cgpu
