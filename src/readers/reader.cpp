#include "readers/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/credentials.h"
#include "base/error.h"
#include "base/file.h"
#include "base/number_ranges.h"
#include "base/remote_file.h"
#include "model/hide_secrets.h"
#include "model/lost_file.h"
#include "readers/chakra/join.h"
#include "readers/companions.h"
#include "readers/discover.h"
#include "readers/empty_run.h"
#include "readers/formats.h"
#include "readers/manifest.h"
#include "readers/one_run.h"
#include "readers/sibling_names.h"
#include "readers/unread_formats.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

constexpr size_t kHead = size_t{64} << 10;

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

Input input_of(const std::string& file) {
  Input input{file, false, open_text(file), std::string(kHead, '\0')};
  input.head.resize(input.source->read_at(0, input.head.data(), input.head.size()));
  return input;
}

std::string why_unread(const Input& input) {
  const std::string what = describe_unread_file(input.path, input.head);
  if (!what.empty()) return "is " + what;
  char first = 0;
  if (input.head.empty() && input.source->read(&first, 1) == 0) {
    return input.source->damage().empty() ? "holds nothing once it is decompressed" : input.source->damage();
  }
  return "is not a profile in a format that cgpu knows";
}

/// Why a folder gave no profile: what it is itself, or the first file in it that is recognised.
std::string why_no_profile(const std::string& folder, const std::vector<std::string>& not_profiles) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) {
    const std::string what = describe_unread_folder(folder);
    if (!what.empty()) return "is " + what;
  }
  const std::string general = "is a directory without a profile that cgpu can read, in it and in the folders below";
  constexpr size_t kMostLookedAt = 20;
  for (size_t i = 0; i < std::min(not_profiles.size(), kMostLookedAt); ++i) {
    try {
      const Input input = input_of(not_profiles[i]);
      std::string what = describe_container(input.head);
      if (what.empty()) what = describe_unread_file(input.path, input.head);
      if (!what.empty()) return general + "; " + fs::path(input.path).filename().string() + " is " + what;
    } catch (const Error&) {
      continue;  // it cannot be opened
    }
  }
  return general;
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

/// Where the profile names no rank: the one in its name, else the one in the name of the folder that it has for itself.
void ranks_from_names(std::vector<Run>& runs) {
  std::map<fs::path, int> neighbours;
  for (const Run& run : runs) ++neighbours[fs::path(run.file).parent_path()];
  for (Run& run : runs) {
    if (run.rank_known) continue;
    std::optional<int64_t> rank = rank_from_name(run.file);
    const fs::path folder = fs::path(run.file).parent_path();
    if (!rank && runs.size() > 1 && neighbours[folder] == 1) rank = rank_from_name(folder.string());
    run.rank_known = rank.has_value();
    run.rank = rank.value_or(0);
  }
}

/// The runs in a file that can be read twice.
size_t count_runs(const ProfilePath& profile) {
  std::error_code ignored;
  if (profile.is_folder || (!is_remote(profile.path) && !fs::is_regular_file(profile.path, ignored))) return 1;
  try {
    return runs_of_file(input_of(profile.path));
  } catch (const Error&) {
    return 1;  // reading it reports that
  }
}

/// Gives every run a rank of its own and puts them in order.
void assign_ranks(std::vector<Run>& runs) {
  std::set<int64_t> taken;
  std::vector<const Run*> duplicates;
  for (Run& run : runs) {
    if (!run.rank_known || taken.insert(run.rank).second) continue;
    duplicates.push_back(&run);
    run.claimed_rank = run.rank;
    run.rank_known = false;
  }
  if (!duplicates.empty()) {  // said once, however many there are
    runs.front().notes.add(
        "duplicate_rank", static_cast<int64_t>(duplicates.size()),
        fmt::format("files whose rank another one has, too, were given the next free ones (first: {}, "
                    "rank {})",
                    duplicates.front()->file, duplicates.front()->rank));
  }
  // The number of a rank that is missing is no other's.
  int64_t next = 0;
  for (const Run& run : runs) {
    if (run.claimed_rank) next = std::max(next, std::clamp<int64_t>(run.world_size.value_or(0), 0, INT32_MAX));
  }
  for (Run& run : runs) {
    if (run.rank_known) continue;
    while (taken.count(next) != 0) ++next;
    run.rank = next++;
  }
  std::ranges::stable_sort(runs, [](const Run& a, const Run& b) { return a.rank < b.rank; });
}

/// Notes which ranks of the job are missing, where that can be determined.
void note_missing_ranks(std::vector<Run>& runs) {
  const bool one_each = runs.size() > 1 && std::all_of(runs.begin(), runs.end(), [](const Run& run) {
                          const std::vector<Track>& tracks = run.timeline.tracks;
                          return (run.rank_known || run.claimed_rank) &&
                                 std::none_of(tracks.begin(), tracks.end(), [](const Track& t) { return t.rank; });
                        });
  const auto with_size =
      std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.world_size.has_value(); });
  if (!one_each || with_size == runs.end()) return;
  std::set<int64_t> seen;
  for (const Run& run : runs) seen.insert(run.claimed_rank.value_or(run.rank));
  const std::vector<int64_t> missing = missing_numbers(seen, *with_size->world_size);
  if (missing.empty()) return;
  constexpr size_t kShown = 20;
  runs.front().notes.add("missing_rank", static_cast<int64_t>(missing.size()),
                         fmt::format("ranks of the job, which has {}, are not here: {}", *with_size->world_size,
                                     ranges_text(missing, kShown)));
}

}  // namespace

std::vector<ProfilePath> find_profiles(const std::vector<std::string>& inputs) {
  std::vector<ProfilePath> found = discover(inputs, is_profile_folder);
  std::vector<ProfilePath> runs;
  for (ProfilePath& profile : found) {
    const size_t count = count_runs(profile);
    for (size_t run = 1; run < count; ++run) {
      ProfilePath& other = runs.emplace_back();
      other.path = profile.path;
      other.found = profile.found;
      other.run_of_file = run;
    }
    runs.insert(runs.end() - static_cast<std::ptrdiff_t>(count - 1), std::move(profile));
  }
  return runs;
}

namespace {

/// Says whose events a timeline without device work has: a device may be among them that no reader knows. An export of
/// cgpu has this note from the profile itself.
void note_processes_without_device(Run& run) {
  const Timeline& timeline = run.timeline;
  if (timeline.hints.all_launches_known) return;
  const bool has_events = timeline.slices.size() > 0 || !timeline.counters.time.empty();
  if (!has_events || timeline.device_ops.size() > 0 || run.call_tree || run.op_graph || holds_only_memory(run)) return;
  constexpr size_t kMostNamed = 5;
  std::set<std::string> names;
  const auto add_process = [&](const std::string& process) {
    if (!process.empty()) names.insert("process " + process);
  };
  for (const Track& track : timeline.tracks) {
    if (track.process_name.empty()) {
      add_process(track.process);
    } else {
      names.insert(track.process_name);
    }
  }
  if (timeline.slices.size() == 0) {
    for (const CounterTrack& track : timeline.counters.tracks) add_process(track.process);
  }
  std::string text = "no event is known as work of a device; the events are those of ";
  size_t named = 0;
  for (const std::string& name : names) {
    if (named++ == kMostNamed) break;
    text.append(named == 1 ? "" : ", ").append(name);
  }
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  if (names.empty()) text += "a process without a name";
  run.notes.add("no_device_work", 1, text);
}

Run read_input(const ProfilePath& candidate, const ReadOptions& options) {
  const Input input = candidate.is_folder ? Input{candidate.path, true, nullptr, ""} : input_of(candidate.path);
  if (const std::string what = describe_container(input.head); !what.empty()) throw Error(input.path, "is " + what);
  const Format* format = format_of(input, options);
  if (input.is_folder && format && !format->recognises(input)) format = nullptr;  // asked for, but of files only
  try {
    if (format && candidate.path == "-" && runs_of_file(input) > 1) {
      throw Error("-", "is an export of several ranks, which is read rank by rank: write it to a file first");
    }
    if (format) {
      ReadOptions of_run = options;
      of_run.run_of_file = candidate.run_of_file;
      Run run = format->read(input, of_run);
      // A rank without events is one of several in an export: the others are in the same file.
      if (is_empty_run(run) && runs_of_file(input) == 1) refuse_empty_run(run);
      note_processes_without_device(run);
      hide_secrets(run);
      return run;
    }
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(input.path);
  } catch (const Error& error) {  // which may quote the file
    std::string shown;
    if (hide_secrets(error.what(), shown) == 0) throw;
    throw Error(shown);
  }
  if (input.is_folder) throw Error(input.path, "is a folder; name the profiles in it, or the folder above it");
  throw Error(input.path, why_unread(input));
}

}  // namespace

Run read_profile(const ProfilePath& profile, const ReadOptions& options) {
  Run run = read_input(profile, options);
  if (!profile.repeated.empty()) {
    run.notes.add(
        "repeated_input", static_cast<int64_t>(profile.repeated.size()),
        "files and folders that were given again under the same or another name, compressed or exported, were read once "
        "(first: " +
            profile.repeated.front() + ")");
  }
  return run;
}

namespace {

/// Whether a file that cannot be read should have been a rank.
bool is_lost(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) || is_profile(path) || is_called_as_profiles(path, is_profile);
}

}  // namespace

std::optional<Run> read_if_profile(const ProfilePath& profile, const ReadOptions& options) {
  try {
    return read_profile(profile, options);
  } catch (const NoAccess&) {
    throw;  // nothing is known of what it holds
  } catch (const Error& error) {
    if (!profile.found) throw;
    if (options.left_out && is_lost(profile.path)) options.left_out(error.what());
    return std::nullopt;
  }
}

bool is_profile(const std::string& file) {
  try {
    const Input input = input_of(file);
    return describe_container(input.head).empty() && format_of(input, {}) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

bool is_profile_folder(const std::string& folder) {
  return format_of({folder, true, nullptr, ""}, {}) != nullptr;
}

bool is_companion(const Run& run) {
  return holds_only_memory(run) || (run.op_graph && slice_count(run) == 0);
}

std::optional<int64_t> claimed_rank_of(const Run& run) {
  return run.rank_known ? run.rank : rank_from_name(run.file);
}

Session join_runs(const std::vector<std::string>& inputs, std::vector<Run> runs,
                  const std::vector<std::string>& not_profiles) {
  if (runs.empty()) {
    throw Error(inputs.front(), why_no_profile(inputs.front(), not_profiles));
  }
  Session session;
  session.inputs = inputs;
  session.runs = std::move(runs);
  ranks_from_names(session.runs);
  join_companions(session.runs);
  chakra::join_execution_traces(session.runs);
  check_that_runs_belong_together(session.runs);
  assign_ranks(session.runs);
  note_missing_ranks(session.runs);
  std::vector<std::string> lost;
  std::vector<std::string> others;
  for (const std::string& path : not_profiles) (is_lost(path) ? lost : others).push_back(path);
  const auto note = [&](const char* code, const std::vector<std::string>& paths, const char* text, bool damage) {
    if (paths.empty()) return;
    session.runs.front().notes.add(code, static_cast<int64_t>(paths.size()),
                                   fmt::format("{} (first: {})", text, paths.front()), damage);
  };
  note(kLostFile, lost, "files that should be ranks cannot be read, and are missing from all figures", true);
  for (const std::string& input : inputs) note_recording(input, session.runs.front().notes);
  note("skipped_file", others, "files of the directory that are no readable profile were left out", false);
  return session;
}

Session read_together(const std::vector<std::string>& inputs, const std::vector<ProfilePath>& profiles,
                      const ReadOptions& options, const std::function<void(Run&)>& inspect) {
  std::vector<Run> runs;
  std::vector<std::string> not_profiles;
  for (size_t i = 0; i < profiles.size(); ++i) {
    ReadOptions one = options;
    if (options.progress) {
      one.progress = [&](double share) {
        options.progress((static_cast<double>(i) + share) / static_cast<double>(profiles.size()));
      };
    }
    std::optional<Run> run = read_if_profile(profiles[i], one);
    if (!run) {
      not_profiles.push_back(profiles[i].path);
      continue;
    }
    if (inspect) inspect(*run);
    runs.push_back(std::move(*run));
  }
  return join_runs(inputs, std::move(runs), not_profiles);
}

Session open_inputs(const std::vector<std::string>& inputs, const ReadOptions& options) {
  return read_together(inputs, find_profiles(inputs), options);
}

}  // namespace cgpu
