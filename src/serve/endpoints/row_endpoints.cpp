// /api/p/P/distributions and /api/p/P/row: how the durations of a table's rows are distributed, and which slices a row
// is made of. O(slices).
#include <algorithm>
#include <array>
#include <tuple>

#include "serve/endpoints/endpoints.h"
#include "serve/endpoints/table_parameters.h"
#include "serve/http/parameters.h"

namespace cgpu {

namespace {

constexpr size_t kBars = 24;

/// The part of a slice that lies in the window of a request.
class Window {
 public:
  Window(const Profile& profile, const Parameters& parameters)
      : profile_(profile),
        time_(parameters.window(profile.view().span())),
        rank_(parameters.integer("rank", INT64_MIN, INT64_MAX)) {}

  /// Its length there, as tables over the window have it; empty where nothing of it is inside.
  std::optional<int64_t> length_in(size_t run, SliceIndex slice) const {
    const Run& of = profile_.session().runs[run];
    if (rank_ && of.rank != *rank_) return std::nullopt;
    const Slices& slices = of.timeline.slices;
    const int64_t duration = slices.duration[slice];
    if (!time_.from && !time_.to) return duration;
    const int64_t start = slices.start[slice] - profile_.view().zero(run);
    const int64_t from = time_.from.value_or(INT64_MIN);
    const int64_t to = time_.to.value_or(INT64_MAX);
    const int64_t end = start + duration;
    if (start >= to || (duration == 0 ? start < from : end <= from)) return std::nullopt;
    return std::min(end, to) - std::max(start, from);
  }

 private:
  const Profile& profile_;
  TimeWindow time_;
  std::optional<int64_t> rank_;
};

struct Durations {
  int64_t count = 0;
  int64_t total = 0;
  int64_t shortest = INT64_MAX;
  int64_t longest = INT64_MIN;

  void add(int64_t duration) {
    ++count;
    if (__builtin_add_overflow(total, duration, &total)) total = INT64_MAX;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
  }
  /// Bars are of equal width from the shortest to the longest.
  size_t bar_of(int64_t duration) const {
    const double share =
        static_cast<double>(duration - shortest) / std::max(1.0, static_cast<double>(longest - shortest));
    return std::min(kBars - 1, static_cast<size_t>(share * static_cast<double>(kBars)));
  }
};

void write_durations(JsonTextWriter& json, const Durations& durations) {
  json.member("count", durations.count)
      .member("total", durations.total)
      .member("min", durations.shortest)
      .member("max", durations.longest);
}

void write_cell(JsonTextWriter& json, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    json.value(*text);
  } else {
    json.null();
  }
}

/// The table that a request is about, and its options, which are taken out of the request.
struct RowsOfSlices {
  const Analysis& table;
  TableOptions options;

  explicit RowsOfSlices(Request& request) : table(wanted_of(request)), options(take_options(table, request)) {}

  std::vector<Row> visit(const Profile& profile, const RowSlices::Visit& visit) const {
    return table.row_slices.visit(profile.facts(), options, visit);
  }

 private:
  static const Analysis& wanted_of(const Request& request) {
    const auto given = request.query.find("table");
    if (given == request.query.end()) throw RequestError(kBadRequest, "table is missing");
    const Analysis& table = table_called(given->second);
    if (table.row_slices.visit == nullptr)
      throw RequestError(kNotFound, "the rows of this table are not made of slices");
    return table;
  }
};

}  // namespace

Answer answer_distributions(const Profile& profile, const Request& request) {
  Request rest = request;
  const RowsOfSlices all(rest);
  const Parameters parameters(rest, {"table", "from", "to", "rank", "top"});
  const Window window(profile, parameters);
  const auto top = static_cast<size_t>(parameters.integer("top", 1, 100'000).value_or(20'000));

  std::vector<Durations> rows;
  const std::vector<Row> keys = all.visit(profile, [&](size_t run, SliceIndex slice, uint32_t row) {
    if (row >= rows.size()) rows.resize(row + 1);
    if (const auto length = window.length_in(run, slice)) rows[row].add(*length);
  });
  std::vector<uint32_t> order;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (rows[row].count > 0) order.push_back(row);
  }
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return rows[a].total > rows[b].total; });
  order.resize(std::min(order.size(), top));

  std::vector<uint32_t> place(rows.size(), UINT32_MAX);  // in `order`
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<std::array<int64_t, kBars>> counts(order.size());
  all.visit(profile, [&](size_t run, SliceIndex slice, uint32_t row) {
    if (place[row] == UINT32_MAX) return;
    if (const auto length = window.length_in(run, slice)) ++counts[place[row]][rows[row].bar_of(*length)];
  });

  JsonTextWriter json;
  json.begin_object().member("columns", all.table.row_slices.keys).key("rows").begin_array();
  for (const uint32_t row : order) {
    json.begin_object().key("key").begin_array();
    for (const Cell& cell : keys[row]) write_cell(json, cell);
    json.end_array();
    write_durations(json, rows[row]);
    json.key("counts").begin_array();
    for (const int64_t count : counts[place[row]]) json.value(count);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

Answer answer_row(const Profile& profile, const Request& request) {
  Request rest = request;
  const RowsOfSlices all(rest);
  const Row wanted = take_row_key(all.table, rest);
  const Parameters parameters(rest, {"table", "from", "to", "rank", "limit", "cut"});
  const Window window(profile, parameters);
  const auto limit = static_cast<size_t>(parameters.integer("limit", 1, 10'000).value_or(1000));

  struct Found {
    size_t run;
    SliceIndex slice;
    int64_t length;  // in the window
  };
  const std::vector<Row> keys = all.visit(profile, [](size_t, SliceIndex, uint32_t) {});
  const bool cut = parameters.flag("cut");
  const auto is_wanted = [&](const Row& key) {
    return std::equal(key.begin(), key.end(), wanted.begin(), [&](const Cell& cell, const Cell& given) {
      const auto* text = std::get_if<std::string>(&cell);
      const auto* part = std::get_if<std::string>(&given);
      return cell == given || (cut && text != nullptr && part != nullptr && text->starts_with(*part));
    });
  };
  const auto row = static_cast<uint32_t>(std::find_if(keys.begin(), keys.end(), is_wanted) - keys.begin());
  std::vector<Found> found;
  all.visit(profile, [&](size_t run, SliceIndex slice, uint32_t of) {
    if (of != row) return;
    if (const auto length = window.length_in(run, slice)) found.push_back({run, slice, *length});
  });
  if (found.empty()) throw RequestError(kNotFound, "there is no such row");
  Durations durations;
  for (const Found& each : found) durations.add(each.length);
  const auto time_of = [&](const Found& each) {
    return profile.session().runs[each.run].timeline.slices.start[each.slice] - profile.view().zero(each.run);
  };
  const auto shown = found.begin() + static_cast<std::ptrdiff_t>(std::min(limit, found.size()));
  std::partial_sort(found.begin(), shown, found.end(), [&](const Found& a, const Found& b) {
    return std::tuple(-a.length, time_of(a), a.run, a.slice) < std::tuple(-b.length, time_of(b), b.run, b.slice);
  });

  JsonTextWriter json;
  json.begin_object();
  write_durations(json, durations);
  json.key("slices").begin_array();
  for (auto each = found.begin(); each != shown; ++each) {
    write_position(json, profile.view(), each->run, each->slice);
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
