#include "session/captures.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "links/complete.h"
#include "links/graph_captures.h"
#include "readers/reader.h"

namespace cgpu {

namespace {

/// Whether the name of a file says that it is of another rank: "bs_32_rank1.json.gz".
bool is_of_another_rank(const std::string& file, int64_t rank) {
  const size_t word = file.find("rank");
  if (word == std::string::npos) return false;
  size_t at = word + 4;
  if (at < file.size() && (file[at] == '_' || file[at] == '-')) ++at;
  size_t end = at;
  while (end < file.size() && std::isdigit(static_cast<unsigned char>(file[end])) != 0) ++end;
  return end > at && file.substr(at, end - at) != std::to_string(rank);
}

/// The files in the folder beside a profile, by name.
std::vector<std::string> captures_beside(const Run& run) {
  const std::filesystem::path folder = std::filesystem::path(run.file).parent_path() / kCaptureFolder;
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(error) || name.starts_with('.')) continue;
    if (!run.rank_known || !is_of_another_rank(name, run.rank)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

void join_captures(Run& run, const OpenOptions& options, const KernelDictionary& dictionary, unsigned threads) {
  if (!has_graph_replays(run)) return;
  ReadOptions read;
  read.threads = threads;
  std::vector<std::shared_ptr<const Run>> captures = {nullptr};
  const bool named = !options.capture.empty();
  for (const std::string& file : named ? std::vector{options.capture} : captures_beside(run)) {
    try {
      for (const ProfilePath& profile : find_profiles({file})) {
        Run capture = read_profile(profile, read);
        complete(capture, dictionary, threads);
        captures.push_back(std::make_shared<const Run>(std::move(capture)));
      }
    } catch (const Error&) {
      if (named) throw;
    }
  }
  find_captured_work(run, captures, dictionary);
}

}  // namespace cgpu
