#include "readers/trace_event/event_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>

#include "base/decimal.h"
#include "base/json_text.h"
#include "model/export_marks.h"
#include "model/time_range.h"
#include "model/transfer_list.h"
#include "readers/common/int32_or_none.h"
#include "readers/common/kineto_categories.h"
#include "readers/trace_event/json_value.h"
#include "readers/trace_event/packed_key.h"

namespace cgpu::trace_event {

namespace {

namespace ondemand = simdjson::ondemand;

struct PackedKey {
  uint64_t word;
  std::string_view key;
  known_arguments::Arg arg;
};
/// The keys of arguments by their packed words, in ascending order.
constexpr auto kPackedKeys = [] {
  std::array<PackedKey, std::size(known_arguments::kKeys)> keys{};
  std::ranges::transform(known_arguments::kKeys, keys.begin(), [](const auto& known) {
    return PackedKey{packed(known.first), known.first, known.second};
  });
  std::ranges::sort(keys, {}, &PackedKey::word);
  return keys;
}();

static_assert(kPackedKeys.size() < 128);  // their places are bytes, and a factor has to be found

/// The first key with each packed word, found by one multiplication: no two words have the same place.
struct KeyPlaces {
  uint64_t factor = 0;
  std::array<uint8_t, 256> first{};
  constexpr size_t place(uint64_t word) const { return word * factor >> 56; }
};
constexpr KeyPlaces kKeyPlaces = [] {
  KeyPlaces places;
  bool are_distinct = false;
  for (uint64_t factor = 0x9E3779B97F4A7C15; !are_distinct; factor += 2) {
    places.factor = factor;
    places.first.fill(kPackedKeys.size());
    are_distinct = true;
    for (size_t i = 0; i < kPackedKeys.size(); ++i) {
      if (i > 0 && kPackedKeys[i].word == kPackedKeys[i - 1].word) continue;
      uint8_t& first = places.first[places.place(kPackedKeys[i].word)];
      are_distinct = are_distinct && first == kPackedKeys.size();
      first = static_cast<uint8_t>(i);
    }
  }
  return places;
}();

/// Decimal microseconds with at most three decimals, the common case, as exact nanoseconds that are a time.
bool parse_plain_microseconds(std::string_view text, int64_t& ns) {
  constexpr size_t kLongest = 21;  // sign, 16 digits, point, three decimals
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  if (text.size() > kLongest) return false;
  const char* const first = p;
  uint64_t value = 0;  // more than 20 digits wrap around, which is defined; what is too long is refused below
  for (; p != end && *p >= '0' && *p <= '9'; ++p) value = value * 10 + static_cast<uint64_t>(*p - '0');
  if (p == first || p - first > 16 || (p - first == 16 && *first >= '4')) return false;
  int decimals = 0;
  if (p != end && *p == '.') {
    for (++p; p != end && *p >= '0' && *p <= '9' && decimals < 3; ++p, ++decimals) {
      value = value * 10 + static_cast<uint64_t>(*p - '0');
    }
  }
  if (p != end) return false;
  for (; decimals < 3; ++decimals) value *= 10;
  ns = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return true;
}

/// The number at the end of "stream 7", else nothing.
std::optional<int64_t> trailing_integer(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  if (begin > 0 && text[begin - 1] == '-') --begin;
  int64_t value = 0;
  const auto result = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Whether a launch flow begins or ends in the slice before it and has the slice's own correlation id, as PyTorch
/// writes one after each call and each device op: it says nothing that the slice does not say itself.
bool repeats_correlation(const LinkHints::Flow& flow, const Batch& batch) {
  if (flow.forward_backward || batch.slices.empty()) return false;
  const Slice& before = batch.slices.back();
  return is_correlation(flow.id) && before.correlation == flow.id && before.start == flow.time &&
         before.track == flow.track;
}

}  // namespace

WindowResult EventParser::parse(std::string_view text, uint64_t offset, Batch& batch) {
  WindowResult result;
  ondemand::document document;
  const size_t capacity = text.size() + simdjson::SIMDJSON_PADDING;
  if (parser_.iterate(text.data(), text.size(), capacity).get(document)) return result;
  ondemand::array array;
  if (document.get_array().get(array)) return result;
  Event event;
  for (auto element : array) {
    ondemand::value value;
    if (element.get(value)) return result;
    const char* const begin = value.raw_json_token().data();
    if (std::string_view(begin, 2) == "{}") continue;  // closes the lists of JAX and TensorFlow
    ondemand::object object;
    if (value.get_object().get(object)) return result;
    event.clear();
    if (!read_event(object, event)) return result;
    ++batch.counts.read;
    add(event, offset + static_cast<uint64_t>(begin - text.data()), batch);
  }
  const char* rest = nullptr;
  if (!document.current_location().get(rest) && rest < text.data() + text.size()) {
    result.closed = true;
    result.tail = static_cast<size_t>(rest - text.data());
  }
  result.ok = true;
  return result;
}

bool EventParser::read_event(ondemand::object object, Event& event) {
  late_args_ = {};
  counter_values_.clear();
  for (auto field_or_error : object) {
    ondemand::field field;
    if (std::move(field_or_error).get(field)) return false;
    ondemand::value& value = field.value();
    switch (packed_at(field.key().raw())) {
      case packed("ph"): {
        const std::string_view phase = text_of(value);
        event.phase = phase.size() == 1 ? phase[0] : '?';
        break;
      }
      case packed("ts"):
        event.time = text_of(value);
        break;
      case packed("id"):
        event.id = text_of(value);
        break;
      case packed("cat"):
        event.category = text_of(value);
        break;
      case packed("pid"):
        event.process = text_of(value);
        break;
      case packed("tid"):
        event.thread = text_of(value);
        break;
      case packed("dur"):
        event.duration = text_of(value);
        break;
      case packed("name"):
        event.name = text_of(value);
        break;
      case packed("args"):
        if (!value.raw_json_token().starts_with('{')) break;  // "args": null and the like
        if (event.phase == 0) {
          ondemand::object args;
          if (value.get_object().get(args) || args.raw_json().get(late_args_)) return false;
        } else if (!read_args(value, event)) {
          return false;
        }
        break;
      default:
        if (!read_rare_key(field.key().raw(), value, event)) return false;
    }
  }
  return late_args_.empty() || read_late_args(event);
}

bool EventParser::wants_args(const Event& event) {
  if (event.phase != 'X') return std::string_view("BEbenSFNODvV").find(event.phase) == std::string_view::npos;
  if (event.category.empty()) return true;
  const SliceKind kind = category_of(event.category).kind;
  return export_marks::has_correlation_argument(kind) || (kind == SliceKind::framework_op && !own_);
}

bool EventParser::read_args(ondemand::value value, Event& event) {
  if (!wants_args(event)) return true;
  const bool op = event.phase == 'X' && category_of(event.category).kind == SliceKind::framework_op;
  ondemand::object object;
  if (value.get_object().get(object)) return false;
  if (event.phase == 'P') return !object.raw_json().get(event.sample_args);
  for (auto field_or_error : object) {
    ondemand::field field;
    if (std::move(field_or_error).get(field)) return false;
    const char* const key = field.key().raw();
    if (event.phase == 'C') {
      double number = 0;
      const std::string_view digits = text_of(field.value());
      const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      const std::string_view name(key, static_cast<size_t>(std::strchr(key, '"') - key));
      if (parsed.ec == std::errc()) counter_values_.emplace_back(name, number);
    } else if (const Arg arg = arg_at(key); arg != none) {
      event.args[arg] = text_of(field.value());
      event.args_present |= uint64_t{1} << arg;
      // All that a framework op is asked for; its shapes and types, mostly behind these, are stepped over at once.
      if (op && event.has(sequence_number) && event.has(forward_thread)) break;
    }
  }
  return true;
}

/// Arguments that were written before the phase of their event.
bool EventParser::read_late_args(Event& event) {
  const std::string_view raw = late_args_;
  late_args_ = {};
  // The window goes on behind these arguments, so the padding that simdjson asks for is readable.
  ondemand::document document;
  if (late_parser_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(document)) return false;
  ondemand::value value;
  if (document.get_value().get(value)) return false;
  return read_args(value, event);
}

EventParser::Arg EventParser::arg_at(const char* key) {
  const uint64_t word = packed_at(key);
  for (size_t i = kKeyPlaces.first[kKeyPlaces.place(word)]; i < kPackedKeys.size() && kPackedKeys[i].word == word;
       ++i) {
    const PackedKey& known = kPackedKeys[i];
    // One of fewer characters than a word has nothing behind it.
    if (known.key.size() < sizeof word || is_key(key, known.key)) return known.arg;
  }
  return none;
}

void EventParser::add(const Event& event, uint64_t source, Batch& batch) {
  switch (event.phase) {
    case 'X':
      return add_slice(event, source, batch);
    case 'i':
    case 'I':
    case 'R':
      return add_instant(event, batch);
    case 's':
    case 't':
    case 'f':
      return add_flow(event, source, batch);
    case 'C':
      return add_counter(event, batch);
    case 'M':
      return add_metadata(event, batch);
    default:
      return add_rare(event, source, batch);
  }
}

/// Start and duration of a slice that is one event, exact. False where they are no times, which is counted.
bool EventParser::read_times(const Event& event, Slice& row, Batch& batch) {
  int64_t duration = 0;
  if (parse_plain_microseconds(event.time, row.start) && parse_plain_microseconds(event.duration, duration) &&
      is_time(row.start + duration)) {
    row.duration = duration;
  } else {  // more decimals, exponents, or no number: start and end are each rounded once
    const auto start = Decimal::parse(event.time);
    const auto length = Decimal::parse(event.duration);
    const auto first = start ? start->scaled(3) : std::nullopt;
    const auto last = start && length ? (*start + *length).scaled(3) : std::nullopt;
    if (!first || !last || !is_time(*first) || !is_time(*last)) {
      ++batch.counts.skipped;
      batch.lose(event.time.empty() ? Loss::no_time : Loss::bad_number);
      return false;
    }
    row.start = *first;
    row.duration = *last - *first;
  }
  if (row.duration < 0) {
    row.duration = 0;
    batch.lose(Loss::negative_duration);
  }
  return true;
}

void EventParser::add_slice(const Event& event, uint64_t source, Batch& batch) {
  if (event.duration.empty()) return add_slice_without_duration(event, source, batch);
  if (own_) return add_own_slice(event, source, batch);
  Slice row;
  if (!read_times(event, row, batch)) return;
  row.source = source;
  row.name = intern_json(event.name);
  KnownCategory& category = category_of(event.category);
  const SliceKind kind = kineto::kind_of(category.kind, event.category, tables_.names[row.name]);
  row.category = category_number(category, kind);
  row.track = track(event);
  if (kind != SliceKind::other) batch.kineto_category = true;

  const auto index = static_cast<uint32_t>(batch.slices.size());
  if (is_call(kind) || is_device_op(kind) || kind == SliceKind::synchronization) {
    if (event.has(correlation)) {
      row.correlation = integer(event.args[correlation], batch).value_or(kNoCorrelation);
    }
    if (event.has(external_id) && (is_call(kind) || row.correlation == kNoCorrelation)) {
      if (const auto id = integer(event.args[external_id], batch)) batch.external.push_back({index, *id});
    }
  } else if (kind == SliceKind::framework_op && event.has(sequence_number)) {
    const auto number = integer(event.args[sequence_number], batch);
    if (number && *number >= 0) {
      batch.sequence.push_back({index, integer(event.get(forward_thread), batch).value_or(0) != 0, *number});
    }
  } else if (kind == SliceKind::other && event.category.empty()) {
    read_xla_arguments(event, row, batch);
  }
  batch.slices.push_back(row);
  ++batch.counts.slices;
  if (kind == SliceKind::framework_op && (event.has(source_rank) || event.has(destination_rank))) {
    batch.transfers.push_back(collective_of(event, batch));
  }
  if (is_device_op(kind)) add_device_op(event, kind, batch);
  if (kind == SliceKind::synchronization) add_synchronization(event, batch);
  if (event.has_rare) add_flow_of_slice(event, source, batch);
}

/// Of an event without a category: what joins it with the work that it launched, and the number of the step that it
/// marks (jax.profiler.StepTraceAnnotation), named as PyTorch's profiler names its own.
void EventParser::read_xla_arguments(const Event& event, Slice& row, Batch& batch) {
  for (const Arg arg : {correlation, xla_correlation}) {
    if (event.has(arg)) row.correlation = integer(event.args[arg], batch).value_or(kNoCorrelation);
  }
  if (!event.has(step_number)) return;
  const auto number = integer(event.args[step_number], batch);
  if (number && *number >= 0) row.name = intern("ProfilerStep#" + std::to_string(*number));
}

void EventParser::add_device_op(const Event& event, SliceKind kind, Batch& batch) {
  const auto index = static_cast<uint32_t>(batch.slices.size() - 1);
  const std::string_view name = tables_.names[batch.slices[index].name];
  const auto number = [&](Arg arg) { return integer_of(event, arg, batch); };
  DeviceOp row;
  row.slice = index;
  const auto device_number = number(device);
  row.device = int32_or_none(device_number ? device_number : trailing_integer(event.process));
  const auto stream_number = number(stream);
  row.stream = stream_number ? *stream_number : trailing_integer(event.thread).value_or(-1);
  const bool by_direction = kind == SliceKind::memcpy && event.has(direction);
  row.bytes = number(by_direction && !event.has(bytes) ? size : bytes).value_or(-1);
  const kineto::Transfer transfer =
      by_direction ? kineto::transfer_of_direction(event.args[direction]) : kineto::transfer_of(kind, name);
  row.copy = transfer.kind;
  row.source = transfer.source;
  row.destination = transfer.destination;
  batch.device_ops.push_back(row);

  add_collective(event, batch);
}

void EventParser::add_collective(const Event& event, Batch& batch) {
  if (own_ && event.has(transfers)) {
    const size_t before = batch.collectives.size();
    add_transfers(event.args[transfers], collective_of(event, batch), tables_.names, batch.collectives);
    if (batch.collectives.size() > before) return;
  }
  if (!event.has(collective_name) && !event.has(group_name) && !event.has(elements_in)) return;
  batch.collectives.push_back(collective_of(event, batch));
}

/// What the last slice of the batch says as a collective.
Collective EventParser::collective_of(const Event& event, Batch& batch) {
  const auto number = [&](Arg arg) { return integer_of(event, arg, batch); };
  Collective collective;
  collective.slice = static_cast<uint32_t>(batch.slices.size() - 1);
  collective.name = intern_json(event.get(collective_name));
  collective.group = intern_json(event.has(group_name) ? event.args[group_name] : event.get(group_ranks));
  collective.type = intern_json(event.get(dtype));
  collective.elements_in = number(elements_in).value_or(-1);
  collective.elements_out = number(elements_out).value_or(-1);
  collective.group_size = int32_or_none(number(group_size));
  collective.sequence = number(collective_sequence).value_or(-1);
  collective.from = partner_of(number(source_rank));
  collective.to = partner_of(number(destination_rank));
  return collective;
}

void EventParser::add_synchronization(const Event& event, Batch& batch) {
  const auto index = static_cast<uint32_t>(batch.slices.size() - 1);
  const auto kind = kineto::kind_of_synchronization(tables_.names[batch.slices[index].name]);
  if (!kind) return;
  // What there is none of is -1, of 32 or 64 bits.
  const auto number = [&](Arg arg) {
    const auto value = event.get(arg).empty() ? std::nullopt : integer(event.args[arg], batch);
    return value && *value >= 0 && *value < UINT32_MAX ? *value : -1;
  };
  const bool of_event = *kind == Synchronization::Kind::host_event || *kind == Synchronization::Kind::stream_order;
  const int64_t record = number(event_record);
  const int64_t on = *kind == Synchronization::Kind::host_device ? -1 : number(of_event ? awaited_stream : stream);
  batch.synchronizations.push_back(
      {index, *kind, int32_or_none(number(device)), on, record >= 0 ? record : kNoCorrelation});
}

void EventParser::add_instant(const Event& event, Batch& batch) {
  const auto at = time(event.time, batch);
  if (!at) {
    ++batch.counts.skipped;
    return;
  }
  if (event.name == "[memory]") {
    const auto change = integer(event.get(memory_bytes), batch);
    MemoryEvent memory;
    memory.time = *at;
    memory.bytes = change.value_or(0);
    const bool on_host = event.get(device_type) == "0";
    memory.device = on_host ? -1 : int32_or_none(integer(event.get(device_id), batch));
    if (event.has(memory_address)) memory.address = integer(event.args[memory_address], batch).value_or(0);
    memory.track = track(event);
    if (event.has(total_allocated)) memory.total_allocated = integer(event.args[total_allocated], batch).value_or(-1);
    if (event.has(total_reserved)) memory.total_reserved = integer(event.args[total_reserved], batch).value_or(-1);
    batch.memory.push_back(memory);
    ++batch.counts.memory;
    return;
  }
  const std::string_view scope = event.has_rare ? event.rare.instant_scope : "";
  batch.instants.push_back({*at, intern_json(event.name), track(event),
                            scope == "g"   ? InstantScope::global
                            : scope == "p" ? InstantScope::process
                                           : InstantScope::thread});
  ++batch.counts.instants;
}

void EventParser::add_flow(const Event& event, uint64_t source, Batch& batch) {
  const auto at = time(event.time, batch);
  if (!at) {
    ++batch.counts.skipped;
    return;
  }
  if (own_) return add_arrow(event, batch);
  ++batch.counts.flows;
  const bool forward_backward = event.category == "fwdbwd";
  const bool ascend = event.category == "HostToDevice";
  const bool launch = ascend || event.category == "ac2g" || event.category.starts_with("async");
  if (!forward_backward && !launch) {
    const bool enclosed = event.has_rare && event.rare.binding_point == "e";
    return add_part(event.phase == 's'   ? PartKind::flow_start
                    : event.phase == 't' ? PartKind::flow_step
                    : enclosed           ? PartKind::flow_enclosed
                                         : PartKind::flow_finish,
                    event, source, batch);
  }
  if (event.phase == 't') return;
  // Ids of Ascend's flows are texts of up to 80 bits.
  const auto id = ascend ? static_cast<int64_t>(std::hash<std::string_view>()(event.id)) : integer(event.id, batch);
  if (!id) return;
  const LinkHints::Flow flow{*id, *at, track(event), event.phase == 's', forward_backward};
  if (!repeats_correlation(flow, batch)) batch.flows.push_back(flow);
}

void EventParser::add_counter(const Event& event, Batch& batch) {
  const auto at = time(event.time, batch);
  if (!at || counter_values_.empty()) {
    ++batch.counts.skipped;
    if (at) batch.lose(Loss::bad_number);
    return;
  }
  ++batch.counts.counters;
  std::string name = unescape_json(event.name);
  if (!event.id.empty()) name.append("[").append(event.id).append("]");
  for (const auto& [key, value] : counter_values_) {
    scratch_.assign(event.process).push_back(kKeySeparator);
    scratch_ += counter_values_.size() == 1 ? name : name + " " + key;
    batch.counters.push_back({tables_.counter_keys.intern(scratch_), *at, value});
  }
}

void EventParser::add_metadata(const Event& event, Batch& batch) {
  ++batch.counts.metadata;
  const bool of_process = event.name == "process_name";
  if ((!of_process && event.name != "thread_name") || !event.has(name_argument)) return;
  scratch_.assign(event.process);
  if (!of_process) scratch_.append(1, kKeySeparator).append(event.thread);
  const StringId key = intern(scratch_);
  batch.track_names.push_back({of_process, key, intern_json(event.args[name_argument])});
}

StringId EventParser::intern_json(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return intern(raw);
  return intern(unescape_json(raw));
}

uint32_t EventParser::track(const Event& event) {
  for (const RecentTrack& recent : recent_tracks_) {
    const bool same = recent.process == event.process && recent.thread == event.thread;
    if (same && recent.number != kNone) return recent.number;
  }
  scratch_.assign(event.process).append(1, kKeySeparator).append(event.thread);
  RecentTrack& oldest = recent_tracks_[next_recent_++ % recent_tracks_.size()];
  oldest = {std::string(event.process), std::string(event.thread), tables_.track_keys.intern(scratch_)};
  return oldest.number;
}

EventParser::KnownCategory& EventParser::category_of(std::string_view name) {
  if (last_category_ < categories_.size() && categories_[last_category_].name == name)
    return categories_[last_category_];
  const auto found = std::find_if(categories_.begin(), categories_.end(),
                                  [&](const KnownCategory& known) { return known.name == name; });
  last_category_ = static_cast<size_t>(found - categories_.begin());
  if (found == categories_.end()) {
    // A trace with more is not written by a profiler; the rest share one entry. Exports can be of many.
    const size_t limit = own_ ? kNoNumber : 1000;
    if (categories_.size() >= limit && !name.empty()) return category_of("");
    categories_.push_back(
        own_ ? own_category(name)
             : KnownCategory{std::string(name), kineto::kind_of_category(name), std::string(name), {}});
    categories_.back().numbers.fill(kNoNumber);
  }
  return categories_[last_category_];
}

uint16_t EventParser::category_number(KnownCategory& category, SliceKind kind) {
  uint16_t& number = category.numbers[static_cast<size_t>(kind)];
  if (number == kNoNumber) {
    number = static_cast<uint16_t>(tables_.categories.size());
    tables_.categories.push_back({category.in_run, kind});
  }
  return number;
}

std::optional<int64_t> EventParser::integer(std::string_view token, Batch& batch) {
  if (token.empty()) return std::nullopt;
  int64_t value = 0;
  const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  if (result.ec == std::errc() && result.ptr == token.data() + token.size()) return value;
  const auto decimal = Decimal::parse(token);
  const auto rounded = decimal ? decimal->scaled(0) : std::nullopt;
  if (!rounded) batch.lose(Loss::bad_id);
  return rounded;
}

std::optional<int64_t> EventParser::integer_of(const Event& event, Arg arg, Batch& batch) {
  return event.has(arg) && !event.args[arg].empty() ? integer(event.args[arg], batch) : std::nullopt;
}

std::optional<int64_t> EventParser::time(std::string_view token, Batch& batch) {
  int64_t ns = 0;
  if (parse_plain_microseconds(token, ns)) return ns;
  auto value = nanoseconds_from_microseconds(token);
  if (value && !is_time(*value)) value.reset();
  if (!value) batch.lose(token.empty() ? Loss::no_time : Loss::bad_number);
  return value;
}

}  // namespace cgpu::trace_event
