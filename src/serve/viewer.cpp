#include "serve/viewer.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <random>
#include <utility>

#include "serve/endpoints/compare_endpoints.h"
#include "serve/http/assets.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

std::string random_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

struct Endpoint {
  std::string_view name;
  Answer (*answer)(const Profile&, const Request&);
};
#define CGPU_LIST_ENDPOINT(name) {#name, answer_##name},
constexpr Endpoint kEndpoints[] = {CGPU_ENDPOINTS(CGPU_LIST_ENDPOINT)};
#undef CGPU_LIST_ENDPOINT

Answer answer_of(const Profile& profile, const ServerIdentity& server, const Request& request, std::string_view what) {
  if (what == "session") return answer_session(profile, server, request);
  constexpr std::string_view kNames = "names/";
  if (what.starts_with(kNames)) return answer_names(profile, request, what.substr(kNames.size()));
  constexpr std::string_view kTable = "table/";
  if (what.starts_with(kTable)) return answer_table(profile, request, what.substr(kTable.size()));
  for (const Endpoint& endpoint : kEndpoints) {
    if (what == endpoint.name) return endpoint.answer(profile, request);
  }
  return error_answer(kNotFound, "there is no such request");
}

Answer answer_of(const OpenedProfile& summary, const ServerIdentity& server, const Request& request,
                 std::string_view what) {
  if (what == "session") return answer_session(summary, server, request);
  constexpr std::string_view kTable = "table/";
  if (what.starts_with(kTable)) return answer_table(summary, request, what.substr(kTable.size()));
  return error_answer(kNotFound, "this is a summary, without a timeline: it has its tables alone");
}

/// What "/api/p/1/table/kernels" asks for: "table/kernels" of profile 1.
struct Asked {
  size_t profile = 0;
  std::string_view what;
};

/// Empty for any other path, and for a profile that there is not.
std::optional<Asked> asked_by(std::string_view path, size_t profiles) {
  constexpr std::string_view kProfiles = "/api/p/";
  if (!path.starts_with(kProfiles)) return std::nullopt;
  path.remove_prefix(kProfiles.size());
  Asked asked;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), asked.profile);
  path.remove_prefix(static_cast<size_t>(end - path.data()));
  if (error != std::errc() || asked.profile >= profiles || !path.starts_with('/')) return std::nullopt;
  asked.what = path.substr(1);
  return asked;
}

constexpr std::string_view kCompare = "/api/compare";
bool is_about_both(std::string_view path) {
  return path == kCompare || (path.starts_with(kCompare) && path[kCompare.size()] == '/');
}

constexpr int kUnavailable = 503;

}  // namespace

Viewer::Viewer(std::string version) : identity_{random_id(), std::move(version)} {}

ViewedProfile& Viewer::add(std::vector<std::string> inputs) {
  return *profiles_.emplace_back(std::make_shared<ViewedProfile>(std::move(inputs)));
}

bool Viewer::are_both_open() const {
  return profiles_.size() >= 2 && profiles_[0]->profile() != nullptr && profiles_[1]->profile() != nullptr;
}

void Viewer::end_work() const {
  for (const auto& viewed : profiles_) {
    if (viewed->profile() != nullptr) viewed->profile()->sql().stop_all();
  }
}

bool Viewer::is_fixed(std::string_view path) const {
  if (is_about_both(path)) return compares_ && are_both_open();
  const auto asked = asked_by(path, profiles_.size());
  if (asked && asked->what.starts_with("sql")) return false;  // what takes too long today need not tomorrow
  return asked && profiles_[asked->profile]->is_ready();
}

Answer Viewer::status() const {
  JsonTextWriter json;
  json.begin_object()
      .member("session", identity_.id)
      .member("version", identity_.version)
      .member("against", compares_)
      .key("profiles")
      .begin_array();
  for (const auto& viewed : profiles_) {
    json.begin_object();
    viewed->write_status(json);
    json.end_object();
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

Answer Viewer::answer_api(const Request& request) const {
  if (request.path == "/api/status") return status();
  if (compares_ && is_about_both(request.path)) return answer_about_both(request);
  const auto asked = asked_by(request.path, profiles_.size());
  if (!asked) return error_answer(kNotFound, "there is no such request");
  return answer_about(profiles_[asked->profile], request, asked->what);
}

Answer Viewer::answer_about(const std::shared_ptr<const ViewedProfile>& viewed, const Request& request,
                            std::string_view what) const {
  if (viewed->summary() != nullptr) return answer_of(*viewed->summary(), identity_, request, what);
  if (viewed->profile() == nullptr) return error_answer(kUnavailable, "the profile is not open");
  Answer answer = answer_of(*viewed->profile(), identity_, request, what);
  if (answer.stream) {  // which goes on when this has returned
    answer.stream = [viewed, stream = std::move(answer.stream)](const auto& take) { stream(take); };
  }
  return answer;
}

Answer Viewer::answer_about_both(const Request& request) const {
  if (!are_both_open()) return error_answer(kUnavailable, "not both profiles are open");
  std::call_once(compared_once_, [&] { compared_.emplace(*profiles_[0]->profile(), *profiles_[1]->profile()); });
  return answer_compare(*compared_, request, std::string_view(request.path).substr(kCompare.size()));
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
