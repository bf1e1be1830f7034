#include "readers/hpctoolkit/hpctoolkit.h"

#include <filesystem>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/mapped_file.h"
#include "readers/common/input.h"
#include "readers/hpctoolkit/metric_catalog.h"
#include "readers/hpctoolkit/processes.h"
#include "readers/hpctoolkit/profiles.h"
#include "readers/hpctoolkit/sample_values.h"
#include "readers/hpctoolkit/source_folder.h"
#include "readers/hpctoolkit/traces.h"

namespace cgpu::hpctoolkit {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "HPCTOOLKITmeta";
constexpr const char* kEarlierFormat =
    "format of 2021 that was soon given up; make it again from its measurements with hpcprof of 2022.10 or later";

/// The first bytes of a file; none where there is no such file.
std::string head_of(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return "";
  std::string head(kMagic.size(), '\0');
  try {
    head.resize(File(file.string()).read_at(0, head.data(), head.size()));
  } catch (const Error&) {
    return "";
  }
  return head;
}

/// What HPCToolkit wrote from 2021 to 2022: files of the same names, with other contents.
bool is_earlier_database(const Input& input) {
  return input.is_folder && head_of(fs::path(input.path) / "profile.db").starts_with("HPCPROF-");
}

std::shared_ptr<const MappedFile> map_if_there(const fs::path& file, Run& run) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return nullptr;
  auto mapped = std::make_shared<MappedFile>(file.string());
  run.input_bytes += mapped->bytes().size();
  return mapped;
}

/// The metrics that the database computes from others.
std::vector<TaxonomyMetric> taxonomy_of(const fs::path& folder, Notes& notes) {
  std::error_code ignored;
  const fs::path file = folder / "metrics" / "default.yaml";
  if (!fs::is_regular_file(file, ignored)) return {};
  const MappedFile mapped(file.string());
  constexpr size_t kMost = size_t{16} << 20;  // a few hundred kB in real ones
  if (mapped.bytes().size() > kMost) {
    notes.add("skipped_file", 1, "metrics/default.yaml is too large to be what it should, and was not read");
    return {};
  }
  return read_taxonomy(std::string(mapped.bytes()), notes);
}

/// What the contexts in the files came to, for `info`.
void add_facts(Run& run, const Meta& meta, const ProfileCounts& counts, const std::vector<Identity>& identities) {
  const int64_t listed = int64_t{meta.tree.nodes.size()} - 1;  // the root is not listed
  const auto add = [&](const char* key, int64_t value) { run.metadata.emplace_back(key, std::to_string(value)); };
  if (!meta.title.empty()) run.metadata.emplace_back("title", meta.title);
  add("contexts", listed + counts.not_in_tree + 1);
  add("contexts_listed", listed);
  add("contexts_with_values", counts.with_values);
  add("contexts_folded", counts.not_in_tree);
  std::set<uint64_t> ranks;
  for (const Identity& identity : identities) {
    if (identity.rank) ranks.insert(*identity.rank);
  }
  if (!ranks.empty()) run.world_size = static_cast<int64_t>(ranks.size());
}

void warn_of_sampling(Run& run) {
  const auto samples = run.call_tree->find_metric("GSAMP:TOT");
  if (!samples || !run.call_tree->has_values(*samples)) return;
  run.notes.add("sampling_distortion", 1,
                "instructions were sampled on the device, which slows launches down: its idle time is not that of an "
                "undisturbed run");
}

}  // namespace

bool is_database(const Input& input) {
  if (!input.is_folder) return input.head.starts_with(kMagic);
  return head_of(fs::path(input.path) / "meta.db") == kMagic || is_earlier_database(input);
}

Run read_database(const Input& input, const ReadOptions&) {
  const fs::path folder = folder_of(input);
  if (is_earlier_database(input) && head_of(folder / "meta.db").empty()) {
    throw Error(input.path, std::string("is an HPCToolkit database in a ") + kEarlierFormat);
  }
  Run run = new_run(input.path, "hpctoolkit-v4");
  const std::string meta_name = input.is_folder ? (folder / "meta.db").string() : input.path;
  const MappedFile meta_file(meta_name);
  run.input_bytes = meta_file.bytes().size();
  const Bytes meta_bytes(meta_file.bytes());
  Meta meta = read_meta(meta_bytes, meta_name, taxonomy_of(folder, run.notes), run.notes);
  if (!has_footer(meta_file.bytes(), "_meta.db")) {
    run.notes.add("truncated_input", 1, "meta.db does not end as it should: it is cut off", true);
  }
  run.format_version = meta.version;

  const auto profile_file = map_if_there(folder / "profile.db", run);
  const auto trace = map_if_there(folder / "trace.db", run);
  std::shared_ptr<Profiles> profiles;
  ProfileCounts counts;
  Processes processes;
  if (profile_file) {
    try {
      profiles = std::make_shared<Profiles>(profile_file, meta.kinds, run.notes);
      counts = profiles->read_summary(meta.tree, meta.ids, meta.contexts, run.notes);
      if (!has_footer(profile_file->bytes(), "_prof.db")) {
        run.notes.add("truncated_input", 1, "profile.db does not end as it should: it is cut off", true);
      }
      const auto cct = map_if_there(folder / "cct.db", run);
      processes = find_processes(*profiles, Bytes(trace ? trace->bytes() : std::string_view()), meta, run.notes);
      meta.tree.profiles = call_profiles(profiles->identities(), processes);
      meta.tree.profile_values = profile_values(profiles, cct, meta.contexts, meta.ids, run.notes);
    } catch (const Error& error) {
      run.notes.add("damaged_input", 1, std::string("the call tree has no values: ") + error.what(), true);
    }
  } else {
    run.notes.add("damaged_input", 1, "there is no profile.db beside meta.db: the call tree has no values", true);
  }
  choose_main_metric(meta.tree);
  find_sample_values(meta.tree);
  add_facts(run, meta, counts, profiles ? profiles->identities() : std::vector<Identity>());
  if (counts.not_in_tree > 0) {
    run.notes.add(
        "folded_context", counts.not_in_tree,
        "contexts (mostly single instructions) have values, but are not in the call tree; their values are in "
        "those of the lines and functions above them");
  }
  run.call_tree = std::move(meta.tree);
  run.sources = source_folder(folder.string(), *run.call_tree);
  warn_of_sampling(run);
  if (trace && profiles) {
    read_traces(Bytes(trace->bytes()), meta, *profiles, processes, run);
    run.call_tree->sampled_nodes = sampled_nodes(trace, std::move(meta.contexts));
    if (!has_footer(trace->bytes(), "trace.db")) {
      run.notes.add("truncated_input", 1, "trace.db does not end as it should: it is cut off", true);
    }
  }
  run.text_bytes = run.input_bytes;
  return run;
}

}  // namespace cgpu::hpctoolkit
