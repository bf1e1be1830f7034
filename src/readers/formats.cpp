#include "readers/formats.h"

#include <array>
#include <utility>

#include "base/json_text.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "readers/kineto/kineto.h"
#include "readers/ncu/ncu.h"
#include "readers/nsys/nsys.h"

namespace cgpu {

namespace {

Run read_kineto(const Input& input, const ReadOptions& options) {
  return kineto::read_trace(input.source, input.path, options);
}

bool is_ncu_report(const Input& input) {
  return ncu::is_report(input.head);
}
Run read_ncu_report(const Input& input, const ReadOptions&) {
  return ncu::read_report(*input.source, input.path);
}
bool is_ncu_csv(const Input& input) {
  return ncu::is_csv(input.head);
}
Run read_ncu_csv(const Input& input, const ReadOptions&) {
  return ncu::read_csv(*input.source, input.path);
}

/// An object or a bare array; whether it is a trace shows when its keys are read.
bool looks_like_json_trace(const Input& input) {
  std::string_view head = input.head;
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  while (!head.empty() && is_json_space(head.front())) head.remove_prefix(1);
  if (head.starts_with('{')) return true;
  if (!head.starts_with('[')) return false;
  head.remove_prefix(1);
  while (!head.empty() && is_json_space(head.front())) head.remove_prefix(1);
  return head.empty() || head.front() == '{' || head.front() == ']';
}

}  // namespace

const std::vector<Format>& all_formats() {
  static const std::vector<Format> formats{
      {"ncu-rep", is_ncu_report, read_ncu_report},
      {"ncu-csv", is_ncu_csv, read_ncu_csv},
      {"nsys-sqlite", nsys::is_export, nsys::read_export},
      {"nsys-rep", nsys::is_report, nsys::read_report},
      {"hpctoolkit-v4", hpctoolkit::is_database, hpctoolkit::read_database},
      {"kineto", looks_like_json_trace, read_kineto},
  };
  return formats;
}

std::string describe_unread_format(std::string_view head) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kMagics{{
      {std::string_view("SQLite format 3\0", 16),
       "an SQLite database without the tables of a profiler that cgpu knows"},
      {"Start (ns),", "a table that nsys stats printed: open the .sqlite or .nsys-rep that it was made from"},
      {"HPCTOOLKIT", "a part of an HPCToolkit database: name the folder it lies in"},
      {"HPCPROF-",
       "a part of an HPCToolkit database in an early format: make it again with hpcprof of 2022.10 or later"},
      {"<?xml", "an XML file (an HPCToolkit 2.x database?)"},
      {"PK\x03\x04", "a zip archive: extract it first"},
      {"\x7f"
       "ELF",
       "a program, not a profile of one"},
      {"%PDF", "a PDF"},
  }};
  for (const auto& [magic, what] : kMagics) {
    if (head.starts_with(magic)) return std::string(what);
  }
  if (head.size() > 262 && head.substr(257, 5) == "ustar") return "a tar archive: extract it first";
  return "";
}

}  // namespace cgpu
