#include "table/arrow.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>

#include "base/error.h"

namespace cgpu {
namespace {

std::vector<Column> columns() {
  return {{"name", ColumnType::text, "", "which kernel", ColumnRole::key},
          {"total_ns", ColumnType::integer, "ns", "sum of the durations", ColumnRole::measure},
          {"pct", ColumnType::real, "%", "share of all", ColumnRole::measure}};
}

Table named_times() {
  Table table("kernels", "time by name", columns());
  table.append({"gemm", int64_t{12}, 60.5});
  table.append({"copy", {}, 30.0});
  table.append({{}, int64_t{-7}, {}});
  table.append({"gemm", int64_t{0}, 9.5});
  return table;
}

/// The key-value pairs of a schema's metadata.
std::map<std::string, std::string> metadata_of(const ArrowSchema& schema) {
  const char* at = schema.metadata;
  const auto number = [&] {
    int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  };
  const auto text = [&] {
    const auto size = static_cast<size_t>(number());
    const std::string value(at, size);
    at += size;
    return value;
  };
  std::map<std::string, std::string> pairs;
  for (int32_t left = number(); left > 0; --left) {
    const std::string key = text();
    pairs[key] = text();
  }
  return pairs;
}

/// Reads one value as the specification says.
Cell value_at(const ArrowSchema& schema, const ArrowArray& array, size_t row) {
  const auto* present = static_cast<const uint8_t*>(array.buffers[0]);
  if (present != nullptr && (present[row / 8] >> (row % 8) & 1) == 0) return {};
  const std::string format = schema.format;
  if (format == "l") return static_cast<const int64_t*>(array.buffers[1])[row];
  if (format == "g") return static_cast<const double*>(array.buffers[1])[row];
  EXPECT_EQ(format, "i");
  EXPECT_STREQ(schema.dictionary->format, "u");
  const auto code = static_cast<size_t>(static_cast<const int32_t*>(array.buffers[1])[row]);
  const ArrowArray& texts = *array.dictionary;
  EXPECT_LT(static_cast<int64_t>(code), texts.length);
  EXPECT_EQ(texts.n_buffers, 3);
  const auto* offsets = static_cast<const int32_t*>(texts.buffers[1]);
  return std::string(static_cast<const char*>(texts.buffers[2]) + offsets[code],
                     static_cast<size_t>(offsets[code + 1] - offsets[code]));
}

void expect_same(const Table& table, const ArrowSchema& schema, const ArrowArray& array) {
  ASSERT_EQ(array.length, static_cast<int64_t>(table.row_count()));
  ASSERT_EQ(array.n_children, static_cast<int64_t>(table.columns.size()));
  EXPECT_EQ(array.null_count, 0);
  EXPECT_EQ(array.n_buffers, 1);
  EXPECT_EQ(array.buffers[0], nullptr);
  for (size_t column = 0; column < table.columns.size(); ++column) {
    const ArrowArray& values = *array.children[column];
    EXPECT_EQ(values.length, array.length);
    EXPECT_EQ(values.offset, 0);
    EXPECT_EQ(values.n_buffers, 2);
    EXPECT_EQ(values.null_count, static_cast<int64_t>(table.values(column).absent_count()));
    EXPECT_EQ(values.buffers[0] == nullptr, values.null_count == 0);
    for (size_t row = 0; row < table.row_count(); ++row) {
      EXPECT_EQ(value_at(*schema.children[column], values, row), table.cell(row, column));
    }
  }
}

/// A stream with its schema, both of which are released in the end.
struct Reading {
  ~Reading() {
    if (schema.release != nullptr) schema.release(&schema);
    if (stream.release != nullptr) stream.release(&stream);
  }
  void start() { ASSERT_EQ(stream.get_schema(&stream, &schema), 0); }
  ArrowArray next() {
    ArrowArray array;
    EXPECT_EQ(stream.get_next(&stream, &array), 0);
    return array;
  }
  ArrowArrayStream stream;
  ArrowSchema schema{};
};

TEST(Arrow, SchemaOfATable) {
  Reading reading;
  export_table(std::make_shared<const Table>(named_times()), reading.stream);
  reading.start();
  const ArrowSchema& schema = reading.schema;
  EXPECT_STREQ(schema.format, "+s");
  EXPECT_EQ(schema.dictionary, nullptr);
  EXPECT_EQ(metadata_of(schema), (std::map<std::string, std::string>{{"name", "kernels"}, {"about", "time by name"}}));
  ASSERT_EQ(schema.n_children, 3);
  const char* formats[] = {"i", "l", "g"};
  for (size_t i = 0; i < 3; ++i) {
    const ArrowSchema& field = *schema.children[i];
    EXPECT_EQ(field.name, columns()[i].name);
    EXPECT_STREQ(field.format, formats[i]);
    EXPECT_EQ(field.flags, ARROW_FLAG_NULLABLE);
    EXPECT_EQ(field.n_children, 0);
    EXPECT_EQ(field.dictionary != nullptr, i == 0);
    EXPECT_EQ(metadata_of(field)["unit"], columns()[i].unit);
    EXPECT_EQ(metadata_of(field)["about"], columns()[i].about);
    EXPECT_EQ(metadata_of(field)["role"], text_of(columns()[i].role));
  }
}

TEST(Arrow, MetadataIsEncodedAsSpecified) {
  Reading reading;
  export_table(std::make_shared<const Table>("t", ""), reading.stream);
  reading.start();
  const std::string expected("\x02\0\0\0\x04\0\0\0name\x01\0\0\0t\x05\0\0\0about\0\0\0\0", 30);
  EXPECT_EQ(std::string(reading.schema.metadata, expected.size()), expected) << "on a little-endian machine";
}

TEST(Arrow, ValuesWithoutACopy) {
  const auto table = std::make_shared<const Table>(named_times());
  Reading reading;
  export_table(table, reading.stream);
  reading.start();
  ArrowArray array = reading.next();
  ASSERT_NE(array.release, nullptr);
  expect_same(*table, reading.schema, array);
  EXPECT_EQ(array.children[0]->buffers[1], table->values(0).codes().data());
  EXPECT_EQ(array.children[0]->dictionary->buffers[1], table->values(0).dictionary().offsets().data());
  EXPECT_EQ(array.children[0]->dictionary->buffers[2], table->values(0).dictionary().bytes().data());
  EXPECT_EQ(array.children[1]->buffers[0], table->values(1).present().data());
  EXPECT_EQ(array.children[1]->buffers[1], table->values(1).integers().data());
  EXPECT_EQ(array.children[2]->buffers[1], table->values(2).reals().data());
  array.release(&array);
  EXPECT_EQ(array.release, nullptr);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(reading.next().release, nullptr) << "the end, however often it is asked for";
}

TEST(Arrow, LivesUntilTheLastIsReleased) {
  auto table = std::make_shared<const Table>(named_times());
  const std::weak_ptr<const Table> watched = table;
  const Table copy = *table;
  ArrowArrayStream stream;
  export_table(std::move(table), stream);
  ArrowSchema schema;
  ArrowArray array;
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
  expect_same(copy, schema, array);

  // A consumer may keep a column and let go of the rest.
  ArrowArray names = *array.children[0];
  array.children[0]->release = nullptr;
  ArrowArray moved = array;
  array.release = nullptr;
  moved.release(&moved);
  EXPECT_FALSE(watched.expired());
  for (size_t row = 0; row < copy.row_count(); ++row) {
    EXPECT_EQ(value_at(*schema.children[0], names, row), copy.cell(row, 0));
  }

  ArrowSchema field = *schema.children[1];
  schema.children[1]->release = nullptr;
  schema.release(&schema);
  EXPECT_EQ(metadata_of(field)["unit"], "ns");
  field.release(&field);

  names.release(&names);
  EXPECT_TRUE(watched.expired());
}

TEST(Arrow, AStreamThatNobodyReadsLetsTheTableGo) {
  auto table = std::make_shared<const Table>(named_times());
  const std::weak_ptr<const Table> watched = table;
  ArrowArrayStream stream;
  export_table(std::move(table), stream);
  stream.release(&stream);
  EXPECT_TRUE(watched.expired());
}

TEST(Arrow, Batches) {
  std::vector<Table> batches(5, Table("t", "", columns()));
  const auto texts = std::make_shared<TextDictionary>();
  for (const char* text : {"a", "b", "", "long \xC3\xA9 text"}) texts->code(text);
  for (size_t i = 0; i < 3; ++i) {  // the rest has no rows
    ColumnValues names(ColumnType::text);
    ColumnValues numbers(ColumnType::integer);
    ColumnValues shares(ColumnType::real);
    names.append_codes(texts, std::vector<int32_t>{3, static_cast<int32_t>(i), 0, -1});
    for (int64_t row = 0; row < 4; ++row) {
      numbers.append(row << (20 * i));
      shares.append_absent();
    }
    batches[i].set_values(0, std::move(names));
    batches[i].set_values(1, std::move(numbers));
    batches[i].set_values(2, std::move(shares));
  }
  Reading reading;
  export_batches(
      batches[0],
      [&, at = size_t{0}]() mutable { return at < batches.size() ? std::optional(batches[at++]) : std::nullopt; },
      reading.stream);
  reading.start();
  for (const Table& batch : batches) {
    ArrowArray array = reading.next();
    ASSERT_NE(array.release, nullptr);
    expect_same(batch, reading.schema, array);
    if (!batch.empty()) {
      EXPECT_EQ(array.children[0]->dictionary->buffers[2], texts->bytes().data()) << "shared, not copied";
    }
    array.release(&array);
  }
  EXPECT_EQ(reading.next().release, nullptr);
}

TEST(Arrow, TextsBecomeUtf8) {
  Table table("t", "broken \xFF", {{"n\xFFme", ColumnType::text, "", ""}});
  for (const char* text : {"good",
                           "b\xFF"
                           "d",
                           "\xC3", "\xA9",
                           "b\xFE"
                           "d"})
    table.append({text});
  Reading reading;
  export_table(std::make_shared<const Table>(table), reading.stream);
  reading.start();
  EXPECT_STREQ(reading.schema.children[0]->name, "n\uFFFDme");
  EXPECT_EQ(metadata_of(reading.schema)["about"], "broken \uFFFD");
  ArrowArray array = reading.next();
  const char* expected[] = {"good", "b\uFFFDd", "\uFFFD", "\uFFFD", "b\uFFFDd"};
  for (size_t row = 0; row < 5; ++row) {
    EXPECT_EQ(value_at(*reading.schema.children[0], *array.children[0], row), Cell(expected[row]));
  }
  array.release(&array);
}

TEST(Arrow, ErrorsOfTheSource) {
  int calls = 0;
  Reading reading;
  export_batches(
      named_times(),
      [&]() -> std::optional<Table> {
        if (++calls == 1) throw Error("file.json", "has vanished");
        if (calls == 2) throw std::bad_alloc();
        return std::nullopt;
      },
      reading.stream);
  ArrowArray array;
  EXPECT_EQ(reading.stream.get_next(&reading.stream, &array), EIO);
  EXPECT_STREQ(reading.stream.get_last_error(&reading.stream), "file.json: has vanished");
  EXPECT_EQ(reading.stream.get_next(&reading.stream, &array), ENOMEM);
  EXPECT_EQ(reading.stream.get_last_error(&reading.stream), nullptr);
  EXPECT_EQ(reading.next().release, nullptr);
}

}  // namespace
}  // namespace cgpu
