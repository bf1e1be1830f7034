// The entry point of the readers: from the names of files and folders to runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/run.h"
#include "readers/common/read_options.h"
#include "readers/discover.h"

namespace cgpu {

/// The profiles that files, directories of rank files, globs, and "-" (standard input) name. Throws Error.
std::vector<ProfilePath> find_profiles(const std::vector<std::string>& inputs);

/// Reads one of them as it is: cgpu::complete has not been called, and its rank may still change. Throws Error.
Run read_profile(const ProfilePath& profile, const ReadOptions& options);

/// The same; nothing where it was found in a folder, in which other things may lie, and cannot be read. Of one that
/// should have been a rank, `options.left_out` is called. Throws Error also where access to it is refused.
std::optional<Run> read_if_profile(const ProfilePath& profile, const ReadOptions& options);

/// Whether a file is a profile in a format that is known, by its beginning.
bool is_profile(const std::string& file);
/// Whether a folder is one profile, by what lies in it.
bool is_profile_folder(const std::string& folder);

/// Whether a run says more about another one, with which it has to be joined: a memory timeline, an execution trace.
bool is_companion(const Run& run);

/// The rank that a run says, or else the name of its file: what it will have, unless another run has that one too.
std::optional<int64_t> claimed_rank_of(const Run& run);

/// Makes one session of runs in the order of their profiles: joins companions with what they belong to, and gives every
/// run a rank of its own. `runs` are sorted by rank then. `not_profiles` were left out. Throws Error for no runs.
Session join_runs(const std::vector<std::string>& inputs, std::vector<Run> runs,
                  const std::vector<std::string>& not_profiles);

/// Reads all profiles, which `inputs` name, and makes one session of them. `inspect`, if given, sees each run before
/// the next is read. Throws Error.
Session read_together(const std::vector<std::string>& inputs, const std::vector<ProfilePath>& profiles,
                      const ReadOptions& options, const std::function<void(Run&)>& inspect = nullptr);

/// The same of all profiles that the inputs name.
Session open_inputs(const std::vector<std::string>& inputs, const ReadOptions& options);

}  // namespace cgpu
