#include "readers/nsys/report/report_tables.h"

#include <algorithm>

#include "base/threads.h"
#include "readers/common/protobuf.h"

namespace cgpu::nsys {

namespace {

namespace texts_field {
constexpr uint32_t kText = 1;
}
namespace info_field {
constexpr uint32_t kEvents = 1;
}
namespace end_field {
constexpr uint32_t kThread = 1, kMachine = 1, kDevices = 2, kGpu = 7, kCudaDevice = 9;
}

std::string listed(const std::map<std::string, int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text.append(text.empty() ? "" : ", ").append(name).append(": ").append(std::to_string(count));
  }
  return text;
}

}  // namespace

ReportTables::ReportTables(std::shared_ptr<const File> file, const std::string& name, unsigned threads, Notes& notes)
    : container_(std::move(file), name), version_(container_.version()), threads_(thread_count(threads)) {
  const uint64_t expected = protobuf_varint(container_.info(), info_field::kEvents).value_or(0);
  if (container_.is_cut()) {
    notes.add("truncated_input", 1, "the report ends before its directory: it was cut short; what is whole was read",
              true);
  }
  find_events(expected, notes);
  read_end(notes);
  note_losses(expected, notes);

  const std::string& head = container_.head();
  add_cells("META_DATA_EXPORT", {"name", "value"}, {{"EXPORT_PRODUCT_VERSION", version_}});
  add_cells("META_DATA_CAPTURE", {"name", "value"}, capture_options(container_.section("Analysis Options Data")));
  if (const auto start = session_start(head, container_.section("Time Conversion Data"))) {
    add_cells("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, {{std::to_string(*start)}});
  }
  if (const std::string host = host_name(head); !host.empty()) {
    add_cells("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, {{"Hostname", host}});
  }
  list_tables();
}

/// Reads every block once and remembers where its events are.
void ReportTables::find_events(uint64_t expected, Notes& notes) {
  // Where the file does not say where the texts begin, the number of events says after each block whether it was the
  // last.
  const size_t most = container_.knows_texts() ? std::min(threads_, kBlocksAtOnce) : 1;
  std::vector<ReportContainer::Decompressed> memory(most);
  std::vector<BlockIndex> indices(most);
  for (;;) {
    const size_t first = blocks_.size();
    while (blocks_.size() - first < most && (container_.knows_texts() || seen_ < expected)) {
      const std::optional<ReportBlock> block = container_.next_block();
      if (!block) break;
      blocks_.push_back(*block);
    }
    const size_t found = blocks_.size() - first;
    if (found == 0) return;
    for_each_or_throw(threads_, found, [&](size_t i) {
      container_.decompress(blocks_[first + i], memory[i]);
      index_block(memory[i].message, indices[i]);
    });
    for (size_t i = 0; i < found; ++i) {
      if (memory[i].message.empty()) {
        notes.add("damaged_input", 1,
                  "the block of events at byte " + std::to_string(blocks_[first + i].position) +
                      " of the file is damaged, its events are missing (first of these)",
                  true);
      }
      add_rows(indices[i], memory[i].message);
    }
  }
}

/// Those of the next block.
void ReportTables::add_rows(const BlockIndex& index, std::string_view message) {
  for (Events& events : events_) events.first_of_block.push_back(events.offset.size());
  size_ += message.size();
  seen_ += index.events;
  damaged_ += index.damaged;
  has_frames_ |= index.has_frames;
  for (const auto& [name, count] : index.unread) unread_[name] += count;
  for (const BlockIndex::Row& row : index.rows) {
    Events& events = events_[static_cast<size_t>(row.table)];
    if (row.has_call_chain) with_call_chain_.push_back(static_cast<uint32_t>(events.offset.size()));
    events.offset.push_back(row.offset);
    if (events.is_copied) copy_payload(events, message.substr(row.offset, row.size));
  }
}

/// `payload`: behind its length.
void ReportTables::copy_payload(Events& events, std::string_view payload) {
  events.copy.append(payload);
  copied_bytes_ += payload.size();
  if (copied_bytes_ <= kMostCopied) return;
  Events& largest = *std::max_element(events_.begin(), events_.end(),
                                      [](const Events& a, const Events& b) { return a.copy.size() < b.copy.size(); });
  copied_bytes_ -= largest.copy.size();
  largest.copy = std::string();
  largest.is_copied = false;
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
  end_of_threads_ = std::move(threads).value_or("");
  end_of_devices_ = std::move(devices).value_or("");
  add_messages(threads_layout(), end_of_threads_, end_field::kThread);
  each_protobuf_bytes(end_of_devices_, end_field::kMachine, [&](std::string_view machine) {
    const std::string_view of_machine = protobuf_bytes(machine, end_field::kDevices);
    add_messages(gpus_layout(), of_machine, end_field::kGpu);
    add_messages(cuda_devices_layout(), of_machine, end_field::kCudaDevice);
  });
}

void ReportTables::note_losses(uint64_t expected, Notes& notes) const {
  if (seen_ < expected) {
    notes.add("truncated_input", static_cast<int64_t>(expected - seen_),
              "events of the report that are not in the file or in damaged blocks", true);
  }
  notes.add("damaged_input", damaged_, "events of the report that are no whole messages were left out", true);
  int64_t count = 0;
  for (const auto& [name, events] : unread_) count += events;
  notes.add("unread_event", count, "events of the report that cgpu does not read, by name: " + listed(unread_));
}

bool ReportTables::load_texts() {
  if (!container_.decompress(texts_block_, texts_)) return false;
  ProtobufMessage entries(texts_.message);
  for (ProtobufField entry; entries.next(entry);) {
    if (entry.number == texts_field::kText && entry.is_bytes()) text_of_id_.push_back(entry.bytes);
  }
  return !entries.damaged();
}

void ReportTables::add_messages(const ReportTable& of, std::string_view message, uint32_t field_number) {
  Messages& table = messages_[std::string(of.name)];
  table.layout = &of;
  each_protobuf_bytes(message, field_number, [&](std::string_view row) { table.rows.push_back(row); });
}

void ReportTables::add_cells(const std::string& table, std::vector<std::string> columns, std::vector<Cells> rows) {
  columns_[table] = std::move(columns);
  cells_[table] = std::move(rows);
}

void ReportTables::list_tables() {
  const auto list = [&](const ReportTable& of) {
    std::vector<std::string>& names = columns_[std::string(of.name)];
    for (const ReportColumn& column : of.columns) names.emplace_back(column.name);
  };
  for (size_t table = 0; table < kTables; ++table) {
    if (!events_[table].offset.empty()) list(layout(static_cast<EventTable>(table)));
  }
  if (has_frames_) list(frames_layout());
  for (const auto& [name, table] : messages_) list(*table.layout);
  columns_[kTexts] = {"id", "value"};
}

EventTable ReportTables::event_table(const std::string& table) const {
  size_t found = 0;
  while (found < kTables && layout(static_cast<EventTable>(found)).name != table) ++found;
  return static_cast<EventTable>(found);
}

uint64_t ReportTables::rows_expected(const std::string& table) const {
  const EventTable found = event_table(table);
  if (found != EventTable::count) return events_[static_cast<size_t>(found)].offset.size();
  if (table == frames_layout().name) return has_frames_ ? 1 : 0;
  if (const auto messages = messages_.find(table); messages != messages_.end()) return messages->second.rows.size();
  if (const auto cells = cells_.find(table); cells != cells_.end()) return cells->second.size();
  return table == kTexts ? text_of_id_.size() : 0;
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
  for (Events& events : events_) {
    events.copy = std::string();
    events.is_copied = false;
  }
  text_of_id_ = std::vector<std::string_view>();
  texts_ = ReportContainer::Decompressed();
}

}  // namespace cgpu::nsys
