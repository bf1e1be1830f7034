#include "serve/endpoints/rank_endpoints.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/session_clock.h"
#include "serve/http/parameters.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

std::vector<int64_t> ranks_of(const Request& request) {
  const auto ranks = Parameters(request, {"rank"}).integers("rank", 0, INT64_MAX);
  if (!ranks) throw RequestError(kBadRequest, "rank is missing");
  return *ranks;
}

/// When in the time of the summary the timeline begins; none before it is open.
std::optional<int64_t> beginning_of(const RankTimelines::Timeline& timeline, const SummarySession& summary) {
  const Profile* profile = timeline.profile.profile();
  if (profile == nullptr) return std::nullopt;
  const std::vector<Run>& runs = summary.session().runs;
  const auto run =
      std::find_if(runs.begin(), runs.end(), [&](const Run& one) { return one.rank == timeline.ranks.front(); });
  const auto index = static_cast<size_t>(run - runs.begin());
  return profile->view().zero(0) - time_zeros(summary.session())[index];
}

}  // namespace

Answer answer_traces(const RankTimelines& timelines, const SummarySession& summary, const Request& request) {
  JsonTextWriter json;
  json.begin_object().key("ranks").begin_array();
  for (const RankTimelines::RankFile& file : timelines.files(summary, ranks_of(request))) {
    const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    json.begin_object()
        .member("rank", file.rank)
        .member("name", file.name)
        .member("path", given(file.path))
        .member("error", given(file.error))
        .end_object();
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

Answer answer_open(RankTimelines& timelines, const SummarySession& summary, const Request& request, size_t first) {
  JsonTextWriter json;
  const size_t number = timelines.open(summary, ranks_of(request));
  json.begin_object().member("profile", static_cast<uint64_t>(first + number)).end_object();
  return json_answer(std::move(json).text());
}

Answer answer_status(const RankTimelines::Timeline& timeline, const SummarySession& summary, const Request& request) {
  const Parameters none(request, {});
  JsonTextWriter json;
  json.begin_object();
  timeline.profile.write_status(json);
  json.member("ranks", timeline.ranks).member("start", beginning_of(timeline, summary)).end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
