#include "session/profile_source.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "links/clocks.h"
#include "links/profile_selection.h"
#include "readers/reader.h"
#include "session/complete_run.h"
#include "session/summaries/release.h"
#include "session/summaries/summary.h"
#include "session/summaries/summary_session.h"

namespace cgpu {

namespace {

/// `inspect`, if given, sees each run before the next is read.
Session read_with(const ProfileSource& source, const std::function<void(Run&)>& inspect) {
  const OpenOptions& options = source.options();
  ReadOptions read = read_options(options);
  if (options.progress) read.progress = [&](double share) { options.progress(OpeningPhase::reading, share); };
  if (source.summary()) return open_inputs(options.inputs, read);  // which refuses them, and says what takes them
  return read_together(options.inputs, source.profiles(), read, inspect);
}

/// All of them, those of other ranks released; nothing where some have to be joined after all.
std::optional<Session> read_ranks(const ProfileSource& source, const KernelDictionary& dictionary) {
  const OpenOptions& options = source.options();
  const NumberList& ranks = source.selection().ranks;
  bool has_companion = false;
  Session session = read_with(source, [&](Run& run) {
    has_companion |= is_companion(run);
    const std::optional<int64_t> rank = claimed_rank_of(run);
    if (has_companion || !rank || ranks.contains(*rank) || !ranks_inside(run).empty()) return;
    complete_run(run, options, dictionary, options.threads);
    release_timeline(run);
  });
  const bool lacks_one = std::any_of(session.runs.begin(), session.runs.end(), [&](const Run& run) {
    return run.released_totals && (has_companion || ranks.contains(run.rank));
  });
  if (lacks_one) return std::nullopt;
  return session;
}

Session read_selected_ranks(const ProfileSource& source, const KernelDictionary& dictionary) {
  if (!source.selection().ranks.empty() && !source.has_stdin()) {
    if (std::optional<Session> session = read_ranks(source, dictionary)) return std::move(*session);
  }
  return read_with(source, nullptr);
}

}  // namespace

ProfileSource::ProfileSource(OpenOptions options, Selection selection)
    : options_(std::move(options)), selection_(std::move(selection)) {
  if (auto summary = summary_of(options_, selection_)) {
    summary_ = std::make_shared<const SummarySession>(std::move(*summary), options_, selection_.ranks);
  } else {
    profiles_ = find_profiles(options_.inputs);
  }
}

bool ProfileSource::has_stdin() const {
  return std::any_of(profiles_.begin(), profiles_.end(),
                     [](const ProfilePath& profile) { return profile.path == "-"; });
}

Session ProfileSource::read() const {
  Session session = read_with(*this, nullptr);
  for (const Run& run : session.runs) report_losses(run, options_);
  return session;
}

Session ProfileSource::open() const {
  const KernelDictionary dictionary = dictionary_of(options_);
  Session session = read_selected_ranks(*this, dictionary);
  for (const Run& run : session.runs) report_losses(run, options_);
  for (size_t i = 0; i < session.runs.size(); ++i) {
    if (session.runs[i].released_totals) continue;
    if (options_.progress) {
      options_.progress(OpeningPhase::linking, static_cast<double>(i) / static_cast<double>(session.runs.size()));
    }
    complete_run(session.runs[i], options_, dictionary, options_.threads);
  }
  align_clocks(session);
  select(session, selection_);
  return session;
}

}  // namespace cgpu
