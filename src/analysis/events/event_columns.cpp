#include "analysis/events/event_columns.h"

namespace cgpu {

namespace {

using Texts = std::vector<std::optional<std::string_view>>;

Texts by_track(const Run& run, std::string Track::*text) {
  Texts texts;
  for (const Track& track : run.timeline.tracks) texts.emplace_back(track.*text);
  return texts;
}

Texts by_category(const Run& run, std::string_view (*text_of)(const Category&)) {
  Texts texts;
  for (const Category& category : run.timeline.categories) texts.emplace_back(text_of(category));
  return texts;
}

Texts names_of(const Run& run) {
  Texts texts;
  for (StringId id = 0; id < run.timeline.names.size(); ++id) texts.emplace_back(run.timeline.names[id]);
  return texts;
}

Texts without_empty(Texts texts) {
  for (auto& text : texts) {
    if (text->empty()) text.reset();
  }
  return texts;
}

}  // namespace

void EventTexts::fill() const {
  auto dictionary = std::make_shared<TextDictionary>();
  for (const Run& run : session_.runs) {
    std::vector<int32_t>& codes = codes_.emplace_back();
    for (const std::optional<std::string_view>& text : texts_of_(run)) {
      codes.push_back(text ? dictionary->code(*text) : -1);
    }
  }
  dictionary_ = std::move(dictionary);
}

SliceColumns::SliceColumns(const SessionFacts& facts)
    : session_(facts.session()),
      zeros_(facts.zeros()),
      numbers_(session_),
      names_(session_, names_of),
      names_if_any_(session_, [](const Run& run) { return without_empty(names_of(run)); }),
      categories_(session_,
                  [](const Run& run) {
                    return by_category(run, [](const Category& each) { return std::string_view(each.name); });
                  }),
      kinds_(session_,
             [](const Run& run) {
               return by_category(run, [](const Category& each) { return std::string_view(text_of(each.kind)); });
             }),
      processes_(session_, [](const Run& run) { return by_track(run, &Track::process); }),
      threads_(session_, [](const Run& run) { return by_track(run, &Track::thread); }),
      thread_names_(session_, [](const Run& run) { return without_empty(by_track(run, &Track::thread_name)); }) {}

ColumnValues SliceColumns::rank(const EventPlaces& slices) const {
  return integer_values(slices, [&](EventPlace place) { return session_.runs[place.run].rank; });
}

ColumnValues SliceColumns::start(const EventPlaces& slices) const {
  return integer_values(
      slices, [&](EventPlace place) { return timeline(place.run).slices.start[place.event] - zero(place.run); });
}

ColumnValues SliceColumns::duration(const EventPlaces& slices) const {
  return integer_values(slices, [&](EventPlace place) { return timeline(place.run).slices.duration[place.event]; });
}

ColumnValues SliceColumns::correlation(const EventPlaces& slices) const {
  return integer_values(slices, [&](EventPlace place) -> std::optional<int64_t> {
    const int64_t correlation = timeline(place.run).slices.correlation[place.event];
    if (correlation == kNoCorrelation) return std::nullopt;
    return correlation;
  });
}

ColumnValues SliceColumns::name(const EventPlaces& slices) const {
  return names_.values(slices, [&](EventPlace place) { return timeline(place.run).slices.name[place.event]; });
}

ColumnValues SliceColumns::name_if_any(const EventPlaces& slices) const {
  return names_if_any_.values(slices, [&](EventPlace place) { return timeline(place.run).slices.name[place.event]; });
}

ColumnValues SliceColumns::category(const EventPlaces& slices) const {
  return categories_.values(slices, [&](EventPlace place) { return timeline(place.run).slices.category[place.event]; });
}

ColumnValues SliceColumns::kind(const EventPlaces& slices) const {
  return kinds_.values(slices, [&](EventPlace place) { return timeline(place.run).slices.category[place.event]; });
}

ColumnValues SliceColumns::process(const EventPlaces& slices) const {
  return of_track(processes_, slices);
}

ColumnValues SliceColumns::thread(const EventPlaces& slices) const {
  return of_track(threads_, slices);
}

ColumnValues SliceColumns::thread_name(const EventPlaces& slices) const {
  return of_track(thread_names_, slices);
}

ColumnValues SliceColumns::of_track(const EventTexts& texts, const EventPlaces& slices) const {
  return texts.values(slices, [&](EventPlace place) { return timeline(place.run).slices.track[place.event]; });
}

}  // namespace cgpu
