#include "serve/opening.h"

#include <utility>

#include "session/opened_profile.h"
#include "session/profile_source.h"
#include "session/summaries/summary.h"

namespace cgpu {

namespace {

/// The shares of the opening at which its parts begin, as it takes them on a PyTorch trace of 3 million events. Reading
/// comes first; a part that takes less elsewhere is passed over quicker.
constexpr double kLinking = 0.75;
constexpr double kLayingOut = 0.9;

}  // namespace

void open_profile(ViewedProfile& profile, const InputOptions& input, OpenOptions options,
                  const std::function<void(Session&)>& inspect) {
  if (are_summaries(input.inputs)) {
    return profile.show_summary(OpenedProfile(input, std::move(options.progress), std::move(options.warn)));
  }
  Selection selection = input.selection();
  options.progress = [&profile, heard = std::move(options.progress)](OpeningPhase phase, double share) {
    if (heard) heard(phase, share);
    if (phase == OpeningPhase::reading) return profile.report(kLinking * share, "reading");
    profile.report(kLinking + (kLayingOut - kLinking) * share, "linking launches, ops and waits");
  };
  Session session = ProfileSource(std::move(options), std::move(selection)).open();
  if (inspect) inspect(session);
  const auto lay_out = [&](double share) {
    profile.report(kLayingOut + (1 - kLayingOut) * share, "laying out the timeline");
  };
  lay_out(0);
  profile.show(std::move(session), input.threads, lay_out, input.kernel_rules);
}

}  // namespace cgpu
