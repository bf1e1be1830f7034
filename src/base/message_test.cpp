#include "base/message.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/positional_reader.h"

namespace cgpu {
namespace {

enum class Colour : uint8_t { red, green };

struct Point {
  int64_t x = 0;
  std::optional<double> weight;

  bool operator==(const Point&) const = default;
  template <typename Archive>
  void members(Archive& archive) {
    archive(x, weight);
  }
};

/// One member of each kind.
struct Everything {
  bool flag = true;
  uint32_t count = 7;
  int64_t low = 7;
  double real = 7;
  Colour colour = Colour::green;
  std::string text = "seven";
  std::optional<int32_t> maybe;
  std::vector<int64_t> numbers;
  std::vector<double> reals;
  std::vector<Colour> colours;
  std::vector<std::string> texts;
  std::vector<Point> points;
  std::vector<std::optional<int64_t>> some;
  std::vector<std::vector<uint8_t>> nested;
  std::array<int64_t, 3> three{};
  std::array<Point, 2> two{};
  std::map<uint32_t, int64_t> counts;
  std::map<std::string, Point> by_name;
  std::pair<std::string, int64_t> pair;
  std::tuple<int64_t, std::string, bool> tuple;

  bool operator==(const Everything&) const = default;
  template <typename Archive>
  void members(Archive& archive) {
    archive(flag, count, low, real, colour, text, maybe, numbers, reals, colours);
    archive(texts, points, some, nested, three, two, counts, by_name, pair, tuple);
  }
};

Everything filled() {
  Everything all;
  all.flag = false;
  all.count = UINT32_MAX;
  all.low = INT64_MIN;
  all.real = -std::numeric_limits<double>::infinity();
  all.colour = Colour::red;
  all.text = std::string("a\0b\xff", 4);
  all.maybe = 0;
  all.numbers = {0, -1, INT64_MAX, INT64_MIN};
  all.reals = {0, -0.5};
  all.colours = {Colour::green, Colour::red};
  all.texts = {"", "x"};
  all.points = {{}, {1, 0.0}, {-2, std::nullopt}};
  all.some = {std::nullopt, 0, 5};
  all.nested = {{}, {1, 2}, {}};
  all.three = {1, 0, -1};
  all.two = {Point{}, Point{3, 1.5}};
  all.counts = {{0, -1}, {UINT32_MAX, 1}};
  all.by_name = {{"", {}}, {"p", {1, 2.0}}};
  all.pair = {"first", -3};
  all.tuple = {-4, "t", true};
  return all;
}

template <typename T>
std::string bytes_of(const T& value) {
  MessageWriter message;
  message(value);
  return message.take();
}

template <typename T>
T from_bytes(const std::string& bytes) {
  T value;
  MessageReader(bytes, "kept.bin")(value);
  return value;
}

std::string error_in(const std::string& bytes) {
  try {
    from_bytes<Everything>(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Message, EveryKindOfMemberComesBack) {
  EXPECT_EQ(from_bytes<Everything>(bytes_of(filled())), filled());
  EXPECT_EQ(from_bytes<Everything>(bytes_of(Everything())), Everything());
}

TEST(Message, IsTheWireFormatOfProtocolBuffers) {
  MessageWriter message;
  message(uint32_t{150}, int64_t{-2}, std::string("hi"), std::vector<uint32_t>{3, 270}, Point{1, std::nullopt});
  // Field 1: varint 150; 2: zigzag 3; 3: two bytes; 4: packed 3 and 270; 5: a message of field 1.
  EXPECT_EQ(message.bytes(), std::string("\x08\x96\x01\x10\x03\x1a\x02hi\x22\x03\x03\x8e\x02\x2a\x02\x08\x02", 18));
}

/// What types look like before and after a version that added to them.
struct Before {
  int64_t a = 1;
  Point point;
  template <typename Archive>
  void members(Archive& archive) {
    archive(a, point);
  }
};
struct After {
  int64_t a = 2;
  Point point;
  double added = 2.5;
  std::vector<Point> more = {{9, {}}};
  template <typename Archive>
  void members(Archive& archive) {
    archive(a, point, added, more);
  }
};

TEST(Message, WhatIsAddedIsSkippedByEarlierVersionsAndKeepsItsValueInLaterOnes) {
  After after;
  after.a = 5;
  after.point = {6, 0.5};
  EXPECT_EQ(from_bytes<Before>(bytes_of(after)).a, 5);
  EXPECT_EQ(from_bytes<Before>(bytes_of(after)).point, after.point);
  Before before;
  before.a = 7;
  const After read = from_bytes<After>(bytes_of(before));
  EXPECT_EQ(read.a, 7);
  EXPECT_EQ(read.added, 2.5);
  EXPECT_EQ(read.more.size(), 1U);
}

TEST(Message, EachAndOneAreRepeatedAndSingleMessages) {
  MessageWriter writer;
  writer.each(3, [&](size_t i) { writer(static_cast<uint32_t>(i)); });
  writer.each(0, [&](size_t) { FAIL(); });
  writer.one([&] { writer(std::string("inside")); });
  writer(int64_t{4});
  MessageReader reader(writer.bytes(), "x");
  std::vector<uint32_t> numbers;
  std::string text;
  int64_t last = 0;
  reader.each(0, [&](size_t i) {
    EXPECT_EQ(i, numbers.size());
    reader(numbers.emplace_back());
  });
  reader.each(0, [&](size_t) { FAIL(); });
  reader.one([&] { reader(text); });
  reader(last);
  EXPECT_EQ(numbers, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(text, "inside");
  EXPECT_EQ(last, 4);
}

TEST(Message, DamageIsAnErrorWithItsPlace) {
  const std::string bytes = bytes_of(filled());
  size_t refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size) refused += error_in(bytes.substr(0, size)).empty() ? 0 : 1;
  EXPECT_GT(refused, bytes.size() - 5) << "all but nothing, and the ends of fields";
  EXPECT_NE(error_in(bytes.substr(0, bytes.size() - 1)).find("kept.bin: ends too early"), std::string::npos);
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int change = 1; change < 256; ++change) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] + change);
      const std::string error = error_in(changed);
      EXPECT_TRUE(error.empty() || error.starts_with("kept.bin: ")) << error;
    }
  }
  EXPECT_NE(error_in(bytes_of(std::string("no message"))).find("kept.bin: "), std::string::npos);
  MessageWriter wide;
  wide(uint64_t{1} << 40);
  uint32_t narrow = 0;
  EXPECT_THROW(MessageReader(wide.bytes(), "x")(narrow), Error);
  EXPECT_EQ(narrow, 0U);
}

TEST(PositionalReader, ReadsWhatHasNoFieldNumbers) {
  const std::string bytes("\x96\x01\x03\x02hi\x02\x03\x8e\x02\x02\x00", 12);
  PositionalReader reader(bytes, "x");
  uint32_t number = 0;
  int64_t low = 0;
  std::string text;
  std::vector<uint32_t> several;
  Point point;
  reader(number, low, text, several, point);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(number, 150U);
  EXPECT_EQ(low, -2);
  EXPECT_EQ(text, "hi");
  EXPECT_EQ(several, (std::vector<uint32_t>{3, 270}));
  EXPECT_EQ(point, (Point{1, std::nullopt}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    PositionalReader cut(std::string_view(bytes).substr(0, size), "x");
    EXPECT_THROW(cut(number, low, text, several, point), Error) << size;
  }
}

}  // namespace
}  // namespace cgpu
