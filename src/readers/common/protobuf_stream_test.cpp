#include "readers/common/protobuf_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/test_file.h"
#include "readers/common/test_message.h"

namespace cgpu {
namespace {

using Stop = ProtobufStream::Stop;
using test::Message;
using test::TestFile;

constexpr uint64_t kLargest = uint64_t{8} << 20;

struct Field {
  uint32_t number;
  uint64_t integer;
  std::string bytes;
  uint64_t position;

  bool operator==(const Field&) const = default;
};

std::vector<Field> fields_of(const std::string& bytes, Stop& stop, uint64_t largest = kLargest) {
  const TestFile file(bytes);
  const auto source = open_text(file.path());
  ProtobufStream stream(*source, largest);
  std::vector<Field> fields;
  for (ProtobufField field; stream.next(field);) {
    fields.push_back({field.number, field.integer, std::string(field.bytes), stream.position()});
  }
  stop = stream.stop();
  return fields;
}

TEST(ProtobufStream, FieldsOfAnyTypeAndSize) {
  const std::string large(3 << 20, 'x');  // several reads long
  const std::string bytes =
      Message().varint(1, 300).text(2, "text").real(3, 1.5).text(4, large).varint(1000, UINT64_MAX).bytes();
  Stop stop = Stop::none;
  const auto fields = fields_of(bytes, stop);
  EXPECT_EQ(stop, Stop::end);
  ASSERT_EQ(fields.size(), 5u);
  EXPECT_EQ(fields[0], (Field{1, 300, "", 0}));
  EXPECT_EQ(fields[1], (Field{2, 0, "text", 3}));
  EXPECT_EQ(fields[2].integer, 0x3ff8000000000000u);
  EXPECT_EQ(fields[3].bytes, large);
  EXPECT_EQ(fields[4], (Field{1000, UINT64_MAX, "", bytes.size() - 12}));
}

TEST(ProtobufStream, CutAnywhereItGivesWhatThereIs) {
  const std::string bytes = Message().varint(1, 300).text(2, "text").real(3, 1.5).text(4, "more").bytes();
  Stop stop = Stop::none;
  const auto whole = fields_of(bytes, stop);
  for (size_t size = 1; size < bytes.size(); ++size) {
    const auto part = fields_of(bytes.substr(0, size), stop);
    ASSERT_LE(part.size(), whole.size());
    const bool between = std::any_of(whole.begin(), whole.end(), [&](const Field& f) { return f.position == size; });
    EXPECT_EQ(stop == Stop::end, between) << size;
    for (size_t i = 0; i < part.size(); ++i) {
      EXPECT_EQ(part[i].number, whole[i].number);
      const bool last = i + 1 == part.size() && !between;
      EXPECT_TRUE(last ? whole[i].bytes.starts_with(part[i].bytes) : part[i] == whole[i]) << size;
    }
  }
}

TEST(ProtobufStream, WhatIsNoField) {
  Stop stop = Stop::none;
  EXPECT_TRUE(fields_of(std::string(20, '\0'), stop).empty());
  EXPECT_EQ(stop, Stop::damaged);
  EXPECT_TRUE(fields_of(std::string(20, '\xff'), stop).empty());
  EXPECT_EQ(stop, Stop::damaged);
  EXPECT_TRUE(fields_of(Message().text(1, "123456789").bytes(), stop, 8).empty());
  EXPECT_EQ(stop, Stop::too_large);
  const std::string huge = "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";  // a length of 2^64 - 1
  EXPECT_TRUE(fields_of(huge, stop).empty());
  EXPECT_EQ(stop, Stop::too_large);
}

TEST(ProtobufStream, MessagesBehindTheirLengths) {
  const std::string large(2 << 20, 'y');
  std::string bytes = "\x03one";
  bytes += Message().text(1, large).bytes().substr(1);  // the length and the text
  bytes += std::string("\0\x05four", 6);
  const TestFile file(bytes);
  const auto source = open_text(file.path());
  ProtobufStream stream(*source, kLargest);
  std::string_view message;
  ASSERT_TRUE(stream.next_message(message));
  EXPECT_EQ(message, "one");
  ASSERT_TRUE(stream.next_message(message));
  EXPECT_EQ(message, large);
  ASSERT_TRUE(stream.next_message(message));
  EXPECT_EQ(message, "");
  EXPECT_FALSE(stream.next_message(message));
  EXPECT_EQ(stream.stop(), Stop::cut);
}

}  // namespace
}  // namespace cgpu
