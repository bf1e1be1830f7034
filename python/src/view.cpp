#include "view.h"

#include "serve/viewer_copy.h"
#include "session/open_options.h"
#include "session/profile_source.h"

namespace cgpu::python {

std::string viewer_page(const OpenedProfile& profile, size_t most_bytes, bool with_arguments,
                        const std::string& engine_page, const Stopped& stopped) {
  profile.facts("the viewer");
  const auto go_on = [&](double) {
    if (*stopped) throw Stop();
  };
  OpenOptions open = profile.options().open();
  open.progress = [&](OpeningPhase, double share) { go_on(share); };
  return make_viewer_copy(profile.options(),
                          {.most_bytes = most_bytes,
                           .arguments = with_arguments,
                           .engine_page = engine_page,
                           .open = [&](const Selection& part) { return ProfileSource(open, part).open(); },
                           .progress = go_on})
      .html;
}

}  // namespace cgpu::python
