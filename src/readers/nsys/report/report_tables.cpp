#include "readers/nsys/report/report_tables.h"

#include <algorithm>

#include "readers/common/protobuf.h"
#include "readers/nsys/report/event_kinds.h"

namespace cgpu::nsys {

namespace {

namespace block_field {
constexpr uint32_t kEvent = 1, kRawRecord = 2, kText = 1;
}
namespace end_field {
constexpr uint32_t kThread = 1, kMachine = 1, kDevices = 2, kGpu = 7, kCudaDevice = 9;
}
constexpr uint32_t kEventsOfInfo = 1;
constexpr uint32_t kFramesOfCall = 15;

}  // namespace

ReportTables::ReportTables(std::shared_ptr<const File> file, const std::string& name, Notes& notes)
    : container_(std::move(file), name), version_(container_.version()), layout_(version_) {
  const uint64_t expected = protobuf_varint(container_.info(), kEventsOfInfo).value_or(0);
  if (container_.is_cut()) {
    notes.add("truncated_input", 1, "the report ends before its directory: it was cut short; what is whole was read",
              true);
  }
  find_events(expected, notes);
  read_end(notes);
  note_losses(expected, notes);

  const std::string& head = container_.head();
  add_facts("META_DATA_EXPORT", {"name", "value"}, {{"EXPORT_PRODUCT_VERSION", version_}});
  add_facts("META_DATA_CAPTURE", {"name", "value"}, capture_options(container_.section("Analysis Options Data")));
  if (const auto start = session_start(head, container_.section("Time Conversion Data"))) {
    add_facts("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, {{std::to_string(*start)}});
  }
  if (const std::string host = host_name(head); !host.empty()) {
    add_facts("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, {{"Hostname", host}});
  }
  list_columns();
}

/// Reads every block once and remembers where its events are.
void ReportTables::find_events(uint64_t expected, Notes& notes) {
  const auto find_next_block = [&] {
    const std::optional<ReportBlock> block = container_.next_block();
    if (block) blocks_.push_back(*block);
    return block.has_value();
  };
  if (container_.knows_texts()) {
    while (find_next_block()) {
    }
  }
  for (size_t number = 0; number < blocks_.size() || (seen_ < expected && find_next_block()); ++number) {
    for (Messages& rows : rows_) rows.first_of_block.push_back(rows.offset.size());
    const std::string_view message = reader_.message(number);
    if (message.empty()) {
      notes.add("damaged_input", 1,
                "the block of events at byte " + std::to_string(blocks_[number].position) +
                    " of the file is damaged, its events are missing (first of these)",
                true);
      continue;
    }
    size_ += message.size();
    index_block(message);
  }
}

void ReportTables::index_block(std::string_view message) {
  const size_t calls = layout_.place(kCallsWithFrames);
  const size_t samples = layout_.place(kSamples);
  ProtobufMessage entries(message);
  for (ProtobufField entry; entries.next(entry);) {
    if (entry.number == block_field::kRawRecord) ++unread_["raw records (GPU metrics, context switches)"];
    if (entry.number != block_field::kEvent || !entry.is_bytes()) continue;
    ++seen_;
    const std::optional<EventHead> event = head_of_event(entry.bytes);
    if (!event) {
      ++damaged_;
      continue;
    }
    const EventKind kind = kind_of_event(*event, layout_);
    if (kind.use == EventKind::Use::unread) ++unread_[name_of_event(*event)];
    if (kind.use != EventKind::Use::row) continue;
    add_event(kind.table, static_cast<uint64_t>(event->payload_field - message.data()),
              {event->payload_field, event->payload.data() + event->payload.size()});
    if (kind.table == calls && !protobuf_bytes(event->payload, kFramesOfCall).empty()) {
      with_call_chain_.push_back(static_cast<uint32_t>(rows_[calls].offset.size() - 1));
    }
    if (kind.table == samples && !has_frames_) {
      has_frames_ = !protobuf_bytes(event->payload, kFramesOfSample).empty();
    }
  }
  if (entries.damaged()) ++damaged_;
}

/// The texts, the threads and the devices.
void ReportTables::read_end(Notes& notes) {
  const std::optional<ReportBlock> texts = container_.texts_block();
  if (texts) texts_block_ = *texts;
  if (!load_texts()) {
    notes.add("truncated_input", 1,
              "the texts at the end of the report are missing or damaged: kernels, calls and ranges have no names",
              true);
  }
  std::optional<std::string> threads = texts ? container_.next_message() : std::nullopt;
  std::optional<std::string> devices = threads ? container_.next_message() : std::nullopt;
  if (!devices) {
    notes.add("truncated_input", 1, "the description of threads and devices at the end of the report is missing", true);
  }
  add_messages("ThreadNames", threads.value_or(""), end_field::kThread);
  each_protobuf_bytes(devices.value_or(""), end_field::kMachine, [&](std::string_view machine) {
    const std::string_view of_machine = protobuf_bytes(machine, end_field::kDevices);
    add_messages("TARGET_INFO_GPU", of_machine, end_field::kGpu);
    add_messages("TARGET_INFO_CUDA_DEVICE", of_machine, end_field::kCudaDevice);
  });
}

void ReportTables::note_losses(uint64_t expected, Notes& notes) const {
  if (seen_ < expected) {
    notes.add("truncated_input", static_cast<int64_t>(expected - seen_),
              "events of the report that are not in the file or in damaged blocks", true);
  }
  notes.add("damaged_input", damaged_, "events of the report that are no whole messages were left out", true);
  int64_t count = 0;
  std::string list;
  for (const auto& [name, events] : unread_) {
    count += events;
    list += (list.empty() ? "" : ", ") + name + ": " + std::to_string(events);
  }
  notes.add("unread_event", count, "events of the report that cgpu does not read, by name: " + list);
}

bool ReportTables::load_texts() {
  container_.read_block(texts_block_, texts_);
  if (texts_.message.data() == nullptr) return false;
  ProtobufMessage entries(texts_.message);
  for (ProtobufField entry; entries.next(entry);) {
    if (entry.number == block_field::kText && entry.is_bytes()) text_of_id_.push_back(entry.bytes);
  }
  return !entries.damaged();
}

void ReportTables::add_event(size_t table, uint64_t offset, std::string_view field) {
  Messages& rows = rows_[table];
  rows.offset.push_back(static_cast<uint32_t>(offset));
  if (!rows.is_copied) return;
  rows.copy.append(field);
  rows.is_copied = rows.copy.size() <= kMostCopied;
  if (!rows.is_copied) rows.copy = std::string();
}

void ReportTables::add_messages(std::string_view table, std::string_view message, uint32_t field_number) {
  ProtobufMessage fields(message);
  Messages& rows = rows_[layout_.place(table)];
  rows.is_at_end = true;
  const char* start = fields.position();
  for (ProtobufField field; fields.next(field); start = fields.position()) {
    if (field.number != field_number || !field.is_bytes()) continue;
    rows.offset.push_back(0);
    rows.copy.append(start, fields.position());
  }
}

void ReportTables::add_facts(const std::string& table, std::vector<std::string> columns, std::vector<Facts> rows) {
  columns_[table] = std::move(columns);
  facts_[table] = std::move(rows);
}

void ReportTables::list_columns() {
  for (const ReportTable& table : layout_.tables()) {
    if (rows_expected(std::string(table.name)) == 0) continue;
    std::vector<std::string>& names = columns_[std::string(table.name)];
    for (const ReportColumn& column : table.columns) names.emplace_back(column.name);
  }
  columns_[kTexts] = {"id", "value"};
}

uint64_t ReportTables::rows_expected(const std::string& table) const {
  if (table == kFrames) return has_frames_ ? 1 : 0;
  if (table == kTexts) return text_of_id_.size();
  if (is_of_messages(table)) return rows_[layout_.place(table)].offset.size();
  const auto facts = facts_.find(table);
  return facts == facts_.end() ? 0 : facts->second.size();
}

int64_t ReportTables::call_chain_of(uint64_t row) const {
  const auto at = std::lower_bound(with_call_chain_.begin(), with_call_chain_.end(), row);
  return at == with_call_chain_.end() || *at != row ? 0 : at - with_call_chain_.begin() + 1;
}

std::string ReportTables::text_with_id(const std::string&, const std::string&, int64_t id) {
  if (text_of_id_.empty()) load_texts();
  const bool known = id >= 0 && static_cast<uint64_t>(id) < text_of_id_.size();
  return known ? std::string(text_of_id_[static_cast<size_t>(id)]) : std::to_string(id);
}

void ReportTables::release() {
  for (Messages& rows : rows_) {
    if (rows.is_at_end) continue;
    rows.copy = std::string();
    rows.is_copied = false;
  }
  reader_.release();
  text_of_id_ = std::vector<std::string_view>();
  texts_ = {};
}

}  // namespace cgpu::nsys
