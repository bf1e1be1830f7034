// /api/p/P/session and /api/p/P/names: what there is to look at.
#include <algorithm>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/idle/idle_causes.h"
#include "analysis/session_clock.h"
#include "kernels/kernel_class.h"
#include "serve/contents.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "session/summaries/summary_session.h"
#include "tiles/first_window.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

constexpr int64_t kNamesInBlock = 4096;

void write_runs(JsonTextWriter& json, const Session& session) {
  json.key("runs").begin_array();
  for (const Run& run : session.runs) {
    json.begin_object()
        .member("rank", run.rank)
        .member("format", run.format)
        .member("file", run.file)
        .member("host", run.host)
        .member("clock", run.clock_is_unix ? "unix" : "relative")
        .end_object();
  }
  json.end_array();
}

void write_tracks(JsonTextWriter& json, const Profile& profile) {
  json.key("tracks").begin_array();
  const std::vector<ViewTrack>& tracks = profile.view().tracks();
  for (ViewTrackId id = 0; id < tracks.size(); ++id) {
    const ViewTrack& track = tracks[id];
    json.begin_object()
        .member("id", id)
        .member("run", track.run)
        .member("rank", profile.session().runs[track.run].rank)
        .member("kind", track.lane->kind)
        .member("drawing", text_of(track.lane->drawing))
        .member("coverage", text_of(track.lane->coverage))
        .member("derived", track.source == kNone)
        .member("on_demand", track.lane->is_found_on_demand)
        .member("group", track.group)
        .member("name", track.name)
        .member("sort", id)
        .member("slices", track.slices)
        .member("lanes", track.lanes)
        .member("samples", track.samples == kNone ? std::nullopt : std::optional(track.samples))
        .member("pinned", false)
        .end_object();
  }
  json.end_array();
}

void write_steps(JsonTextWriter& json, const Profile& profile) {
  json.key("steps").begin_array();
  for (size_t run = 0; run < profile.session().runs.size(); ++run) {
    for (const Step& step : profile.facts().steps(run)) {
      json.begin_object()
          .member("rank", profile.session().runs[run].rank)
          .member("step", step.number)
          .member("start", step.time.begin - profile.view().zero(run))
          .member("duration", step.time.end - step.time.begin)
          .end_object();
    }
  }
  json.end_array();
}

void write_notes(JsonTextWriter& json, const Session& session) {
  Notes notes;
  for (const Run& run : session.runs) notes.merge(notes_of(run));
  json.key("notes").begin_array();
  for (const Note& note : notes.all()) {
    json.begin_object()
        .member("code", note.code)
        .member("count", note.count)
        .member("text", note.text)
        .member("damage", note.damage)
        .end_object();
  }
  json.end_array();
}

/// What the tables are declared as. Those of a summary have no options, and rows without slices.
void write_tables(JsonTextWriter& json, const std::vector<const Analysis*>& tables, bool of_summary) {
  json.key("tables").begin_array();
  for (const Analysis* table : tables) {
    json.begin_object()
        .member("name", table->name)
        .member("about", table->about)
        .member("subject", text_of(table->subject))
        .member("events", table->events != nullptr)
        .member("row_key", of_summary ? std::vector<std::string>() : table->row_slices.keys)
        .key("columns")
        .begin_array();
    for (const Column& column : table->columns) {
      json.begin_object()
          .member("name", column.name)
          .member("type", text_of(column.type))
          .member("unit", column.unit)
          .member("role", text_of(column.role))
          .end_object();
    }
    json.end_array().key("options").begin_array();
    for (const TableOption& option : table->options) {
      if (option.kind == TableOption::Kind::file || of_summary) continue;
      json.begin_object()
          .member("name", option.name)
          .member("kind", text_of(option.kind))
          .member("default", option.fallback)
          .member("choices", option.choices)
          .member("about", option.about)
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

/// ns since 1970 at time 0, as text: it does not fit into what a page calls a number. None where the profile says a
/// implausible year (a clock that was not set, the largest number there is).
std::optional<std::string> start_of(const Session& session, const std::vector<int64_t>& zeros) {
  constexpr int64_t kYear1990 = 631'152'000'000'000'000;
  constexpr int64_t kYear2200 = 7'258'118'400'000'000'000;
  const Run& first = session.runs.front();
  int64_t start = 0;
  if (!first.clock_is_unix || __builtin_add_overflow(first.clock_base, zeros.front(), &start)) {
    return std::nullopt;
  }
  if (start < kYear1990 || start >= kYear2200) return std::nullopt;
  return std::to_string(start);
}

/// ns by which events without times are apart; none where any of the runs has times.
std::optional<int64_t> event_step_of(const Session& session) {
  const int64_t step = session.runs.front().event_step;
  const bool same =
      std::all_of(session.runs.begin(), session.runs.end(), [&](const Run& run) { return run.event_step == step; });
  return same && step > 0 ? std::optional(step) : std::nullopt;
}

void write_facts(JsonTextWriter& json, const ServerIdentity& server, const Session& session, int64_t span,
                 const std::vector<int64_t>& zeros) {
  json.member("session", server.id)
      .member("version", server.version)
      .member("files", server.files)
      .member("title", title_of(session))
      .member("span", span)
      .member("start_unix_ns", start_of(session, zeros))
      .member("event_step", event_step_of(session));
}

/// What numbers in other answers stand for.
void write_words(JsonTextWriter& json) {
  for (const auto& [member, part] :
       {std::pair("kinds", &LaneSliceKind::name), std::pair("looks", &LaneSliceKind::look)}) {
    json.key(member).begin_array();
    for (const LaneSliceKind& kind : slice_kinds()) json.value(kind.*part);
    json.end_array();
  }
  json.key("classes").begin_array();
  for (int i = 0; i < kKernelClasses; ++i) json.value(text_of(static_cast<KernelClass>(i)));
  json.end_array().key("causes").begin_array();
  for (int i = 0; i < kIdleCauses; ++i) json.value(text_of(static_cast<IdleCause>(i)));
  json.end_array();
}

void write_first_window(JsonTextWriter& json, const Profile& profile) {
  const TimelineView& view = profile.view();
  const std::optional<Interval> window = first_window(profile.session(), view.zeros(), view.span());
  json.key("first_window");
  if (!window) {
    json.null();
    return;
  }
  json.begin_object().member("start", window->begin).member("end", window->end).end_object();
}

}  // namespace

Answer answer_session(const Profile& profile, const ServerIdentity& server, const Request& request) {
  const Parameters none(request, {});
  const Session& session = profile.session();
  const Contents contents = contents_of(profile);
  JsonTextWriter json;
  json.begin_object();
  write_facts(json, server, session, profile.view().span(), profile.view().zeros());
  write_first_window(json, profile);
  write_runs(json, session);
  write_tracks(json, profile);
  write_tables(json, contents.tables, false);
  json.member("views", contents.views).member("one_kind", contents.is_of_one_kind);
  write_words(json);
  write_steps(json, profile);
  write_notes(json, session);
  json.end_object();
  return json_answer(std::move(json).text());
}

Answer answer_session(const OpenedProfile& summary, const ServerIdentity& server, const Request& request) {
  const Parameters none(request, {});
  const SummarySession& kept = summary.summary_session();
  const Session& session = kept.session();
  const std::vector<int64_t> zeros = time_zeros(session);
  int64_t span = 0;
  for (size_t run = 0; run < session.runs.size(); ++run) {
    if (const auto extent = extent_of(session.runs[run])) span = std::max(span, extent->end - zeros[run]);
  }
  std::vector<const Analysis*> tables;
  for (const Analysis& analysis : all_analyses()) {
    if (kept.has_rows(analysis)) tables.push_back(&analysis);
  }
  std::vector<std::string> views = {"tables"};
  if (kept.has_rows(find_analysis("rank_activity"))) views.insert(views.begin(), "ranks");
  JsonTextWriter json;
  json.begin_object();
  write_facts(json, server, session, span, zeros);
  json.member("is_summary", true).key("first_window").null();
  write_runs(json, session);
  json.key("tracks").begin_array().end_array();
  write_tables(json, tables, true);
  json.member("views", views);
  write_words(json);
  json.key("steps").begin_array().end_array();
  write_notes(json, session);
  json.end_object();
  return json_answer(std::move(json).text());
}

Answer answer_names(const Profile& profile, const Request& request, std::string_view block_text) {
  const Parameters none(request, {});
  const SharedNames& names = profile.view().names();
  const int64_t last_block = (int64_t{names.size()} - 1) / kNamesInBlock;
  const int64_t block = parse_integer(block_text, "block", 0, UINT32_MAX);
  if (block > last_block) throw RequestError(kNotFound, "there is no such block of names");
  const auto first = static_cast<uint32_t>(block * kNamesInBlock);
  JsonTextWriter json;
  json.begin_object().member("first", first).key("names").begin_array();
  for (uint32_t name = first; name < names.size() && name < first + kNamesInBlock; ++name) {
    json.value(shown_name(names[name]));
  }
  json.end_array().key("short").begin_array();
  for (uint32_t name = first; name < names.size() && name < first + kNamesInBlock; ++name) {
    write_short_name(json, names[name]);
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
