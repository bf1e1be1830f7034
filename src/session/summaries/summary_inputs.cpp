// Which inputs stand for summaries (summary.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/remote_file.h"
#include "readers/discover.h"
#include "readers/reader.h"
#include "readers/unread_formats.h"
#include "session/summaries/summary.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

/// What the files are that an input stands for.
struct FilesOfInput {
  std::vector<std::string> summaries;
  std::vector<std::string> others;
};

bool is_called_summary(const std::string& path) {
  return path.ends_with(".cgpu");
}

/// In a folder also a file that is called as summaries are, whatever has become of it.
FilesOfInput files_of(const std::vector<std::string>& inputs) {
  FilesOfInput files;
  for (const ProfilePath& path : discover(inputs, [](const std::string&) { return false; })) {
    const bool is_one = is_summary(path.path) || (path.found && is_called_summary(path.path));
    (is_one ? files.summaries : files.others).push_back(path.path);
    for (const std::string& again : path.repeated) {
      if (is_one && is_summary(again)) files.summaries.push_back(again);
    }
  }
  return files;
}

/// What is kept of a summary that could not be read. It must not depend on how many others were given with it: bytes
/// are known by what they are.
std::string name_of(const SummaryInput& source) {
  if (!source.bytes) return fs::path(source.name).filename().string();
  return fmt::format("{} bytes, XXH3 {:016x}", source.bytes->size(), checksum_of(*source.bytes));
}

/// Several that are called the same, as in folders of nodes, are as many.
void add_damaged(Summary& summary, const std::vector<std::string>& names) {
  std::map<std::string, size_t> times;
  for (const std::string& name : names) {
    const size_t time = ++times[name];
    summary.add_damaged(time == 1 ? name : fmt::format("{} ({})", name, time));
  }
}

}  // namespace

bool is_summary(const std::string& path) {
  std::error_code ignored;
  if (!is_remote(path) && !fs::is_regular_file(path, ignored)) return false;
  try {
    std::string head(kSummaryMagic.size(), '\0');
    head.resize(open_file(path)->read_at(0, head.data(), head.size()));
    return head == kSummaryMagic;
  } catch (const Error&) {
    return false;
  }
}

bool stands_for_summaries(const std::string& input) {
  std::error_code ignored;
  if (!fs::is_directory(input, ignored)) return is_summary(input);
  try {
    const FilesOfInput files = files_of({input});
    return !files.summaries.empty() && std::none_of(files.others.begin(), files.others.end(), is_profile);
  } catch (const Error&) {
    return false;  // opening it as a profile reports that
  }
}

bool are_summaries(const std::vector<std::string>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), stands_for_summaries);
}

std::vector<SummaryInput> summary_inputs(const std::vector<std::string>& inputs) {
  std::vector<SummaryInput> all;
  for (const std::string& input : inputs) {
    FilesOfInput files = files_of({input});
    std::error_code ignored;
    if (is_called_summary(input) && files.others == std::vector<std::string>{input} && !is_profile(input)) {
      files = {.summaries = {input}, .others = {}};
    }
    if (files.summaries.empty() || (!fs::is_directory(input, ignored) && !files.others.empty())) {
      const std::string& which = files.others.empty() ? input : files.others.front();
      if (!fs::exists(which, ignored)) File{which};  // says why it cannot be opened
      throw Error(fs::is_directory(input, ignored) ? input : which,
                  "is no summary, nor a folder of them: make them with `cgpu summarize PROFILE -o RUN.cgpu`");
    }
    for (std::string& file : files.summaries) all.push_back({std::move(file)});
  }
  return all;
}

Summary open_summaries(std::vector<SummaryInput> sources, const OpenOptions& open) {
  std::vector<Summary> parts;
  std::vector<std::string> damaged;
  for (size_t i = 0; i < sources.size(); ++i) {
    SummaryInput& source = sources[i];
    if (open.progress) {
      open.progress(OpeningPhase::reading, static_cast<double>(i) / static_cast<double>(sources.size()));
    }
    const std::string name = name_of(source);
    try {
      Summary one =
          source.bytes ? summary_from_bytes(std::move(*source.bytes), source.name) : read_summary(source.name);
      one.leave_out_damaged(open.strict, open.warn);
      parts.push_back(std::move(one));
    } catch (const Error& error) {
      if (open.strict || sources.size() == 1) throw;
      if (open.warn) open.warn(std::string("left out: ") + error.what());
      damaged.push_back(name);
    }
  }
  if (parts.empty()) {
    throw Error(sources.front().name, "and all others of these summaries are damaged or not there: make them again");
  }
  Summary all = united(parts);
  add_damaged(all, damaged);
  return all;
}

std::string left_out_of(const Summary& summary) {
  constexpr size_t kNamed = 20;
  const std::vector<std::string>& all = summary.damaged();
  const auto shown = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kNamed));
  return fmt::format("{} ({}{})", all.size(), fmt::join(all.begin(), shown, ", "), all.size() > kNamed ? ", ..." : "");
}

std::optional<Summary> summary_of(const OpenOptions& open, const Selection& selection) {
  if (!open.input_format.empty()) return std::nullopt;
  std::vector<SummaryInput> summaries;
  std::string other;
  for (const std::string& input : open.inputs) {
    std::error_code ignored;
    const bool is_pattern =
        input.find_first_of("*?[") != std::string::npos && !is_remote(input) && !fs::exists(input, ignored);
    if (is_pattern || stands_for_summaries(input)) {
      const FilesOfInput files = files_of({input});
      for (const std::string& file : files.summaries) summaries.push_back({file});
      if (!is_pattern || files.others.empty()) continue;
      other = files.others.front();
    } else {
      other = input;
    }
  }
  if (summaries.empty()) return std::nullopt;
  if (!other.empty()) {
    throw Error(summaries.front().name, "is a summary, which cannot be opened together with profiles like " + other +
                                            ": make a summary of these, too");
  }
  Selection rest = selection;
  rest.ranks = {};
  if (!rest.empty()) {
    throw Error(summaries.front().name,
                "is a summary: ranks of it can be selected, but no other part; give the profile");
  }
  return open_summaries(std::move(summaries), open);
}

}  // namespace cgpu
