// What tables of events say about slices, as columns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/events/slice_numbers.h"
#include "analysis/session_facts.h"
#include "table/table.h"

namespace cgpu {

/// value_of(place) is an integer or, where it may be absent, an optional one.
template <typename ValueOf>
ColumnValues integer_values(const EventPlaces& places, ValueOf value_of) {
  ColumnValues values(ColumnType::integer);
  values.reserve(places.size());
  for (const EventPlace place : places) {
    const std::optional<int64_t> value = value_of(place);
    if (value) {
      values.append(*value);
    } else {
      values.append_absent();
    }
  }
  return values;
}

/// The texts of a column of several runs, each of which numbers them from 0: one dictionary, which all batches share.
/// Filled when it is first asked.
class EventTexts {
 public:
  using TextsOf = std::vector<std::optional<std::string_view>> (*)(const Run& run);
  EventTexts(const Session& session, TextsOf texts_of) : session_(session), texts_of_(texts_of) {}

  /// number_of(place) is the number of the text in its run.
  template <typename NumberOf>
  ColumnValues values(const EventPlaces& places, NumberOf number_of) const {
    if (!dictionary_) fill();
    std::vector<int32_t> codes;
    codes.reserve(places.size());
    for (const EventPlace place : places) codes.push_back(codes_[place.run][number_of(place)]);
    ColumnValues values(ColumnType::text);
    values.append_codes(dictionary_, codes);
    return values;
  }

 private:
  void fill() const;

  const Session& session_;
  TextsOf texts_of_;
  mutable std::shared_ptr<TextDictionary> dictionary_;
  mutable std::vector<std::vector<int32_t>> codes_;  // by run and number
};

/// For EventTexts: the texts of an enumeration by its values up to `last`, the same in all runs; absent where empty.
template <typename Enum, const char* (*text)(Enum), Enum last>
std::vector<std::optional<std::string_view>> texts_of_enum(const Run&) {
  std::vector<std::optional<std::string_view>> texts;
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    const std::string_view each = text(static_cast<Enum>(value));
    texts.emplace_back(each.empty() ? std::nullopt : std::optional(each));
  }
  return texts;
}

/// The number by which table `slices` knows a slice, to join by: "its number in table slices".
inline Column slice_column(const std::string& whose) {
  return {"slice", ColumnType::integer, "", whose + " number in table slices", ColumnRole::key};
}

/// The columns of slices. `session` and its facts must outlive it.
class SliceColumns {
 public:
  explicit SliceColumns(const SessionFacts& facts);

  ColumnValues rank(const EventPlaces& slices) const;
  /// Absent for kNone.
  ColumnValues number(const EventPlaces& slices) const {
    return integer_values(slices, [&](EventPlace place) { return numbers_.number(place.run, place.event); });
  }
  ColumnValues start(const EventPlaces& slices) const;  // from the start of the profile
  ColumnValues duration(const EventPlaces& slices) const;
  ColumnValues correlation(const EventPlaces& slices) const;
  ColumnValues name(const EventPlaces& slices) const;
  ColumnValues name_if_any(const EventPlaces& slices) const;  // absent where it is empty
  ColumnValues category(const EventPlaces& slices) const;
  ColumnValues kind(const EventPlaces& slices) const;
  ColumnValues process(const EventPlaces& slices) const;
  ColumnValues thread(const EventPlaces& slices) const;
  ColumnValues thread_name(const EventPlaces& slices) const;

  const SliceNumbers& numbers() const { return numbers_; }
  const Session& session() const { return session_; }
  const Timeline& timeline(size_t run) const { return session_.runs[run].timeline; }
  /// The time on the clock of a run that is shown as 0.
  int64_t zero(size_t run) const { return zeros_[run]; }

 private:
  ColumnValues of_track(const EventTexts& texts, const EventPlaces& slices) const;

  const Session& session_;
  const std::vector<int64_t>& zeros_;
  const SliceNumbers numbers_;
  EventTexts names_, names_if_any_, categories_, kinds_, processes_, threads_, thread_names_;
};

}  // namespace cgpu
