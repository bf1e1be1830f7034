#include "readers/reader.h"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include "base/error.h"
#include "readers/formats.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

constexpr size_t kHead = size_t{64} << 10;

struct Candidate {
  std::string path;
  bool from_folder;  // found, not named by the user: something else may lie beside the profiles
};

bool has_wildcard(const std::string& input) {
  return input.find_first_of("*?[") != std::string::npos;
}

std::vector<Candidate> files_of_folder(const std::string& folder) {
  std::vector<Candidate> files;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with(".")) {
      files.push_back({entry.path().string(), true});
    }
  }
  std::sort(files.begin(), files.end(), [](const Candidate& a, const Candidate& b) { return a.path < b.path; });
  return files;
}

std::vector<Candidate> expand(const std::string& input) {
  std::error_code ignored;
  if (input == "-" || fs::exists(input, ignored) || !has_wildcard(input)) {
    if (input != "-" && fs::is_directory(input, ignored)) return files_of_folder(input);
    return {{input, false}};
  }
  glob_t matches{};
  std::vector<Candidate> files;
  if (::glob(input.c_str(), 0, nullptr, &matches) == 0) {
    for (size_t i = 0; i < matches.gl_pathc; ++i) files.push_back({matches.gl_pathv[i], false});
  }
  ::globfree(&matches);
  if (files.empty()) throw Error(input, "no file matches this pattern");
  return files;
}

const Format* format_of(TextSource& source, const std::string& file, const ReadOptions& options, std::string& head) {
  head.resize(kHead);
  head.resize(source.read_at(0, head.data(), head.size()));
  for (const Format& format : all_formats()) {
    if (options.input_format.empty() ? format.recognises(head) : format.name == options.input_format) return &format;
  }
  if (!options.input_format.empty()) {
    std::string known;
    for (const Format& format : all_formats()) known.append(known.empty() ? "" : ", ").append(format.name);
    throw Error(file, "unknown --input-format " + options.input_format + " (known: " + known + ")");
  }
  return nullptr;
}

std::string why_unread(TextSource& source, const std::string& head) {
  const std::string what = describe_unread_format(head);
  if (!what.empty()) return "is " + what;
  char first = 0;
  if (head.empty() && source.read(&first, 1) == 0) {
    return source.damage().empty() ? "holds nothing once it is decompressed" : source.damage();
  }
  return "is not a profile in a format that cgpu knows";
}

/// The number behind "rank" in a file's name: "rank-70.json", "trace_rank3.json.gz".
std::optional<int64_t> rank_from_name(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (size_t at = name.find("rank"); at != std::string::npos; at = name.find("rank", at + 1)) {
    size_t digit = at + 4;
    if (digit < name.size() && (name[digit] == '-' || name[digit] == '_')) ++digit;
    const size_t end = std::min(name.find_first_not_of("0123456789", digit), name.size());
    if (end > digit && end - digit <= 9) return std::stoll(name.substr(digit, end - digit));
  }
  return std::nullopt;
}

/// Gives every run a rank of its own and puts them in order.
void assign_ranks(std::vector<Run>& runs) {
  std::set<int64_t> taken;
  for (Run& run : runs) {
    if (!run.rank_known) {
      if (const auto rank = rank_from_name(run.file)) {
        run.rank = *rank;
        run.rank_known = true;
      }
    }
  }
  for (Run& run : runs) {
    if (run.rank_known && !taken.insert(run.rank).second) {
      run.notes.add("duplicate_rank", 1,
                    "several files say they are rank " + std::to_string(run.rank) + "; " + run.file +
                        " was given the next free one");
      run.rank_known = false;
    } else if (run.rank_known) {
      continue;
    }
    run.rank = 0;
    while (taken.count(run.rank) != 0) ++run.rank;
    taken.insert(run.rank);
  }
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.rank < b.rank; });
}

}  // namespace

Session open_inputs(const std::vector<std::string>& inputs, const ReadOptions& options) {
  Session session;
  session.inputs = inputs;
  std::vector<Candidate> files;
  for (const std::string& input : inputs) {
    for (Candidate& file : expand(input)) files.push_back(std::move(file));
  }
  std::vector<std::string> not_profiles;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string& path = files[i].path;
    ReadOptions one = options;
    if (options.progress) {
      one.progress = [&](double share) {
        options.progress((static_cast<double>(i) + share) / static_cast<double>(files.size()));
      };
    }
    try {
      std::shared_ptr<TextSource> source = open_text(path);
      std::string head;
      const Format* format = format_of(*source, path, options, head);
      if (!format) throw Error(path, why_unread(*source, head));
      session.runs.push_back(format->read(std::move(source), path, one));
    } catch (const Error&) {
      if (!files[i].from_folder) throw;
      not_profiles.push_back(path);
    }
  }
  if (session.runs.empty()) throw Error(inputs.front(), "is a directory without a profile that cgpu can read");
  assign_ranks(session.runs);
  session.runs.front().notes.add("skipped_file", static_cast<int64_t>(not_profiles.size()),
                                 "files of the directory that are no readable profile were left out" +
                                     (not_profiles.empty() ? std::string() : " (first: " + not_profiles.front() + ")"));
  return session;
}

}  // namespace cgpu
