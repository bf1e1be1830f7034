#include "readers/unread_formats.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/contains.h"
#include "base/json_text.h"
#include "base/to_size.h"
#include "readers/rocprof/rocprof.h"

namespace cgpu {

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

constexpr std::string_view kMeasurement =
    "measurements of HPCToolkit, which hpcprof turns into a database: run `hpcprof -o DATABASE FOLDER` for the folder it "
    "lies in, and open DATABASE";
constexpr std::string_view kAscendTable = "a table of an Ascend profile: name the folder it lies in";
constexpr std::string_view kParquet =
    "a Parquet file, which cgpu does not read: where Nsight Systems exported it, open the .nsys-rep that it was made "
    "of, or `nsys export --type sqlite FILE.nsys-rep`; tables of AWS Neuron show in Neuron Explorer";
constexpr std::string_view kArrow =
    "an Arrow file, which cgpu does not read: where Nsight Systems exported it, open the .nsys-rep that it was made "
    "of, or `nsys export --type sqlite FILE.nsys-rep`";
constexpr std::string_view kHdf =
    "an HDF5 file, which cgpu does not read: where Nsight Systems exported it, open the .nsys-rep that it was made "
    "of, or `nsys export --type sqlite FILE.nsys-rep`";
constexpr std::string_view kJsonLines =
    "an export of Nsight Systems in JSON lines, which cgpu does not read: open the .nsys-rep that it was made of, or "
    "`nsys export --type sqlite FILE.nsys-rep`";
constexpr std::string_view kStatistics =
    "a table that nsys stats printed: open the .sqlite or .nsys-rep that it was made from (`nsys stats` leaves the "
    ".sqlite beside the .nsys-rep)";
constexpr std::string_view kMindSporeTable =
    "a table from which MindSpore's profiler makes ascend_timeline_display_*.json: open that";
constexpr std::string_view kAscendFacts = "a part of an Ascend profile: name the folder it lies in";
constexpr std::string_view kTauTrace =
    "a part of a trace of TAU, which cgpu does not read: `tau_treemerge.pl` and `tau_trace2json tau.trc tau.edf -chrome "
    "-o trace.json` make a Chrome trace of it; open that";
constexpr std::string_view kTauProfile =
    "a profile of TAU, which cgpu does not read: `pprof` and `paraprof` of TAU show it; for cgpu record a trace "
    "(TAU_TRACE=1) and `tau_trace2json tau.trc tau.edf -chrome -o trace.json`";
constexpr std::string_view kPaje =
    "a trace in Paje's format (StarPU, SimGrid), which cgpu does not read: ViTE and StarVZ show it; kernels of the same "
    "program show in a trace of `nsys profile` or `rocprofv3`";
constexpr std::string_view kParaver =
    "a part of a trace in Paraver's format (Extrae), which cgpu does not read: wxparaver shows it; kernels of the same "
    "program show in a trace of `nsys profile` or `rocprofv3`";
constexpr std::string_view kLfsPointer =
    "a pointer of Git LFS, not the file that it names: run `git lfs pull` in its repository, and open it again";
constexpr std::string_view kTenstorrent =
    "a table of Tenstorrent's profiler, which cgpu does not read: `tt-perf-report FILE` prints the one of ops "
    "(ops_perf_results_*.csv), and Tracy shows the .tracy file beside it";

constexpr auto kFiles = std::to_array<Description>({
    {"Start (ns),", kStatistics},
    {"Time (%),", kStatistics},
    {"Time(%),", kStatistics},
    {"PAR1", kParquet},
    {"ARROW1", kArrow},
    {"\x89HDF\r\n"sv, kHdf},
    {"op_name, stream_id", kMindSporeTable},
    {"op_name,stream_id", kMindSporeTable},
    {"Step,Computing,", kAscendTable},
    {"Device_id,", kAscendTable},
    {"Component,Timestamp(us),", kAscendTable},
    {"Component,Timestamp(", kAscendTable},
    {"Level,API Name,Time(us),", kAscendTable},
    {"Name,Input Shapes,Call Stack,Host Self Duration(us),", kAscendTable},
    {"Name,Size(KB),Allocation Time(us),", kAscendTable},
    {"OP Type,Core Type,Count,", kAscendTable},
    {"Stream Id,Task Id,Hit Rate,", kAscendTable},
    {"HPCTOOLKIT", "a part of an HPCToolkit database: name the folder it lies in"},
    {"HPCPROF-", "a part of an HPCToolkit database in an early format: make it again with hpcprof of 2022.10 or later"},
    {"HPCRUN-profile", kMeasurement},
    {"HPCRUN-trace", kMeasurement},
    {"\x7f"
     "ELF",
     "a program, not a profile of one"},
    {"%PDF", "a PDF"},
    {"<profile_xml", kTauProfile},
    {"%EventDef", kPaje},
    {"#Paraver ", kParaver},
    {"version https://git-lfs.github.com/spec/v", kLfsPointer},
    {"OP CODE,OP TYPE,", kTenstorrent},
    {"ARCH: ", kTenstorrent},
});

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
  if (!head.starts_with("SQLite format 3\0"sv)) return "";
  const auto has = [&](std::string_view text) { return contains(head, text); };
  if (has("dlprof") || has("DLProf") || (has("expert_system") && has("tensor_core"))) {
    return "a database of DLProf, which cgpu does not read: open the nsys_profile.qdrep or nsys_profile.sqlite that "
           "DLProf leaves beside it, or record with `nsys profile`";
  }
  return "an SQLite database without the tables of a profiler that cgpu knows";
}

/// By its mark, or by the zero byte in its first character, which is one of markup, JSON or text.
bool is_utf16(std::string_view head) {
  if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv)) return true;
  const auto is_text = [](char c) { return is_json_space(c) || (c > ' ' && c <= '~'); };
  return head.size() >= 4 && ((is_text(head[0]) && head[1] == 0 && is_text(head[2]) && head[3] == 0) ||
                              (head[0] == 0 && is_text(head[1]) && head[2] == 0 && is_text(head[3])));
}

std::string describe_xml(std::string_view head) {
  if (!head.starts_with("<?xml") && !head.starts_with("<!DOCTYPE")) return "";
  if (contains(head, "<!DOCTYPE HPCToolkitStructure") || contains(head, "<HPCToolkitStructure")) {
    return "a description of a program by hpcstruct: name the database that hpcprof made with it";
  }
  return "an XML file that is no experiment.xml of HPCToolkit";
}

/// Tables that nsys prints behind the words of the program that it profiled.
std::string describe_statistics(std::string_view head) {
  const bool columns = contains(head, "Total Time (ns)") || contains(head, "Total Time  ");
  if ((contains(head, "Time (%)") || contains(head, "Time(%)")) && columns) return std::string(kStatistics);
  if (contains(head, "NVPROF is profiling process")) {
    return "a table that nvprof printed: record the program with `nsys profile`, and open its .nsys-rep";
  }
  return "";
}

/// JSON that says something of a run without being a trace.
std::string describe_json(std::string_view head) {
  if (std::string what = describe_foreign_json(head); !what.empty()) return what;
  if (!head.starts_with('{')) return "";
  const std::string_view start = head.substr(0, 2000);
  if ((contains(start, "\"p2p\"") && (contains(start, "\"collective\"") || contains(start, "Communication Time Info") ||
                                      contains(start, "Transport Type"))) ||
      (contains(start, "\"config\"") && contains(start, "\"common_config\"") &&
       contains(start, "\"experimental_config\"")) ||
      (contains(start, "\"ENV_VARIABLES\"") && contains(start, "ASCEND"))) {
    return std::string(kAscendFacts);
  }
  return "";
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
  if (head.starts_with('[') && has("\"timestamps\"") && has("\"ns\"") && (has("\"model_name\"") || has("_START\""))) {
    return "a trace of requests by Triton Inference Server, which cgpu does not read: `trace_summary.py FILE` of the "
           "server's repository prints it; for kernels, run the server under `nsys profile`";
  }
  // Since 2025.6 a line names its table; before, it had the name of an event, behind a line with all texts.
  const bool old_export =
      head.starts_with("{\"data\":[\"") ||
      (has("\"Type\":") && (has("\"CudaEvent\":{") || has("\"NvtxEvent\":{") || has("\"TraceProcessEvent\":{")));
  if (old_export || has("\"table\":\"StringIds\"") || has("\"table\": \"StringIds\"")) return std::string(kJsonLines);
  if (has("\"timemory\"")) {
    return "a profile of timemory, which cgpu does not read: with TIMEMORY_FLAMEGRAPH_OUTPUT=ON it writes "
           "*.flamegraph.json beside it, a Chrome trace";
  }
  if (head.starts_with('{') && has("\"Layers\"") && has("\"LayerType\"")) {
    return "a layer graph of TensorRT, which has no times: open what `trtexec --exportProfile` or `--exportTimes` wrote";
  }
  if (has("\"elapsed_time_sec\"") && (has("\"growth_rate\"") || has("\"n_cpu_percent_python\""))) {
    return "a profile of Scalene, which cgpu does not read: `scalene view FILE` shows it; of the same program cgpu reads "
           "what `py-spy record --format speedscope` or PyTorch's profiler writes";
  }
  if (has("\"spans\"") && (has("\"projectId\"") || (has("\"spanId\"") && has("\"startTime\"")))) {
    return "a trace of requests by Google Cloud Trace, which cgpu does not read: it says nothing of what a program did "
           "inside; record that with its own profiler";
  }
  return "";
}

std::string describe_unread_format(std::string_view head) {
  if (const std::string_view what = find_beginning(kFiles, head); !what.empty()) return std::string(what);
  if (const std::string_view what = describe_otf2(head); !what.empty()) return std::string(what);
  for (const auto describe : {describe_database, describe_xml, describe_json, describe_statistics}) {
    if (std::string what = describe(head); !what.empty()) return what;
  }
  if (contains(head.substr(0, 200), "templated_functions")) return std::string(kTauProfile);
  if (contains(head.substr(0, 200), "dynamic_trace_events")) return std::string(kTauTrace);
  const std::string_view first_line = head.substr(0, head.find('\n'));
  if (contains(first_line, "GLOBAL CALL COUNT") && contains(first_line, "DEVICE ID")) return std::string(kTenstorrent);
  if (contains(first_line, "Nature") && contains(first_line, "ResourceId") && contains(first_line, "Depth")) {
    return "a table of StarVZ, which cgpu does not read: StarVZ shows it; kernels of the same program show in a trace of "
           "`nsys profile` or `rocprofv3`";
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
