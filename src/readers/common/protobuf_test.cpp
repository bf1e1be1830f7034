#include "readers/common/protobuf.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace cgpu {
namespace {

using namespace std::string_literals;

std::vector<ProtobufField> fields_of(std::string_view bytes, bool* damaged = nullptr) {
  std::vector<ProtobufField> fields;
  ProtobufMessage message(bytes);
  for (ProtobufField field; message.next(field);) fields.push_back(field);
  if (damaged) *damaged = message.damaged();
  return fields;
}

TEST(Protobuf, EveryWireType) {
  bool damaged = true;
  // 1: 150; 2: "testing"; 3: 1.5 as double; 4: -2.5 as float.
  const std::string bytes = "\x08\x96\x01\x12\x07testing\x19\0\0\0\0\0\0\xf8\x3f\x25\0\0\x20\xc0"s;
  const auto fields = fields_of(bytes, &damaged);
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_FALSE(damaged);
  EXPECT_EQ(fields[0].integer, 150u);
  EXPECT_EQ(fields[0].number_value(), 150);
  EXPECT_EQ(fields[1].bytes, "testing");
  EXPECT_EQ(fields[2].number_value(), 1.5);
  EXPECT_EQ(fields[3].number_value(), -2.5);
  EXPECT_EQ(protobuf_bytes(bytes, 2), "testing");
  EXPECT_EQ(protobuf_bytes(bytes, 1), "");
  EXPECT_EQ(protobuf_varint(bytes, 1), 150u);
  EXPECT_EQ(protobuf_varint(bytes, 9), std::nullopt);
}

TEST(Protobuf, LargestVarint) {
  const auto fields = fields_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].integer, UINT64_MAX);
}

TEST(Protobuf, GroupsAreSkippedWhateverTheyHold) {
  bool damaged = true;
  // 1 { 2: "x"  3 { }  } then 5: 7
  const auto fields = fields_of("\x0b\x12\x01x\x1b\x1c\x0c\x28\x07", &damaged);
  EXPECT_FALSE(damaged);
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].number, 5u);
}

TEST(Protobuf, DamageEndsTheIterationAfterWhatWasGood) {
  const std::vector<std::string> broken = {
      "\x08\x07\x12\x09short"s,                                         // longer than the message
      "\x08\x07\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,          // longer than any
      "\x08\x07\x19\0\0\0"s,                                            // a double cut short
      "\x08\x07\x25\0"s,                                                // a float cut short
      "\x08\x07\x08\xff"s,                                              // a varint cut short
      "\x08\x07\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s,  // a varint without end
      "\x08\x07\x0b\x08\x01"s,                                          // a group without end
      "\x08\x07\x0b\x14"s,                                              // the end of another group
      "\x08\x07\x0c"s,                                                  // the end of no group
      "\x08\x07\x0e"s,                                                  // wire type 6
      "\x08\x07\x0f"s,                                                  // wire type 7
      "\x08\x07\x00\x01"s,                                              // number 0
      "\x08\x07\x80\x80\x80\x80\x10\x01"s,                              // a number too large
      "\x08\x07"s + std::string(100000, '\x0b'),                        // groups too deep
  };
  for (const std::string& bytes : broken) {
    bool damaged = false;
    const auto fields = fields_of(bytes, &damaged);
    EXPECT_TRUE(damaged) << testing::PrintToString(bytes.substr(0, 20));
    ASSERT_EQ(fields.size(), 1u) << testing::PrintToString(bytes.substr(0, 20));
    EXPECT_EQ(fields[0].integer, 7u);
  }
}

TEST(Protobuf, AnyBytesComeToAnEnd) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % (round % 2 == 0 ? 256 : 32));
    size_t size = 0;
    for (const ProtobufField& field : fields_of(bytes)) {
      size += field.bytes.size();
      if (!field.bytes.empty()) {
        EXPECT_GE(field.bytes.data(), bytes.data());
        EXPECT_LE(field.bytes.data() + field.bytes.size(), bytes.data() + bytes.size());
      }
    }
    EXPECT_LE(size, bytes.size());
  }
}

TEST(Protobuf, Varints) {
  const auto take = [](std::string_view bytes) { return take_varint(bytes); };
  EXPECT_EQ(take("\x7f"), 127u);
  EXPECT_EQ(take("\x80\x01"), 128u);
  EXPECT_EQ(take("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX);
  EXPECT_EQ(take(""), std::nullopt);
  EXPECT_EQ(take("\x80"), std::nullopt);
  EXPECT_EQ(take("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), std::nullopt) << "eleven bytes";
  std::string_view two = "\x96\x01\x02";
  EXPECT_EQ(take_varint(two), 150u);
  EXPECT_EQ(take_varint(two), 2u);
  EXPECT_TRUE(two.empty());
  // Every length, with and without bytes behind it, against the definition.
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t value = (uint64_t{0x9e3779b97f4a7c15} >> (63 - bit)) | uint64_t{1} << bit;
    std::string written;
    for (uint64_t rest = value; rest > 0 || written.empty(); rest >>= 7) {
      written.push_back(static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
    }
    for (const char* behind : {"", "\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
      const std::string bytes = written + behind;
      std::string_view rest = bytes;
      ASSERT_EQ(take_varint(rest), value) << bit;
      EXPECT_EQ(rest, behind);
    }
  }
  EXPECT_EQ(from_zigzag(0), 0);
  EXPECT_EQ(from_zigzag(1), -1);
  EXPECT_EQ(from_zigzag(UINT64_MAX), INT64_MIN);
}

TEST(Protobuf, VarintsOfEveryLengthWhateverFollows) {
  for (unsigned bits = 0; bits <= 64; ++bits) {
    const uint64_t value = bits == 0 ? 0 : (uint64_t{0x9E3779B97F4A7C15} | uint64_t{1} << 63) >> (64 - bits);
    std::string bytes;
    uint64_t rest = value;
    for (; rest >= 0x80; rest >>= 7) bytes.push_back(static_cast<char>(rest | 0x80));
    bytes.push_back(static_cast<char>(rest));
    for (const std::string behind : {"", "\x7f", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
      const std::string all = bytes + behind;
      std::string_view left(all);
      EXPECT_EQ(take_varint(left), value);
      EXPECT_EQ(left, behind);
    }
    for (size_t size = 0; size < bytes.size(); ++size) {
      std::string_view cut(bytes.data(), size);
      EXPECT_EQ(take_varint(cut), std::nullopt);
    }
  }
}

TEST(Protobuf, RepeatedNumbersPackedOrOneByOne) {
  std::vector<uint64_t> values;
  const auto add = [&](uint64_t value) { values.push_back(value); };
  each_varint({1, WireType::bytes, 0, "\x01\x96\x01\x80"}, add);  // the last one is cut off
  each_varint({1, WireType::varint, 7, {}}, add);
  EXPECT_EQ(values, (std::vector<uint64_t>{1, 150, 7}));
  values.clear();
  each_fixed64({1, WireType::bytes, 0, std::string_view("\x02\0\0\0\0\0\0\0\x03", 9)}, add);
  each_fixed64({1, WireType::fixed64, 9, {}}, add);
  EXPECT_EQ(values, (std::vector<uint64_t>{2, 9}));
}

}  // namespace
}  // namespace cgpu
