// /api/p/P/sql, /api/p/P/sql_stop and /api/p/P/place: a statement of SQL over the tables of the profile, its end before
// its time, and where on the timeline the slice is that tables know by a number.
#include "analysis/events/slice_numbers.h"
#include "base/error.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "table/json.h"

namespace cgpu {

namespace {
constexpr int64_t kMostRows = 10'000;
constexpr int64_t kMostSeconds = 30;
}  // namespace

Answer answer_sql(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"statement", "id", "top", "seconds"});
  const std::string statement = parameters.required_text("statement");
  const auto rows = static_cast<size_t>(parameters.integer("top", 1, kMostRows).value_or(kMostRows));
  const std::chrono::seconds time(parameters.integer("seconds", 1, kMostSeconds).value_or(kMostSeconds));
  try {
    ProfileSql::Result result = profile.sql().run(statement, parameters.text("id").value_or(""), rows, time);
    std::string body = render_json("sql", profile.session().inputs, {std::move(result.table)});
    body.insert(body.rfind('}'), result.is_cut ? ",\"is_cut\":true" : ",\"is_cut\":false");
    return json_answer(std::move(body));
  } catch (const Error& error) {
    throw RequestError(kBadRequest, error.what());
  }
}

Answer answer_sql_stop(const Profile& profile, const Request& request) {
  profile.sql().stop(Parameters(request, {"id"}).required_text("id"));
  return json_answer("{}");
}

Answer answer_place(const Profile& profile, const Request& request) {
  const int64_t number = Parameters(request, {"slice"}).required_integer("slice", 0, INT64_MAX);
  const auto place = SliceNumbers(profile.session()).place(number);
  if (!place) throw RequestError(kNotFound, "there is no such slice");
  JsonTextWriter json;
  write_position(json, profile.view(), place->run, place->event);
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
