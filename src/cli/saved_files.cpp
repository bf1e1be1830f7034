#include "cli/saved_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cli/report_of_inputs.h"
#include "cli/viewer_file.h"
#include "session/summaries/summary.h"

namespace cgpu {

namespace {

/// Of the first input: letters, digits and a few signs, which every system takes.
std::string stem_of(const InputOptions& input) {
  std::filesystem::path path = input.inputs.front();
  if (!path.has_filename()) path = path.parent_path();
  std::string name = path.filename().string();
  name = name.substr(0, std::min<size_t>(name.find('.', 1), 80));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return name.empty() ? "profile" : name;
}

std::string report_page(const InputOptions& input) {
  return render_report_html(report_of(input));
}

std::string viewer_page(const InputOptions& input) {
  return viewer_copy_of(input, {}).html;
}

}  // namespace

std::vector<SavedFile> saved_files(const InputOptions& input) {
  const std::vector<std::string>& inputs = input.inputs;
  if (std::find(inputs.begin(), inputs.end(), "-") != inputs.end()) return {};
  const auto one_at_a_time = std::make_shared<std::mutex>();
  const auto make = [&](std::string (*page)(const InputOptions&)) {
    return [input, one_at_a_time, page] {
      const std::lock_guard lock(*one_at_a_time);
      return page(input);
    };
  };
  std::vector<SavedFile> files = {{"report", stem_of(input) + "-report.html", make(report_page)}};
  if (std::none_of(inputs.begin(), inputs.end(), stands_for_summaries)) {
    files.push_back({"copy", stem_of(input) + ".html", make(viewer_page)});
  }
  return files;
}

}  // namespace cgpu
