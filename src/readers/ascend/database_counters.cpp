#include <fmt/format.h>

#include "model/time_range.h"
#include "readers/ascend/database.h"
#include "readers/common/int32_or_none.h"

namespace cgpu::ascend {

namespace {

/// A table of samples: a row is one moment of the counters in `values`, of the unit that `ids` name.
struct CounterTable {
  const char* table;
  const char* format;  // of a counter's name: {0} the value's, {1} and {2} the ids
  std::vector<const char*> ids;
  struct Value {
    const char* column;
    const char* name;
  };
  std::vector<Value> values;
};

/// Named as in the text form where that has them.
const std::vector<CounterTable>& counter_tables() {
  static const std::vector<CounterTable> tables{
      {"AICORE_FREQ", "{0}", {}, {{"freq", "AI Core Freq (MHz)"}}},
      {"HBM", "HBM {1}/{2} (B/s)", {"hbmId", "type"}, {{"bandwidth", ""}}},
      {"LLC", "LLC {1} {2}/{0}", {"llcId", "mode"}, {{"hitRate", "Hit Rate (%)"}, {"throughput", "Throughput (B/s)"}}},
      {"DDR", "DDR/{0}", {}, {{"read", "Read (B/s)"}, {"write", "Write (B/s)"}}},
      {"QOS", "QoS {1} (B/s)", {"eventName"}, {{"bandwidth", ""}}},
      {"NPU_MEM", "{1}/{0}", {"type"}, {{"ddr", "DDR (B)"}, {"hbm", "HBM (B)"}}},
      {"ACC_PMU",
       "{0} of accelerator {1}",
       {"accId"},
       {{"readBwLevel", "read_bandwidth"},
        {"writeBwLevel", "write_bandwidth"},
        {"readOstLevel", "read_ost"},
        {"writeOstLevel", "write_ost"}}},
      {"SOC_BANDWIDTH_LEVEL", "{0}", {}, {{"l2BufferBwLevel", "L2 Buffer Bw Level"}, {"mataBwLevel", "Mata Bw Level"}}},
      {"HCCS", "HCCS/{0}", {}, {{"txThroughput", "Tx (B/s)"}, {"rxThroughput", "Rx (B/s)"}}},
      {"PCIE",
       "PCIe/{0}",
       {},
       {{"txPostAvg", "Tx post (B/s)"},
        {"rxPostAvg", "Rx post (B/s)"},
        {"txNonpostAvg", "Tx nonpost (B/s)"},
        {"rxNonpostAvg", "Rx nonpost (B/s)"}}},
      {"NIC", "NIC {1}/{0}", {"funcId"}, {{"rxByteRate", "Rx (B/s)"}, {"txByteRate", "Tx (B/s)"}}},
      {"ROCE", "RoCE {1}/{0}", {"funcId"}, {{"rxByteRate", "Rx (B/s)"}, {"txByteRate", "Tx (B/s)"}}},
      {"CPU_USAGE", "CPU {1} usage (%)", {"cpuId"}, {{"usage", ""}}},
      {"HOST_MEM_USAGE", "Memory usage (%)", {}, {{"usage", ""}}},
      {"HOST_DISK_USAGE", "Disk/{0}", {}, {{"readRate", "Read (B/s)"}, {"writeRate", "Write (B/s)"}}},
      {"HOST_NETWORK_USAGE", "Network (B/s)", {}, {{"speed", ""}}},
  };
  return tables;
}

/// Ids of units are numbers; ids of texts stand for the text.
std::string id_text(DatabaseReader& reader, sqlite::Scan& row, int column, std::string_view name) {
  if (row.is_null(column)) return "";
  if (row.is_text(column)) return std::string(row.text(column));
  const bool text = name == "type" || name == "mode" || name == "eventName";
  return text ? std::string(reader.texts.text(row.integer(column))) : std::to_string(row.integer(column));
}

void read_counters(DatabaseReader& reader, const CounterTable& table) {
  std::vector<std::string> columns{"timestampNs", "deviceId"};
  columns.insert(columns.end(), table.ids.begin(), table.ids.end());
  for (const CounterTable::Value& value : table.values) columns.emplace_back(value.column);
  const bool on_host = !reader.database.has_column(table.table, "deviceId");
  reader.each_event(table.table, columns, [&](sqlite::Scan& row) {
    const int64_t time = row.integer(0);
    if (row.is_null(0) || !is_time(time)) {
      return reader.assembler.skip("skipped_event", "samples of counters without a usable time were left out");
    }
    const int32_t device = on_host ? -1 : int32_or_none(row.integer(1));
    std::string ids[2];
    int column = 2;
    for (const char* name : table.ids) {
      ids[column - 2] = id_text(reader, row, column, name);
      ++column;
    }
    bool first = true;
    for (const CounterTable::Value& value : table.values) {
      if (row.is_number(column)) {
        reader.assembler.add_sample(device, fmt::format(fmt::runtime(table.format), value.name, ids[0], ids[1]), time,
                                    row.real(column), first);
        first = false;
      }
      ++column;
    }
    if (first) reader.assembler.skip("skipped_event", "samples of counters without a value were left out");
  });
}

void read_memory(DatabaseReader& reader) {
  reader.each("MEMORY_RECORD", {"timestamp", "component", "deviceId", "totalAllocated", "totalReserved"},
              [&](sqlite::Scan& row) {
                const auto bytes = [&](int column) -> std::optional<int64_t> {
                  if (row.is_null(column)) return std::nullopt;
                  return row.integer(column);
                };
                reader.assembler.add_memory_record(std::string(reader.texts.text(row.integer(1))),
                                                   int32_or_none(row.integer(2)), row.integer(0), bytes(3), bytes(4));
              });
}

}  // namespace

void read_counter_tables(DatabaseReader& reader) {
  for (const CounterTable& table : counter_tables()) read_counters(reader, table);
  read_memory(reader);
}

}  // namespace cgpu::ascend
