#include "readers/formats.h"

#include <array>
#include <utility>

#include "base/json_text.h"
#include "readers/kineto/kineto.h"

namespace cgpu {

namespace {

Run read_kineto(const Input& input, const ReadOptions& options) {
  return kineto::read_trace(input.source, input.path, options);
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
      {"kineto", looks_like_json_trace, read_kineto},
  };
  return formats;
}

std::string describe_unread_format(std::string_view head) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kMagics{{
      {std::string_view("SQLite format 3\0", 16), "an SQLite database (an Nsight Systems export?)"},
      {"HPCTOOLKIT", "part of an HPCToolkit database"},
      {"<?xml", "an XML file (an HPCToolkit 2.x database?)"},
      {std::string_view("NVR\0", 4), "an Nsight Compute report"},
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
