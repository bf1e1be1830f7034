#include "serve/viewer.h"

#include <fmt/format.h>

#include <array>
#include <random>
#include <utility>

#include "serve/assets.h"
#include "serve/json_text_writer.h"

namespace cgpu {

namespace {

std::string random_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

using Endpoint = Answer (*)(const Profile&, const Request&);
constexpr std::array<std::pair<std::string_view, Endpoint>, 15> kEndpoints = {{
    {"/api/tile", answer_tile},
    {"/api/counter", answer_counter},
    {"/api/activity", answer_activity},
    {"/api/slice", answer_slice},
    {"/api/neighbor", answer_neighbor},
    {"/api/flows", answer_flows},
    {"/api/search", answer_search},
    {"/api/area", answer_area},
    {"/api/distributions", answer_distributions},
    {"/api/row", answer_row},
    {"/api/flame", answer_flame},
    {"/api/sources", answer_sources},
    {"/api/source", answer_source},
    {"/api/launch", answer_launch},
    {"/api/export", answer_export},
}};

}  // namespace

Viewer::Viewer(std::string version, std::vector<std::string> inputs)
    : identity_{random_id(), std::move(version)}, inputs_(std::move(inputs)), what_("opening") {}

void Viewer::report(double share, const std::string& what) {
  const std::lock_guard lock(mutex_);
  share_ = share;
  what_ = what;
}

void Viewer::show(Session session, unsigned threads, const TimelineView::Progress& progress) {
  auto profile = std::make_unique<Profile>(std::move(session), threads, progress);
  const std::lock_guard lock(mutex_);
  share_ = 1;
  owned_ = std::move(profile);
  profile_ = owned_.get();
}

void Viewer::fail(const std::string& message) {
  const std::lock_guard lock(mutex_);
  error_ = message;
}

Answer Viewer::status() const {
  const std::lock_guard lock(mutex_);
  JsonTextWriter json;
  json.begin_object()
      .member("session", identity_.id)
      .member("state", is_ready()       ? "ready"
                       : error_.empty() ? "opening"
                                        : "error")
      .member("share", share_)
      .member("what", what_)
      .key("error");
  if (error_.empty()) {
    json.null();
  } else {
    json.value(error_);
  }
  json.member("version", identity_.version).member("inputs", inputs_).end_object();
  Answer answer;
  answer.body = std::move(json).text();
  return answer;
}

Answer Viewer::answer_api(const Request& request) const {
  const std::string_view path = request.path;
  const Profile* profile = profile_;
  if (path == "/api/status") return status();
  if (profile == nullptr) {
    constexpr int kUnavailable = 503;
    return error_answer(kUnavailable, "the profile is not open");
  }
  if (path == "/api/session") return answer_session(*profile, identity_, request);
  constexpr std::string_view kNames = "/api/names/";
  if (path.starts_with(kNames)) return answer_names(*profile, request, path.substr(kNames.size()));
  constexpr std::string_view kTable = "/api/table/";
  if (path.starts_with(kTable)) return answer_table(*profile, request, path.substr(kTable.size()));
  for (const auto& [name, endpoint] : kEndpoints) {
    if (path == name) return endpoint(*profile, request);
  }
  return error_answer(kNotFound, "there is no such request");
}

Answer Viewer::answer(const Request& request) const {
  try {
    if (request.path.starts_with("/api/")) return answer_api(request);
    const Asset* asset = find_asset(request.path);
    if (asset == nullptr) return error_answer(kNotFound, "there is no such page");
    Answer answer;
    answer.type = asset->type;
    answer.body = std::string(asset->content);
    return answer;
  } catch (const RequestError& error) {
    return error_answer(error.status(), error.what());
  } catch (const std::exception& error) {
    constexpr int kServerError = 500;
    return error_answer(kServerError, error.what());
  }
}

}  // namespace cgpu
