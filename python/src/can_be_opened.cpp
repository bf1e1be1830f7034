#include "can_be_opened.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/text_source.h"
#include "readers/reader.h"
#include "session/summaries/summary.h"

namespace cgpu::python {

namespace {

/// Larger files of JSON are hardly anything else than what their beginning says.
constexpr uintmax_t kMostToRead = 256 << 10;

bool is_small_json(const std::string& file) {
  std::error_code failed;
  if (std::filesystem::file_size(file, failed) > kMostToRead || failed) return false;
  std::string head(256, '\0');
  head.resize(open_text(file)->read_at(0, head.data(), head.size()));
  const size_t begin = head.find_first_not_of(" \t\r\n");
  return begin != std::string::npos && (head[begin] == '{' || head[begin] == '[');
}

}  // namespace

bool can_be_opened(const std::string& path) {
  if (is_summary(path) || is_profile_folder(path)) return true;
  if (!is_profile(path)) return false;
  try {
    if (is_small_json(path)) read_profile({.path = path}, {});
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace cgpu::python
