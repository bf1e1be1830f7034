#include "readers/common/pickle.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/json_text.h"
#include "base/to_size.h"

namespace cgpu {

namespace {

using Type = PickleValue::Type;

constexpr size_t kMostKeys = 100;

/// The operations, by their codes.
enum Op : uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kFloat = 'F',
  kInt = 'I',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kLong = 'L',
  kBinInt2 = 'M',
  kNoneValue = 'N',
  kPersistentId = 'P',
  kBinPersistentId = 'Q',
  kReduce = 'R',
  kString = 'S',
  kBinString = 'T',
  kShortBinString = 'U',
  kUnicode = 'V',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kDict = 'd',
  kAppends = 'e',
  kGet = 'g',
  kBinGet = 'h',
  kInst = 'i',
  kLongBinGet = 'j',
  kList = 'l',
  kObj = 'o',
  kPut = 'p',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kBinFloat = 'G',
  kEmptyDict = '}',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kProto = 0x80,
  kNewObj = 0x81,
  kExt1 = 0x82,
  kExt2 = 0x83,
  kExt4 = 0x84,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kBinBytes8 = 0x8e,
  kEmptySet = 0x8f,
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kNewObjEx = 0x92,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
  kByteArray8 = 0x96,
};

}  // namespace

std::string read_pickle(TextSource& source, Notes& notes) {
  constexpr size_t kStep = size_t{1} << 20;
  constexpr uint64_t kMostBytes = uint64_t{8} << 30;
  std::string bytes;
  for (size_t got = 1; got > 0 && bytes.size() < kMostBytes;) {
    const size_t before = bytes.size();
    bytes.resize(before + kStep);
    got = source.read(bytes.data() + before, kStep);
    bytes.resize(before + got);
  }
  if (bytes.size() >= kMostBytes) notes.add("truncated_input", 1, "reading stopped at 8 GiB", true);
  return bytes;
}

class Pickle::Machine {
 public:
  Machine(Pickle& into, std::string_view bytes) : into_(into), bytes_(bytes) {}

  void run() {
    while (into_.damage_.empty() && !stopped_) {
      started_ = at_;
      if (at_ >= bytes_.size()) {
        fail("ends before it is complete");
        break;
      }
      step(static_cast<uint8_t>(bytes_[at_++]));
    }
    if (!into_.damage_.empty()) close_all();
    if (stopped_ && at_ < bytes_.size()) into_.trailing_ = at_;
    if (!stack_.empty()) into_.root_ = stack_.front();
  }

 private:
  void fail(const char* what) {
    if (into_.damage_.empty())
      into_.damage_ = "the pickle " + std::string(what) + " at byte " + std::to_string(started_);
  }

  /// Of a pickle that is cut off: puts what was being made into what it was made for, as far as that shows.
  void close_all() {
    while (!marks_.empty()) {
      const size_t mark = marks_.back();
      // What is before a mark is the container that the rest is for.
      if (mark == 0 || mark > stack_.size() || !is_container(stack_[mark - 1])) {
        take_mark();
        continue;
      }
      std::vector<PickleValue> values = take_mark();
      const PickleValue container = stack_.back();
      if (container.type != Type::sequence && values.size() % 2 != 0) values.pop_back();
      extend(container, std::move(values));
    }
  }

  // ---- bytes

  bool has(uint64_t size) {
    if (size <= bytes_.size() - at_) return true;
    fail("ends before it is complete");
    at_ = bytes_.size();
    return false;
  }
  uint64_t number(size_t size) {
    uint64_t value = 0;
    if (!has(size)) return 0;
    for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<uint8_t>(bytes_[at_ + i])} << (8 * i);
    at_ += size;
    return value;
  }
  std::string_view take(uint64_t size) {
    if (!has(size)) return {};
    const std::string_view taken = bytes_.substr(at_, to_size(size));
    at_ += taken.size();
    return taken;
  }
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) {
      has(UINT64_MAX);
      return {};
    }
    const std::string_view taken = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return taken;
  }

  // ---- values

  static PickleValue make_integer(int64_t value, Type type = Type::integer) {
    PickleValue made;
    made.type = type;
    made.integer = value;
    return made;
  }
  static PickleValue make_real(double value) {
    PickleValue made;
    made.type = Type::real;
    made.real = value;
    return made;
  }
  PickleValue make_text(std::string_view text) {
    PickleValue made;
    made.type = Type::text;
    made.index = into_.texts_.intern(valid_utf8(text));
    return made;
  }
  PickleValue make_container(Type type, std::vector<PickleValue> elements = {}) {
    PickleValue made;
    made.type = type;
    made.index = static_cast<uint32_t>(into_.containers_.size());
    into_.containers_.push_back(std::move(elements));
    return made;
  }
  /// What stands for an object of a class that is not known here.
  PickleValue make_object() {
    ++into_.refused_;
    return make_container(Type::object);
  }
  /// Little-endian two's complement of any length; one that does not fit into 64 bits is none.
  PickleValue make_long(std::string_view digits) {
    if (digits.empty()) return make_integer(0);
    const bool negative = (static_cast<uint8_t>(digits.back()) & 0x80) != 0;
    const char fill = negative ? '\xff' : '\0';
    while (digits.size() > 8 && digits.back() == fill) digits.remove_suffix(1);
    if (digits.size() > 8) return {};
    uint64_t value = negative ? UINT64_MAX : 0;
    for (size_t i = 0; i < digits.size(); ++i) {
      value &= ~(uint64_t{0xff} << (8 * i));
      value |= uint64_t{static_cast<uint8_t>(digits[i])} << (8 * i);
    }
    if ((static_cast<int64_t>(value) < 0) != negative) return {};
    return make_integer(static_cast<int64_t>(value));
  }
  PickleValue make_decimal(std::string_view text) {
    if (text == "00" || text == "01") return make_integer(text == "01" ? 1 : 0, Type::boolean);
    if (text.ends_with('L')) text.remove_suffix(1);
    int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() ? make_integer(value) : PickleValue{};
  }

  static bool is_container(const PickleValue& value) {
    return value.type == Type::sequence || value.type == Type::dictionary || value.type == Type::object;
  }

  // ---- stack

  void push(PickleValue value) { stack_.push_back(value); }
  PickleValue pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) {
      fail("takes more values than there are");
      return {};
    }
    const PickleValue value = stack_.back();
    stack_.pop_back();
    return value;
  }
  /// What lies above the last mark.
  std::vector<PickleValue> take_mark() {
    if (marks_.empty()) {
      fail("ends a group that was not begun");
      return {};
    }
    const auto first = stack_.begin() + static_cast<ptrdiff_t>(std::min(marks_.back(), stack_.size()));
    marks_.pop_back();
    std::vector<PickleValue> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    return values;
  }
  std::vector<PickleValue> pop_some(size_t count) {
    std::vector<PickleValue> values(count);
    for (size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }
  /// Adds to the container on top of the stack, or where there is none to nothing.
  void extend_top(std::vector<PickleValue> values) {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) {
      return fail("adds to nothing");
    }
    extend(stack_.back(), std::move(values));
  }
  void extend(const PickleValue& container, std::vector<PickleValue> values) {
    if (!is_container(container)) return fail("adds to what is no container");
    std::vector<PickleValue>& elements = into_.containers_[container.index];
    elements.insert(elements.end(), values.begin(), values.end());
  }

  void remember(uint64_t index) {
    if (stack_.empty()) return fail("remembers nothing");
    // Writers count up; anything else would let a few bytes ask for gigabytes.
    if (index > memo_.size()) return fail("numbers what it remembers in no order");
    if (index == memo_.size()) memo_.emplace_back();
    memo_[to_size(index)] = stack_.back();
  }
  void recall(uint64_t index) {
    if (index >= memo_.size()) return fail("recalls what it has not remembered");
    push(memo_[to_size(index)]);
  }
  uint64_t index_of(std::string_view text) {
    uint64_t value = UINT64_MAX;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  void step(uint8_t op) {
    switch (op) {
      case kProto:
        if (number(1) > 5) fail("is of a version that is not known");
        break;
      case kFrame:
        number(8);
        break;
      case kStop:
        stopped_ = true;
        if (stack_.empty()) fail("holds nothing");
        break;
      case kMark:
        marks_.push_back(stack_.size());
        break;
      case kPop:
        if (!marks_.empty() && stack_.size() <= marks_.back()) {
          marks_.pop_back();
        } else {
          pop();
        }
        break;
      case kPopMark:
        take_mark();
        break;
      case kDup: {
        const PickleValue top = pop();
        push(top);
        push(top);
        break;
      }
      case kNoneValue:
        push({});
        break;
      case kNewTrue:
      case kNewFalse:
        push(make_integer(op == kNewTrue ? 1 : 0, Type::boolean));
        break;
      case kInt:
      case kLong:
        push(make_decimal(line()));
        break;
      case kBinInt:
        push(make_integer(static_cast<int32_t>(number(4))));
        break;
      case kBinInt1:
        push(make_integer(static_cast<int64_t>(number(1))));
        break;
      case kBinInt2:
        push(make_integer(static_cast<int64_t>(number(2))));
        break;
      case kLong1:
        push(make_long(take(number(1))));
        break;
      case kLong4:
        push(make_long(take(number(4))));
        break;
      case kFloat: {
        const std::string_view text = line();
        double value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        push(make_real(value));
        break;
      }
      case kBinFloat: {
        const uint64_t bits = number(8);  // big-endian
        push(make_real(std::bit_cast<double>(__builtin_bswap64(bits))));
        break;
      }
      case kString:
      case kUnicode:
        push(make_text(line()));
        break;
      case kShortBinUnicode:
      case kShortBinString:
      case kShortBinBytes:
        push(make_text(take(number(1))));
        break;
      case kBinUnicode:
      case kBinString:
      case kBinBytes:
        push(make_text(take(number(4))));
        break;
      case kBinUnicode8:
      case kBinBytes8:
      case kByteArray8:
        push(make_text(take(number(8))));
        break;
      case kEmptyList:
      case kEmptyTuple:
      case kEmptySet:
        push(make_container(Type::sequence));
        break;
      case kEmptyDict:
        push(make_container(Type::dictionary));
        break;
      case kList:
      case kTuple:
      case kFrozenSet:
        push(make_container(Type::sequence, take_mark()));
        break;
      case kTuple1:
      case kTuple2:
      case kTuple3:
        push(make_container(Type::sequence, pop_some(size_t{op} - kTuple1 + 1)));
        break;
      case kDict:
        push_dictionary(take_mark());
        break;
      case kAppend:
        extend_top(pop_some(1));
        break;
      case kSetItem:
        extend_top(pop_some(2));
        break;
      case kAppends:
      case kAddItems:
        extend_top(take_mark());
        break;
      case kSetItems: {
        std::vector<PickleValue> values = take_mark();
        if (values.size() % 2 != 0) return fail("has a key without a value");
        extend_top(std::move(values));
        break;
      }
      case kPut:
        remember(index_of(line()));
        break;
      case kBinPut:
        remember(number(1));
        break;
      case kLongBinPut:
        remember(number(4));
        break;
      case kMemoize:
        remember(memo_.size());
        break;
      case kGet:
        recall(index_of(line()));
        break;
      case kBinGet:
        recall(number(1));
        break;
      case kLongBinGet:
        recall(number(4));
        break;
      default:
        stand_in(op);
    }
  }

  void push_dictionary(std::vector<PickleValue> values) {
    if (values.size() % 2 != 0) return fail("has a key without a value");
    push(make_container(Type::dictionary, std::move(values)));
  }

  /// Operations that would import, call or build something.
  void stand_in(uint8_t op) {
    switch (op) {
      case kGlobal:
        line();
        line();
        break;
      case kInst:
        line();
        line();
        take_mark();
        break;
      case kPersistentId:
        line();
        break;
      case kBinPersistentId:
        pop();
        break;
      case kObj:
        take_mark();
        break;
      case kStackGlobal:
      case kReduce:
      case kNewObj:
        pop_some(2);
        break;
      case kNewObjEx:
        pop_some(3);
        break;
      case kExt1:
        number(1);
        break;
      case kExt2:
        number(2);
        break;
      case kExt4:
        number(4);
        break;
      case kBuild:  // sets the state of the object below, which stays
        pop();
        return;
      default:
        return fail("holds an operation that is not known");
    }
    push(make_object());
  }

  Pickle& into_;
  std::string_view bytes_;
  size_t at_ = 0;
  size_t started_ = 0;  // of the operation
  bool stopped_ = false;
  std::vector<PickleValue> stack_;
  std::vector<size_t> marks_;
  std::vector<PickleValue> memo_;
};

Pickle::Pickle(std::string_view bytes) {
  Machine(*this, bytes).run();
}

std::optional<int64_t> Pickle::integer(const PickleValue& value) const {
  return value.type == Type::integer || value.type == Type::boolean ? std::optional(value.integer) : std::nullopt;
}

std::string_view Pickle::text(const PickleValue& value) const {
  return value.type == Type::text ? texts_[value.index] : std::string_view();
}

const std::vector<PickleValue>& Pickle::elements(const PickleValue& value) const {
  static const std::vector<PickleValue> none;
  const bool container = value.type == Type::sequence || value.type == Type::dictionary || value.type == Type::object;
  return container ? containers_[value.index] : none;
}

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
  if (dictionary.type != Type::dictionary && dictionary.type != Type::object) return nullptr;
  const std::vector<PickleValue>& entries = containers_[dictionary.index];
  // The last one counts. Records have few keys; a huge dictionary is none, and not searched over and over.
  if (entries.size() > 2 * kMostKeys) return nullptr;
  for (size_t i = entries.size() / 2; i-- > 0;) {
    if (text(entries[2 * i]) == key && entries[2 * i].type == Type::text) return &entries[2 * i + 1];
  }
  return nullptr;
}

}  // namespace cgpu
