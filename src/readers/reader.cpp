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
  bool from_folder = false;  // found, not named by the user: something else may lie beside the profiles
  bool is_folder = false;    // a folder that is one profile
};

bool has_wildcard(const std::string& input) {
  return input.find_first_of("*?[") != std::string::npos;
}

/// The format of an input: the one that was asked for, else the first that recognises it; null if none does.
const Format* format_of(const Input& input, const ReadOptions& options) {
  for (const Format& format : all_formats()) {
    if (options.input_format.empty() ? format.recognises(input) : format.name == options.input_format) return &format;
  }
  if (options.input_format.empty()) return nullptr;
  std::string known;
  for (const Format& format : all_formats()) known.append(known.empty() ? "" : ", ").append(format.name);
  throw Error(input.path, "unknown --input-format " + options.input_format + " (known: " + known + ")");
}

/// The folder itself where it is a profile, else the files in it.
std::vector<Candidate> profiles_of_folder(const std::string& folder) {
  const Input whole{folder, true, nullptr, ""};
  if (format_of(whole, {})) return {{folder, false, true}};
  std::vector<Candidate> files;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    if (entry.path().filename().string().starts_with(".")) continue;
    const std::string path = entry.path().string();
    if (entry.is_regular_file()) files.push_back({path, true, false});
    if (entry.is_directory() && format_of({path, true, nullptr, ""}, {})) files.push_back({path, true, true});
  }
  std::sort(files.begin(), files.end(), [](const Candidate& a, const Candidate& b) { return a.path < b.path; });
  return files;
}

std::vector<Candidate> expand(const std::string& input) {
  std::error_code ignored;
  if (input == "-" || fs::exists(input, ignored) || !has_wildcard(input)) {
    if (input != "-" && fs::is_directory(input, ignored)) return profiles_of_folder(input);
    return {{input}};
  }
  glob_t matches{};
  std::vector<Candidate> files;
  if (::glob(input.c_str(), 0, nullptr, &matches) == 0) {
    for (size_t i = 0; i < matches.gl_pathc; ++i) {
      files.push_back({matches.gl_pathv[i], false, fs::is_directory(matches.gl_pathv[i], ignored)});
    }
  }
  ::globfree(&matches);
  if (files.empty()) throw Error(input, "no file matches this pattern");
  return files;
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

Run read_profile(const Candidate& candidate, const ReadOptions& options) {
  Input input{candidate.path, candidate.is_folder, nullptr, ""};
  if (!input.is_folder) {
    input.source = open_text(input.path);
    input.head.resize(kHead);
    input.head.resize(input.source->read_at(0, input.head.data(), input.head.size()));
  }
  const Format* format = format_of(input, options);
  if (input.is_folder && format && !format->recognises(input)) format = nullptr;  // asked for, but of files only
  if (format) return format->read(input, options);
  if (input.is_folder) throw Error(input.path, "is a folder; name the profiles in it, or the folder above it");
  throw Error(input.path, why_unread(*input.source, input.head));
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
      session.runs.push_back(read_profile(files[i], one));
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
