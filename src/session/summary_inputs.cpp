// Which inputs stand for summaries (summary.h).
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/served_file.h"
#include "readers/discover.h"
#include "readers/reader.h"
#include "readers/unread_formats.h"
#include "session/summary.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

/// What the files are that an input stands for.
struct FilesOfInput {
  std::vector<std::string> summaries;
  std::vector<std::string> others;
};

/// In a folder also a file that is called as summaries are, whatever has become of it.
FilesOfInput files_of(const std::vector<std::string>& inputs) {
  FilesOfInput files;
  for (const ProfilePath& path : discover(inputs, [](const std::string&) { return false; })) {
    const bool is_one = is_summary(path.path) || (path.found && path.path.ends_with(".cgpu"));
    (is_one ? files.summaries : files.others).push_back(path.path);
    for (const std::string& again : path.repeated) {
      if (is_one && is_summary(again)) files.summaries.push_back(again);
    }
  }
  return files;
}

std::string name_of(const std::string& path) {
  return fs::path(path).filename().string();
}

}  // namespace

bool is_summary(const std::string& path) {
  std::error_code ignored;
  if (!is_served(path) && !fs::is_regular_file(path, ignored)) return false;
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
    return false;  // it is said when it is opened as a profile
  }
}

std::vector<std::string> summary_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> all;
  for (const std::string& input : inputs) {
    const FilesOfInput files = files_of({input});
    std::error_code ignored;
    if (files.summaries.empty() || (!fs::is_directory(input, ignored) && !files.others.empty())) {
      const std::string& which = files.others.empty() ? input : files.others.front();
      if (!fs::exists(which, ignored)) File{which};  // says why it cannot be opened
      throw Error(fs::is_directory(input, ignored) ? input : which,
                  "is no summary, nor a folder of them: make them with `cgpu summarize PROFILE -o RUN.cgpu`");
    }
    all.insert(all.end(), files.summaries.begin(), files.summaries.end());
  }
  return all;
}

Summary open_summaries(const std::vector<std::string>& files, const OpenOptions& open) {
  std::vector<Summary> parts;
  std::vector<std::string> damaged;
  for (size_t i = 0; i < files.size(); ++i) {
    if (open.progress) open.progress(OpeningPhase::reading, static_cast<double>(i) / static_cast<double>(files.size()));
    try {
      Summary one = read_summary(files[i]);
      one.leave_out_damaged(open.strict, open.warn);
      parts.push_back(std::move(one));
    } catch (const Error& error) {
      if (open.strict || files.size() == 1) throw;
      if (open.warn) open.warn(std::string("left out: ") + error.what());
      damaged.push_back(name_of(files[i]));
    }
  }
  if (parts.empty()) throw Error(files.front(), "and all others of these summaries are damaged: make them again");
  Summary all = united(parts);
  for (const std::string& file : damaged) all.add_damaged(file);
  return all;
}

std::optional<Summary> summary_of(const OpenOptions& open, const Selection& selection) {
  if (!open.input_format.empty()) return std::nullopt;
  std::vector<std::string> summaries;
  std::string other;
  for (const std::string& input : open.inputs) {
    std::error_code ignored;
    const bool is_pattern =
        input.find_first_of("*?[") != std::string::npos && !is_served(input) && !fs::exists(input, ignored);
    if (is_pattern || stands_for_summaries(input)) {
      const FilesOfInput files = files_of({input});
      summaries.insert(summaries.end(), files.summaries.begin(), files.summaries.end());
      if (!is_pattern || files.others.empty()) continue;
      other = files.others.front();
    } else {
      other = input;
    }
  }
  if (summaries.empty()) return std::nullopt;
  if (!other.empty()) {
    throw Error(summaries.front(), "is a summary, which cannot be opened together with profiles like " + other +
                                       ": make a summary of these, too");
  }
  Selection rest = selection;
  rest.ranks = {};
  if (!rest.empty()) {
    throw Error(summaries.front(), "is a summary, of which ranks can be selected, but no other part: give the profile");
  }
  return open_summaries(summaries, open);
}

}  // namespace cgpu
