#include "analysis/events/choose_rows.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "base/test_sanitized.h"
#include "model/test_arguments.h"

namespace cgpu {
namespace {

class SourceAsArgument : public test::MadeArguments {
  std::vector<Argument> of(uint64_t source) override { return {{"source", std::to_string(source % 5), true}}; }
};

Table chosen_afterwards(Table table, const RowChoice& choice) {
  choice.apply(table);
  return table;
}

/// Conditions on all kinds of columns that a table has.
std::vector<std::string> conditions(const Table& table) {
  std::vector<std::string> all = {""};
  std::string both;
  for (const Column& column : table.columns) {
    all.push_back(column.name + (column.type == ColumnType::text ? " ~ [aeiou]" : " > 1"));
    if (column.name == "name" || column.name == "rank" || column.name == "stream") {
      both += (both.empty() ? "" : " and ") + column.name + " != 1";
    }
  }
  all.push_back(both);
  all.push_back(table.columns.front().name + " = 77");
  return all;
}

/// Every choice of rows is that of the whole table, filtered, sorted and cut.
void check_choices(const Analysis& analysis, const EventTable& events) {
  const Table whole = whole_event_table(analysis, events);
  expect_well_formed(whole);
  ASSERT_EQ(whole.row_count(), events.row_count());
  for (const std::string& where : conditions(whole)) {
    RowChoice choice{where.empty() ? Filter() : Filter::parse(where), "", 0};
    EXPECT_EQ(count_rows(analysis, events, choice.where), chosen_afterwards(whole, choice).row_count());
    for (const size_t top : {size_t{0}, size_t{1}, size_t{5}, size_t{1000}}) {
      choice.top = top;
      choice.sort.clear();
      EXPECT_EQ(chosen_rows(analysis, events, choice), chosen_afterwards(whole, choice)) << where << " " << top;
      for (const Column& column : whole.columns) {
        for (const char* sign : {"", "+", "-"}) {
          choice.sort = sign + column.name;
          EXPECT_EQ(chosen_rows(analysis, events, choice), chosen_afterwards(whole, choice))
              << analysis.name << ": " << choice.sort << " " << where << " " << top;
        }
      }
    }
  }
}

TEST(ChooseRows, AsFromTheWholeTable) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::framework_op, "aten::mm"},
                                             {SliceKind::annotation, ""},
                                             {SliceKind::runtime_call, "cudaLaunchKernel"}};
  for (unsigned seed = 0; seed < (kSanitized ? 1 : 4); ++seed) {
    Session session = session_of(RandomRun(seed, vocabulary, HostShape::nested),
                                 RandomRun(seed + 1000, vocabulary, HostShape::overlapping));
    for (cgpu::Run& run : session.runs) {
      if (seed % 4 == 0) run.arguments = std::make_shared<SourceAsArgument>();
      for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) run.timeline.slices.source[i] = 7 * i % 11;
    }
    const SessionFacts facts(session);
    for (const Analysis& analysis : all_analyses()) {
      if (analysis.events == nullptr) continue;
      TableOptions options;
      if (analysis.name == "slices" && seed % 2 == 0) options.set("args", {""});
      check_choices(analysis, *analysis.events(analysis, facts, options));
      if (HasFailure()) return;
    }
  }
}

TEST(ChooseRows, RefusesWhatTheTableDoesNotHave) {
  const Session session = session_of(TestRun());
  const SessionFacts facts(session);
  const Analysis& analysis = find_analysis("slices");
  const auto events = analysis.events(analysis, facts, {});
  EXPECT_ANY_THROW(chosen_rows(analysis, *events, {{}, "nonsense", 1}));
  EXPECT_ANY_THROW(chosen_rows(analysis, *events, {Filter::parse("nonsense = 1"), "", 1}));
  EXPECT_ANY_THROW(chosen_rows(analysis, *events, {Filter::parse("rank = x"), "", 1}));
}

/// Rows of numbers and texts that follow from the row, which remembers how many values it was asked for.
class CountedEvents : public EventTable {
 public:
  explicit CountedEvents(uint32_t rows) : rows_(rows) {
    for (int text = 0; text < 10; ++text) texts_->code("text " + std::to_string(text));
  }
  size_t row_count() const override { return rows_; }
  ColumnValues values(size_t column, std::span<const uint32_t> rows) const override {
    asked += rows.size();
    ColumnValues values(column == 2 ? ColumnType::text : column == 1 ? ColumnType::real : ColumnType::integer);
    std::vector<int32_t> codes;
    for (const uint32_t row : rows) {
      const uint32_t mixed = row * 2654435761U >> 7;
      if (column == 0) values.append(int64_t{mixed});
      if (column == 1 && mixed % 3 == 0) values.append_absent();
      if (column == 1 && mixed % 3 != 0) values.append(static_cast<double>(mixed % 1000) / 7);
      codes.push_back(static_cast<int32_t>(mixed % 11) - 1);
    }
    if (column == 2) values.append_codes(texts_, codes);
    return values;
  }
  mutable size_t asked = 0;

 private:
  uint32_t rows_;
  std::shared_ptr<TextDictionary> texts_ = std::make_shared<TextDictionary>();
};

Analysis counted_analysis() {
  return {.name = "counted",
          .about = "rows that are counted",
          .columns = {{"mixed", ColumnType::integer, "", ""},
                      {"share", ColumnType::real, "", ""},
                      {"text", ColumnType::text, "", ""}}};
}

TEST(ChooseRows, OverManyBatches) {
  const Analysis analysis = counted_analysis();
  const CountedEvents events(kSanitized ? 70'001 : 150'000);
  const Table whole = whole_event_table(analysis, events);
  for (const char* where : {"", "text ~ [357]", "share < 3 and text != 'text 1'"}) {
    if (kSanitized && *where != 0) break;
    for (const char* sort : {"", "mixed", "+mixed", "share", "+share", "text", "-text"}) {
      for (const size_t top : {size_t{0}, size_t{10}, size_t{70'000}}) {
        const RowChoice choice{*where == 0 ? Filter() : Filter::parse(where), sort, top};
        size_t rows = 0;
        ChosenRows chosen(analysis, events, choice);
        while (const std::optional<Table> batch = chosen.next()) {
          EXPECT_LE(batch->row_count(), 65'536u);
          rows += batch->row_count();
        }
        const Table expected = chosen_afterwards(whole, choice);
        EXPECT_EQ(rows, expected.row_count());
        EXPECT_EQ(chosen_rows(analysis, events, choice), expected) << where << " " << sort << " " << top;
      }
    }
  }
}

TEST(ChooseRows, MakesNoMoreThanItShows) {
  const Analysis analysis = counted_analysis();
  const CountedEvents events(400'000);
  EXPECT_EQ(chosen_rows(analysis, events, {{}, "", 10}).row_count(), 10u);
  EXPECT_EQ(events.asked, 30u);
  events.asked = 0;
  EXPECT_EQ(chosen_rows(analysis, events, {{}, "-mixed", 10}).row_count(), 10u);
  EXPECT_EQ(events.asked, 400'030u) << "the sorted column of all, and ten rows";
  events.asked = 0;
  EXPECT_EQ(chosen_rows(analysis, events, {Filter::parse("text = 'text 4'"), "", 10}).row_count(), 10u);
  EXPECT_EQ(events.asked, 65'536u + 20) << "the filtered column of a batch, and ten rows of the others";
  events.asked = 0;
  EXPECT_EQ(count_rows(analysis, events, {}), 400'000u);
  EXPECT_EQ(events.asked, 0u);
}

TEST(ChooseRows, ATableWithoutRowsHasItsColumns) {
  const Analysis analysis = counted_analysis();
  for (const RowChoice& choice :
       {RowChoice{}, RowChoice{{}, "mixed", 0}, RowChoice{Filter::parse("mixed = 1"), "", 3}}) {
    const CountedEvents events(0);
    ChosenRows rows(analysis, events, choice);
    const std::optional<Table> batch = rows.next();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->columns.size(), 3u);
    EXPECT_TRUE(batch->empty());
    EXPECT_FALSE(rows.next());
  }
}

}  // namespace
}  // namespace cgpu
