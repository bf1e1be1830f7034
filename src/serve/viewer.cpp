#include "serve/viewer.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <random>
#include <utility>

#include "serve/endpoints/compare_endpoints.h"
#include "serve/endpoints/rank_endpoints.h"
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

/// Empty for any other path.
std::optional<Asked> asked_by(std::string_view path) {
  constexpr std::string_view kProfiles = "/api/p/";
  if (!path.starts_with(kProfiles)) return std::nullopt;
  path.remove_prefix(kProfiles.size());
  Asked asked;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), asked.profile);
  path.remove_prefix(static_cast<size_t>(end - path.data()));
  if (error != std::errc() || !path.starts_with('/')) return std::nullopt;
  asked.what = path.substr(1);
  return asked;
}

constexpr std::string_view kCompare = "/api/compare";
bool is_about_both(std::string_view path) {
  return path == kCompare || (path.starts_with(kCompare) && path[kCompare.size()] == '/');
}

/// What is asked of a summary or a timeline of its ranks whose answer changes by itself.
bool is_about_ranks(std::string_view what) {
  return what == "traces" || what == "open" || what == "status";
}

}  // namespace

Viewer::Viewer(std::string version) : identity_{random_id(), std::move(version)} {}

ViewedProfile& Viewer::add(std::vector<std::string> inputs) {
  return *profiles_.emplace_back(std::make_shared<ViewedProfile>(std::move(inputs)));
}

void Viewer::offer_ranks(InputOptions options, std::vector<std::string> folders,
                         std::function<void(const std::string&)> log) {
  ranks_ = std::make_unique<RankTimelines>(std::move(options), std::move(folders), std::move(log));
}

const SummarySession* Viewer::summary_session() const {
  return ranks_ && profiles_[0]->summary() != nullptr ? &profiles_[0]->summary()->summary_session() : nullptr;
}

std::shared_ptr<const RankTimelines::Timeline> Viewer::timeline_of(size_t number) const {
  if (!ranks_) throw RequestError(kNotFound, "there is no such profile");
  return ranks_->find(number - profiles_.size());
}

bool Viewer::changes(std::string_view path) {
  const auto asked = asked_by(path);
  return asked && asked->what == "open";
}

bool Viewer::are_both_open() const {
  return profiles_.size() >= 2 && profiles_[0]->profile() != nullptr && profiles_[1]->profile() != nullptr;
}

void Viewer::end_work() const {
  const auto end = [](const ViewedProfile& viewed) {
    if (viewed.profile() != nullptr) viewed.profile()->sql().stop_all();
  };
  for (const auto& viewed : profiles_) end(*viewed);
  if (!ranks_) return;
  for (const auto& timeline : ranks_->all()) end(timeline->profile);
}

bool Viewer::is_fixed(std::string_view path) const {
  if (is_about_both(path)) return compares_ && are_both_open();
  const auto asked = asked_by(path);
  if (!asked || is_about_ranks(asked->what)) return false;
  if (asked->what == "save") return false;           // large, and rarely wanted twice
  if (asked->what.starts_with("sql")) return false;  // what takes too long today need not tomorrow
  if (asked->profile < profiles_.size()) return profiles_[asked->profile]->is_ready();
  try {
    return timeline_of(asked->profile)->profile.is_ready();
  } catch (const RequestError&) {
    return false;
  }
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
  const auto asked = asked_by(request.path);
  if (!asked) return error_answer(kNotFound, "there is no such request");
  const SummarySession* summary = summary_session();
  if (asked->profile >= profiles_.size()) {
    const auto timeline = timeline_of(asked->profile);
    if (asked->what == "status") return answer_status(*timeline, *summary, request);
    return answer_about({timeline, &timeline->profile}, request, asked->what);
  }
  if (asked->what == "traces" || asked->what == "open") {
    if (!ranks_) return error_answer(kNotFound, "this is no summary: only ranks of summaries can be opened");
    if (summary == nullptr) return error_answer(kUnavailable, "the summary is not open");
    if (asked->what == "traces") return answer_traces(*ranks_, *summary, request);
    return answer_open(*ranks_, *summary, request, profiles_.size());
  }
  return answer_about(profiles_[asked->profile], request, asked->what);
}

Answer Viewer::answer_about(const std::shared_ptr<const ViewedProfile>& viewed, const Request& request,
                            std::string_view what) const {
  if (what == "save") return answer_save(*viewed, request);
  ServerIdentity server = identity_;
  for (const SavedFile& file : viewed->files()) server.files.push_back(file.kind);
  if (viewed->summary() != nullptr) return answer_of(*viewed->summary(), server, request, what);
  if (viewed->profile() == nullptr) return error_answer(kUnavailable, "the profile is not open");
  Answer answer = answer_of(*viewed->profile(), server, request, what);
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
