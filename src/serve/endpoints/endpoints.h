// The requests about a profile (docs/viewer-protocol.md), one function each. All are pure: they read an opened profile
// and throw RequestError for what cannot be answered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/answer.h"
#include "serve/profile.h"
#include "session/opened_profile.h"

namespace cgpu {

class Parameters;
class ViewedProfile;

/// Identifies a server to the page.
struct ServerIdentity {
  std::string id;  // changes with every start
  std::string version;
  std::vector<std::string> files = {};  // kinds of SavedFile that the profile offers
};

/// Those with a name and nothing behind it: /api/p/P/NAME is answered by answer_NAME. A new one is a line here and a
/// file beside this one.
#define CGPU_ENDPOINTS(ENDPOINT) \
  ENDPOINT(tile)                 \
  ENDPOINT(counter)              \
  ENDPOINT(activity)             \
  ENDPOINT(tiles)                \
  ENDPOINT(slice)                \
  ENDPOINT(neighbor)             \
  ENDPOINT(flows)                \
  ENDPOINT(launch)               \
  ENDPOINT(search)               \
  ENDPOINT(area)                 \
  ENDPOINT(functions)            \
  ENDPOINT(distributions)        \
  ENDPOINT(row)                  \
  ENDPOINT(flame)                \
  ENDPOINT(sources)              \
  ENDPOINT(source)               \
  ENDPOINT(sql)                  \
  ENDPOINT(sql_stop)             \
  ENDPOINT(place)                \
  ENDPOINT(export)

#define CGPU_DECLARE_ENDPOINT(name) Answer answer_##name(const Profile& profile, const Request& request);
CGPU_ENDPOINTS(CGPU_DECLARE_ENDPOINT)
#undef CGPU_DECLARE_ENDPOINT

Answer answer_session(const Profile& profile, const ServerIdentity& server, const Request& request);
/// The file of a kind, made now.
Answer answer_save(const ViewedProfile& viewed, const Request& request);
Answer answer_names(const Profile& profile, const Request& request, std::string_view block);
Answer answer_table(const Profile& profile, const Request& request, std::string_view name);

/// The same of a summary: its tables whole, without options, and no timeline.
Answer answer_session(const OpenedProfile& summary, const ServerIdentity& server, const Request& request);
Answer answer_table(const OpenedProfile& summary, const Request& request, std::string_view name);

/// The slice that parameters `track` and `slice` name.
SlicePosition position_of(const Profile& profile, const Parameters& parameters);
/// The tracks that parameter `track` names, each once, ascending; absent without it.
std::optional<std::vector<ViewTrackId>> tracks_of(const Profile& profile, const Parameters& parameters);

}  // namespace cgpu
