#include "readers/perfetto/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/json_text.h"
#include "model/transfer_list.h"
#include "readers/common/int32_or_none.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

constexpr int kDeepest = 32;

/// The value of an annotation, before it is known what it is wanted for.
struct Found {
  enum class Kind : uint8_t { none, boolean, integer, unsigned_integer, real, pointer, text, json, list };
  Kind kind = Kind::none;
  uint64_t bits = 0;
  double real = 0;
  std::string_view text;
};

Found value_of(const ProtobufField& field, const TextsInUse& texts) {
  using Kind = Found::Kind;
  switch (field.number) {
    case annotation::kBool:
      return {Kind::boolean, field.integer, 0, {}};
    case annotation::kUint:
      return {Kind::unsigned_integer, field.integer, 0, {}};
    case annotation::kInt:
      return {Kind::integer, field.integer, 0, {}};
    case annotation::kDouble:
      return {Kind::real, 0, field.number_value(), {}};
    case annotation::kPointer:
      return {Kind::pointer, field.integer, 0, {}};
    case annotation::kString:
      return {Kind::text, 0, 0, field.bytes};
    case annotation::kStringIid:
      return {Kind::text, 0, 0, texts.string(field.integer)};
    case annotation::kLegacyJson:
      return {Kind::json, 0, 0, field.bytes};
    case annotation::kNested:
    case annotation::kDictionary:
    case annotation::kArray:
      return {Kind::list, 0, 0, {}};
    default:
      return {};
  }
}

struct Entry {
  std::string_view name;
  Found value;
};

Entry entry_of(std::string_view message, const TextsInUse& texts) {
  Entry entry;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == annotation::kNameIid) {
      entry.name = texts.name(field.integer);
    } else if (field.number == annotation::kName) {
      entry.name = field.bytes;
    } else if (const Found value = value_of(field, texts); value.kind != Found::Kind::none) {
      entry.value = value;
    }
  }
  return entry;
}

/// GpuRenderStageEvent.ExtraComputeArg
Entry compute_entry_of(std::string_view message, const TextsInUse& texts) {
  using Kind = Found::Kind;
  Entry entry;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    switch (field.number) {
      case compute_argument::kNameIid:
        entry.name = texts.compute_name(field.integer);
        break;
      case compute_argument::kName:
        entry.name = field.bytes;
        break;
      case compute_argument::kInt:
        entry.value = {Kind::integer, field.integer, 0, {}};
        break;
      case compute_argument::kUint:
        entry.value = {Kind::unsigned_integer, field.integer, 0, {}};
        break;
      case compute_argument::kDouble:
        entry.value = {Kind::real, 0, field.number_value(), {}};
        break;
      case compute_argument::kString:
        entry.value = {Kind::text, 0, 0, field.bytes};
        break;
      case compute_argument::kStringIid:
        entry.value = {Kind::text, 0, 0, texts.string(field.integer)};
        break;
      default:
        break;
    }
  }
  return entry;
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : valid_utf8(text)) {
    if (c == '"' || c == '\\') {
      out.append(1, '\\').append(1, c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

/// As JSON; texts with their quotes.
std::string json_of(const Found& value) {
  using Kind = Found::Kind;
  std::string text;
  switch (value.kind) {
    case Kind::boolean:
      return value.bits != 0 ? "true" : "false";
    case Kind::integer:
      return std::to_string(static_cast<int64_t>(value.bits));
    case Kind::unsigned_integer:
      return std::to_string(value.bits);
    case Kind::real:
      if (std::isfinite(value.real)) return fmt::format("{}", value.real);
      append_string(text, fmt::format("{}", value.real));
      return text;
    case Kind::pointer:
      return fmt::format("\"{:#x}\"", value.bits);
    case Kind::text:
      append_string(text, value.text);
      return text;
    case Kind::json:
      return valid_utf8(value.text);
    case Kind::list:
    case Kind::none:
      break;
  }
  return "null";
}

std::string list_of(std::string_view message, const TextsInUse& texts, int depth);

std::string json_of_annotation(std::string_view message, const Entry& entry, const TextsInUse& texts, int depth) {
  if (entry.value.kind != Found::Kind::list) return json_of(entry.value);
  return depth < kDeepest ? list_of(message, texts, depth) : "null";
}

/// DebugAnnotation.NestedValue, as writers used it before there were dictionaries of annotations.
std::string json_of_nested(std::string_view message, int depth) {
  if (depth >= kDeepest) return "null";
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  std::vector<std::string_view> elements;
  Found value;
  uint64_t type = 0;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == nested::kType) type = field.integer;
    if (field.number == nested::kDictionaryKeys) keys.push_back(field.bytes);
    if (field.number == nested::kDictionaryValues) values.push_back(field.bytes);
    if (field.number == nested::kArrayValues) elements.push_back(field.bytes);
    if (field.number == nested::kInt) value = {Found::Kind::integer, field.integer, 0, {}};
    if (field.number == nested::kDouble) value = {Found::Kind::real, 0, field.number_value(), {}};
    if (field.number == nested::kBool) value = {Found::Kind::boolean, field.integer, 0, {}};
    if (field.number == nested::kString) value = {Found::Kind::text, 0, 0, field.bytes};
  }
  if (type == nested::kScalar) return json_of(value);
  const bool dictionary = type == nested::kDictionary;
  std::string out(1, dictionary ? '{' : '[');
  const std::vector<std::string_view>& parts = dictionary ? values : elements;
  const size_t size = dictionary ? std::min(keys.size(), parts.size()) : parts.size();
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) out += ", ";
    if (dictionary) {
      append_string(out, keys[i]);
      out += ": ";
    }
    out += json_of_nested(parts[i], depth + 1);
  }
  out += dictionary ? '}' : ']';
  return out;
}

/// The dictionary or array that an annotation holds.
std::string list_of(std::string_view message, const TextsInUse& texts, int depth) {
  std::string entries;
  std::string elements;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == annotation::kNested) return json_of_nested(field.bytes, depth + 1);
    if (field.number != annotation::kDictionary && field.number != annotation::kArray) continue;
    const Entry entry = entry_of(field.bytes, texts);
    const bool named = field.number == annotation::kDictionary;
    std::string& out = named ? entries : elements;
    if (!out.empty()) out += ", ";
    if (named) {
      append_string(out, entry.name);
      out += ": ";
    }
    out += json_of_annotation(field.bytes, entry, texts, depth + 1);
  }
  return entries.empty() ? "[" + elements + "]" : "{" + entries + "}";
}

/// The integer that a value is, or stands for.
std::optional<int64_t> integer_of(const Found& value) {
  using Kind = Found::Kind;
  switch (value.kind) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::pointer:
      return static_cast<int64_t>(value.bits);
    case Kind::real:
      if (std::nearbyint(value.real) == value.real && std::abs(value.real) < 9e15) {
        return static_cast<int64_t>(value.real);
      }
      return std::nullopt;
    case Kind::text:
    case Kind::json:
    case Kind::list:
    case Kind::none:
      return std::nullopt;
  }
  return std::nullopt;
}

Argument argument_from(const Entry& entry, std::string json) {
  Argument argument;
  argument.key = valid_utf8(entry.name);
  argument.json = entry.value.kind != Found::Kind::text && entry.value.kind != Found::Kind::pointer;
  argument.value = entry.value.kind == Found::Kind::text ? valid_utf8(entry.value.text)
                   : argument.json                       ? std::move(json)
                                                         : std::string(unquote_json(json));
  return argument;
}

}  // namespace

Arg arg_of(std::string_view name) {
  for (const auto& [key, arg] : known_arguments::kKeys) {
    if (key == name) return arg < known_arguments::kFirstOfJson ? arg : Arg::none;
  }
  return Arg::none;
}

void KnownArguments::set(Arg arg, Value value) {
  values_[static_cast<size_t>(arg)] = std::move(value);
  present_ |= uint64_t{1} << static_cast<unsigned>(arg);
}

void KnownArguments::add(std::string_view annotation, const TextsInUse& texts) {
  add_entry(annotation, texts, false);
}

void KnownArguments::add_entry(std::string_view annotation, const TextsInUse& texts, bool inside) {
  const Entry entry = entry_of(annotation, texts);
  const Arg arg = arg_of(entry.name);
  if (arg != Arg::none) {
    const auto integer = integer_of(entry.value);
    if (integer) {
      set(arg, {integer, {}});
    } else if (entry.value.kind == Found::Kind::text) {
      set(arg, {std::nullopt, std::string(entry.value.text)});
    } else {
      set(arg, {std::nullopt, json_of_annotation(annotation, entry, texts, 0)});
    }
  } else if (entry.value.kind == Found::Kind::list && !inside) {
    ProtobufMessage fields(annotation);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == annotation::kDictionary && field.is_bytes()) add_entry(field.bytes, texts, true);
    }
  }
}

void KnownArguments::add(std::string_view name, std::string_view text) {
  const Arg arg = arg_of(name);
  if (arg != Arg::none) set(arg, {std::nullopt, std::string(text)});
}

void KnownArguments::add_compute(std::string_view argument, const TextsInUse& texts) {
  const Entry entry = compute_entry_of(argument, texts);
  const Arg arg = arg_of(entry.name);
  if (arg == Arg::none) return;
  const auto integer = integer_of(entry.value);
  set(arg, {integer, integer ? std::string() : std::string(entry.value.text)});
}

std::optional<int64_t> KnownArguments::integer(Arg arg) const {
  if (!has(arg)) return std::nullopt;
  const Value& value = values_[static_cast<size_t>(arg)];
  if (value.integer) return value.integer;
  const auto decimal = Decimal::parse(value.text);
  return decimal ? decimal->scaled(0) : std::nullopt;
}

std::string KnownArguments::text(Arg arg) const {
  if (!has(arg)) return {};
  const Value& value = values_[static_cast<size_t>(arg)];
  return value.integer ? std::to_string(*value.integer) : value.text;
}

void add_collective(SliceIndex slice, const KnownArguments& arguments, Timeline& timeline) {
  if (arguments.has(Arg::transfers)) {
    const Collective op = collective_of(slice, arguments, timeline);
    const size_t before = timeline.collectives.size();
    add_transfers(arguments.text(Arg::transfers), op, timeline.names, timeline.collectives);
    if (timeline.collectives.size() > before) return;
  }
  if (!arguments.has(Arg::collective_name) && !arguments.has(Arg::group_name) && !arguments.has(Arg::elements_in)) {
    return;
  }
  timeline.collectives.push_back(collective_of(slice, arguments, timeline));
}

Collective collective_of(SliceIndex slice, const KnownArguments& arguments, Timeline& timeline) {
  const auto name = [&](Arg arg) { return timeline.names.intern(valid_utf8(arguments.text(arg))); };
  Collective collective;
  collective.slice = slice;
  collective.name = name(Arg::collective_name);
  collective.group = name(arguments.has(Arg::group_name) ? Arg::group_name : Arg::group_ranks);
  collective.type = name(Arg::dtype);
  collective.elements_in = arguments.integer(Arg::elements_in).value_or(-1);
  collective.elements_out = arguments.integer(Arg::elements_out).value_or(-1);
  collective.group_size = int32_or_none(arguments.integer(Arg::group_size));
  collective.sequence = arguments.integer(Arg::collective_sequence).value_or(-1);
  collective.from = partner_of(arguments.integer(Arg::source_rank));
  collective.to = partner_of(arguments.integer(Arg::destination_rank));
  return collective;
}

MemoryEvent memory_event_of(int64_t time, const KnownArguments& arguments) {
  MemoryEvent memory;
  memory.time = time;
  memory.bytes = arguments.integer(Arg::memory_bytes).value_or(0);
  const bool on_host = arguments.integer(Arg::device_type) == 0;
  memory.device = on_host ? -1 : int32_or_none(arguments.integer(Arg::device_id));
  memory.address = arguments.integer(Arg::memory_address).value_or(0);
  memory.total_allocated = arguments.integer(Arg::total_allocated).value_or(-1);
  memory.total_reserved = arguments.integer(Arg::total_reserved).value_or(-1);
  return memory;
}

Argument argument_of(std::string_view annotation, const TextsInUse& texts) {
  const Entry entry = entry_of(annotation, texts);
  return argument_from(entry, json_of_annotation(annotation, entry, texts, 0));
}

std::pair<std::string_view, std::optional<double>> number_of(std::string_view annotation, const TextsInUse& texts) {
  const Entry entry = entry_of(annotation, texts);
  if (entry.value.kind == Found::Kind::real) return {entry.name, entry.value.real};
  const auto integer = integer_of(entry.value);
  return {entry.name, integer ? std::optional(static_cast<double>(*integer)) : std::nullopt};
}

Argument compute_argument_of(std::string_view argument, const TextsInUse& texts) {
  const Entry entry = compute_entry_of(argument, texts);
  return argument_from(entry, json_of(entry.value));
}

}  // namespace cgpu::perfetto
