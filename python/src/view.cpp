#include "view.h"

#include <filesystem>
#include <utility>

#include "serve/static_copy.h"
#include "session/selection/selection.h"

namespace cgpu::python {

std::string viewer_page(const OpenedProfile& profile, size_t most_bytes, bool with_arguments, const Stopped& stopped) {
  profile.facts("the viewer");
  const auto go_on = [&] {
    if (*stopped) throw Stop();
  };
  const InputOptions& input = profile.options();
  OpenOptions open = input.open();
  open.progress = [&](OpeningPhase, double) { go_on(); };
  Session session = open_selected(open, input.selection());
  if (!with_arguments) {
    for (Run& run : session.runs) run.arguments = nullptr;
  }
  std::string made_by = "cgpu view";
  for (const std::string& path : input.inputs) made_by += " " + std::filesystem::path(path).filename().string();
  Viewer viewer(CGPU_VERSION);
  ViewedProfile& viewed = viewer.add(input.inputs);
  viewed.show(std::move(session), input.threads, [&](double) { go_on(); });
  return make_static_copy(viewer, *viewed.profile(), {most_bytes, made_by, [&](double) { go_on(); }}).html;
}

}  // namespace cgpu::python
