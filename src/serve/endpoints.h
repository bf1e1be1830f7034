// What the viewer's server answers, one function a request of docs/viewer-protocol.md. Each is pure: it reads an opened
// profile and throws RequestError for what cannot be answered.
#pragma once

#include <string>

#include "serve/answer.h"
#include "serve/profile.h"

namespace cgpu {

class Parameters;

/// What identifies a server to the page.
struct ServerIdentity {
  std::string id;  // changes with every start
  std::string version;
};

// session_endpoint.cpp
Answer answer_session(const Profile& profile, const ServerIdentity& server, const Request& request);
Answer answer_names(const Profile& profile, const Request& request, std::string_view block);
// tile_endpoints.cpp
Answer answer_tile(const Profile& profile, const Request& request);
Answer answer_counter(const Profile& profile, const Request& request);
Answer answer_activity(const Profile& profile, const Request& request);
// slice_endpoint.cpp
Answer answer_slice(const Profile& profile, const Request& request);
// launch_story.cpp
Answer answer_launch(const Profile& profile, const Request& request);
// link_endpoints.cpp
Answer answer_neighbor(const Profile& profile, const Request& request);
Answer answer_flows(const Profile& profile, const Request& request);
// search_endpoint.cpp
Answer answer_search(const Profile& profile, const Request& request);
// table_endpoints.cpp
Answer answer_table(const Profile& profile, const Request& request, std::string_view name);
Answer answer_area(const Profile& profile, const Request& request);
// row_endpoints.cpp
Answer answer_distributions(const Profile& profile, const Request& request);
Answer answer_row(const Profile& profile, const Request& request);
// flame_endpoint.cpp
Answer answer_flame(const Profile& profile, const Request& request);
// source_endpoint.cpp
Answer answer_sources(const Profile& profile, const Request& request);
Answer answer_source(const Profile& profile, const Request& request);
// export_endpoint.cpp
Answer answer_export(const Profile& profile, const Request& request);

/// The slice that parameters `track` and `slice` name.
Placed placed_of(const Profile& profile, const Parameters& parameters);

}  // namespace cgpu
