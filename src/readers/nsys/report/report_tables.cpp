#include "readers/nsys/report/report_tables.h"

#include <algorithm>

#include "readers/common/protobuf.h"

namespace cgpu::nsys {

namespace {

namespace block_field {
constexpr uint32_t kEvent = 1, kRawRecord = 2, kText = 1;
}
namespace end_field {
constexpr uint32_t kThread = 1, kMachine = 1, kDevices = 2, kGpu = 7, kCudaDevice = 9;
}
constexpr uint32_t kEventsOfInfo = 1;

}  // namespace

ReportTables::ReportTables(std::shared_ptr<const File> file, const std::string& name, unsigned threads, Notes& notes)
    : container_(std::move(file), name, threads), version_(container_.version()), layout_(version_) {
  const uint64_t expected = protobuf_varint(container_.info(), kEventsOfInfo).value_or(0);
  if (container_.is_cut()) {
    notes.add("truncated_input", 1, "the report ends before its directory: it was cut short; what is whole was read",
              true);
  }
  find_events(expected, notes);
  read_end(notes);
  note_losses(expected, notes);
  has_frames_ = scan(kFrames, {})->next();

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
  for (size_t block = 0; block < container_.blocks() || (seen_ < expected && container_.find_block()); ++block) {
    for (Messages& rows : rows_) rows.first_of_block.push_back(rows.offset.size());
    const std::string_view message = container_.message(block, block + 1);
    if (message.data() == nullptr) {
      notes.add("damaged_input", 1,
                "the block of events at byte " + std::to_string(container_.position(block)) +
                    " of the file is damaged, its events are missing (first of these)",
                true);
    }
    size_ += message.size();
    index_block(message);
  }
}

void ReportTables::index_block(std::string_view message) {
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
    const EventKind kind = layout_.kind_of(*event);
    if (kind.use == EventKind::Use::unread) ++unread_[name_of_event(*event)];
    if (kind.use != EventKind::Use::row) continue;
    rows_[kind.table].offset.push_back(static_cast<uint32_t>(event->payload_field - message.data()));
  }
  if (entries.damaged()) ++damaged_;
}

/// The texts, the threads and the devices.
void ReportTables::read_end(Notes& notes) {
  if (!load_texts()) {
    notes.add("truncated_input", 1,
              "the texts at the end of the report are missing or damaged: kernels, calls and ranges have no names",
              true);
  }
  std::optional<std::string> threads = container_.next_message();
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
  const std::string_view texts = container_.texts();
  if (texts.data() == nullptr) return false;
  ProtobufMessage entries(texts);
  for (ProtobufField entry; entries.next(entry);) {
    if (entry.number == block_field::kText && entry.is_bytes()) text_of_id_.push_back(entry.bytes);
  }
  return !entries.damaged();
}

void ReportTables::add_messages(std::string_view table, std::string_view message, uint32_t field_number) {
  ProtobufMessage fields(message);
  Messages& rows = rows_[layout_.place(table)];
  const char* start = fields.position();
  for (ProtobufField field; fields.next(field); start = fields.position()) {
    if (field.number != field_number || !field.is_bytes()) continue;
    rows.offset.push_back(static_cast<uint32_t>(rows.at_end.size()));
    rows.at_end.append(start, fields.position());
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

std::string ReportTables::text_with_id(const std::string&, const std::string&, int64_t id) {
  if (text_of_id_.empty()) load_texts();
  const bool known = id >= 0 && static_cast<uint64_t>(id) < text_of_id_.size();
  return known ? std::string(text_of_id_[static_cast<size_t>(id)]) : std::to_string(id);
}

void ReportTables::release() {
  container_.release();
  text_of_id_ = std::vector<std::string_view>();
}

}  // namespace cgpu::nsys
