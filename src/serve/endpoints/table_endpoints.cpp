// /api/p/P/table and /api/p/P/area: tables over a part of the profile.
#include <future>
#include <sstream>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/events/choose_rows.h"
#include "base/error.h"
#include "base/threads.h"
#include "serve/endpoints/endpoints.h"
#include "serve/endpoints/table_parameters.h"
#include "serve/http/parameters.h"
#include "serve/selection.h"
#include "session/summaries/summary_session.h"
#include "table/filter.h"
#include "table/json.h"

namespace cgpu {

namespace {

ViewSelection window_of(const Profile& profile, const Parameters& parameters) {
  const auto [from, to] = parameters.window(profile.view().span());
  ViewSelection selection;
  selection.from = from;
  selection.to = to;
  return selection;
}

void keep_ranks(Table& table, const NumberList& ranks) {
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].name != "rank") continue;
    table.keep_rows([&](RowView row) {
      const Cell cell = row[column];
      const auto* rank = std::get_if<int64_t>(&cell);
      return rank != nullptr && ranks.contains(*rank);
    });
    return;
  }
}

/// The chosen rows of a table over a part of the profile.
Table table_of(const Profile& profile, const Analysis& analysis, const TableOptions& options,
               const ViewSelection& selection, const RowChoice& choice) {
  if (analysis.events != nullptr) {  // there may be millions
    const SelectedSession selected(profile, selection);
    return chosen_rows(analysis, *analysis.events(analysis, selected.facts(), options), choice);
  }
  Table table;
  if (has_no_time(analysis.subject, profile.session())) {
    table = make_table(analysis, profile.facts(), options);
    if (!selection.ranks.empty()) keep_ranks(table, selection.ranks);
  } else {
    table = make_table(analysis, SelectedSession(profile, selection).facts(), options);
  }
  choice.apply(table);
  return table;
}

/// `, "short": [...]`: the short form of the texts of a column, null where it is the text itself.
std::string short_names_of(const Table& table, const std::string& name) {
  const size_t column = table.column(name);
  JsonTextWriter json;
  json.begin_array();
  for (size_t row = 0; row < table.row_count(); ++row) {
    const Cell cell = table.cell(row, column);
    const auto* text = std::get_if<std::string>(&cell);
    write_short_name(json, text != nullptr ? *text : "");
  }
  json.end_array();
  return ",\"short\":" + std::move(json).text();
}

/// What of the rows of a table is wanted.
RowChoice choice_of(const Parameters& parameters) {
  RowChoice choice;
  choice.sort = parameters.text("sort").value_or("");
  choice.top = static_cast<size_t>(parameters.integer("top", 0, UINT32_MAX).value_or(0));
  const auto where = parameters.text("where");
  if (where && !where->empty()) choice.where = Filter::parse(*where);
  return choice;
}

/// A table, and if asked for the short form of the texts of a column.
Answer table_answer(const Session& session, Table table, const std::string& short_of) {
  std::vector<Table> tables;
  tables.push_back(std::move(table));
  const std::string more = short_of.empty() ? "" : short_names_of(tables.front(), short_of);
  std::string body = render_json("table", session.inputs, tables);
  body.insert(body.rfind('}'), more);
  return json_answer(std::move(body));
}

/// What the tables of a selected area are.
constexpr std::array<const char*, 7> kAreaTables = {"kernels", "kernel_classes", "ops", "api",
                                                    "ranges",  "gpu_time",       "idle"};

/// Why a device was idle, the threads show that launched its work, chosen or not: of the chosen tracks only the devices
/// count.
Table idle_of_devices(const Profile& profile, const SessionFacts& window, const ChosenTracks& chosen) {
  Table table = make_table(find_analysis("idle"), window);
  const size_t rank = table.column("rank");
  const size_t device = table.column("device");
  table.keep_rows([&](RowView row) {
    for (size_t run = 0; run < profile.session().runs.size(); ++run) {
      if (Cell(profile.session().runs[run].rank) != row[rank]) continue;
      if (chosen.has_device(run, static_cast<int32_t>(std::get<int64_t>(row[device])))) return true;
    }
    return false;
  });
  return table;
}

}  // namespace

Answer answer_table(const Profile& profile, const Request& request, std::string_view name) {
  const Analysis& analysis = table_called(name);
  Request rest = request;
  const TableOptions options = take_options(analysis, rest);
  const Parameters parameters(rest, {"from", "to", "step", "rank", "top", "sort", "where", "short"});
  ViewSelection selection = window_of(profile, parameters);
  try {
    if (const auto steps = parameters.text("step")) selection.steps = parse_number_range(*steps, "step");
    if (const auto ranks = parameters.text("rank")) selection.ranks = NumberList(*ranks, "rank");
    return table_answer(profile.session(), table_of(profile, analysis, options, selection, choice_of(parameters)),
                        parameters.text("short").value_or(""));
  } catch (const Error& error) {
    throw RequestError(kBadRequest, error.what());
  }
}

Answer answer_table(const OpenedProfile& summary, const Request& request, std::string_view name) {
  const Analysis& analysis = table_called(name);
  const Parameters parameters(request, {"top", "sort", "where", "short"});
  try {
    return table_answer(summary.summary_session().session(), summary.table(analysis, {}, choice_of(parameters)),
                        parameters.text("short").value_or(""));
  } catch (const Error& error) {
    throw RequestError(kBadRequest, error.what());
  }
}

Answer answer_area(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"from", "to", "track"});
  ViewSelection selection = window_of(profile, parameters);
  if (!selection.from || !selection.to) throw RequestError(kBadRequest, "from and to are needed");
  const auto [from, to] = std::pair(*selection.from, *selection.to);
  if (from <= 0 && to >= profile.view().span()) {  // of all there is no part to be cut out
    selection.from.reset();
    selection.to.reset();
  }
  size_t tracks = profile.view().tracks().size();
  std::optional<ChosenTracks> chosen;
  std::optional<SelectedSession> all;  // of the window, whatever the tracks
  if (auto wanted = tracks_of(profile, parameters)) {
    all.emplace(profile, selection);
    selection.tracks = std::move(wanted);
    chosen.emplace(profile, *selection.tracks);
    tracks = selection.tracks->size();
  }
  const SelectedSession selected(profile, selection);
  std::vector<std::future<Table>> tables;
  for (const std::string name : kAreaTables) {
    tables.push_back(in_background([&, name] {
      if (chosen && name == "idle") return idle_of_devices(profile, all->facts(), *chosen);
      return make_table(find_analysis(name), selected.facts());
    }));
  }
  uint64_t slices = 0;
  for (const Run& run : selected.session().runs) slices += run.timeline.slices.size();

  JsonTextWriter json;
  json.begin_object()
      .member("from", from)
      .member("to", to)
      .member("slices", slices)
      .member("tracks", tracks)
      .key("tables")
      .begin_object();
  for (std::future<Table>& pending : tables) {
    const Table table = pending.get();
    if (table.empty()) continue;
    std::ostringstream text;
    write_table_object(text, table);
    json.key(table.name).raw(text.str());
  }
  json.end_object().end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
