#include "readers/hpctoolkit/xml/metric_db.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"

namespace cgpu::hpctoolkit_xml {

namespace {

constexpr std::string_view kMagic = "HPCPROF-metricdb__";
constexpr size_t kEndianness = 23;  // behind the version, five characters
constexpr size_t kRows = 24;
constexpr size_t kColumns = 28;
constexpr size_t kTable = 32;  // not 24, as db-header-sz says

template <typename T>
T swapped_if(bool swap, const char* at) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), at, sizeof(T));
  if (swap) {
    for (size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
  }
  return std::bit_cast<T>(bytes);
}

}  // namespace

MetricDb::MetricDb(const std::string& path, Notes& notes) : file_(std::make_unique<MappedFile>(path)) {
  const std::string_view bytes = file_->bytes();
  if (!bytes.starts_with(kMagic)) throw Error(path, "is no metric-db of HPCToolkit");
  if (bytes.size() < kTable) {
    notes.add("truncated_input", 1, "metric-db files are cut off within their header", true);
    return;
  }
  const char order = bytes[kEndianness];
  if (order != 'b' && order != 'l') {
    notes.add("damaged_input", 1, "metric-db files do not say in which order their bytes are", true);
    return;
  }
  little_endian_ = order == 'l';
  const bool swap = little_endian_ != (std::endian::native == std::endian::little);
  const auto rows = swapped_if<int32_t>(swap, bytes.data() + kRows);
  const auto columns = swapped_if<int32_t>(swap, bytes.data() + kColumns);
  if (rows < 0 || columns < 0) {
    notes.add("damaged_input", 1, "metric-db files say that they have less than no values", true);
    return;
  }
  columns_ = static_cast<uint64_t>(columns);
  rows_ = static_cast<uint64_t>(rows);
  const uint64_t whole_rows = columns_ == 0 ? rows_ : (bytes.size() - kTable) / (8 * columns_);
  if (whole_rows < rows_) {
    notes.add("truncated_input", 1, "metric-db files are cut off: rows of values are missing", true);
    rows_ = whole_rows;
  }
}

std::optional<double> MetricDb::at(uint64_t row, uint64_t column) const {
  if (row == 0 || row > rows_ || column >= columns_) return std::nullopt;
  const bool swap = little_endian_ != (std::endian::native == std::endian::little);
  return swapped_if<double>(swap, file_->bytes().data() + kTable + 8 * ((row - 1) * columns_ + column));
}

CallProfile profile_of_file(const std::string& file) {
  CallProfile profile;
  std::string_view name = file;
  name = name.substr(name.rfind('/') + 1);
  profile.name = name;
  if (const size_t ending = name.rfind('.'); ending != std::string_view::npos) name = name.substr(0, ending);
  // From the end, since the program's name may hold hyphens: N, process, host, thread, rank.
  std::array<std::string_view, 5> parts;
  for (std::string_view& part : parts) {
    const size_t hyphen = name.rfind('-');
    if (hyphen == std::string_view::npos) return profile;
    part = name.substr(hyphen + 1);
    name = name.substr(0, hyphen);
  }
  const auto number = [](std::string_view text) -> std::optional<int64_t> {
    const auto value = parse_number(text);
    return value && *value >= 0 ? value : std::nullopt;
  };
  const auto rank = number(parts[4]);
  const auto thread = number(parts[3]);
  if (!rank || !thread) return profile;
  constexpr int64_t kFirstStream = 500;  // hpcrun numbers the streams of devices like threads, from here on
  profile.rank = rank;
  profile.device = *thread >= kFirstStream;
  profile.name =
      "rank " + std::to_string(*rank) +
      (profile.device ? " stream " + std::to_string(*thread - kFirstStream) : " thread " + std::to_string(*thread));
  if (!profile.device) profile.thread = thread;
  return profile;
}

namespace {

class TableValues : public ProfileValues {
 public:
  TableValues(std::shared_ptr<const std::vector<MetricDb>> files, std::vector<uint32_t> rows,
              std::vector<MetricColumns> columns)
      : files_(std::move(files)), rows_(std::move(rows)), columns_(std::move(columns)) {}

  std::vector<NodeValue> of_profile(uint32_t profile, MetricIndex metric) override {
    return in_column(profile, columns_[metric].inclusive);
  }

  std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex metric) override {
    std::vector<ProfileValue> found;
    for (uint32_t profile = 0; profile < files_->size(); ++profile) {
      const double value = value_at(profile, node, columns_[metric].inclusive);
      if (value != 0) found.push_back({profile, value});
    }
    return found;
  }

  std::vector<std::string> scopes() override { return {kFunction}; }

  std::vector<NodeValue> of_scope(const std::string& scope, MetricIndex metric,
                                  std::optional<uint32_t> profile) override {
    if (scope != kFunction) return {};
    if (profile) return in_column(*profile, columns_[metric].exclusive);
    std::vector<double> sums(rows_.size(), 0);
    for (uint32_t p = 0; p < files_->size(); ++p) {
      for (const NodeValue& value : in_column(p, columns_[metric].exclusive)) sums[value.node] += value.value;
    }
    std::vector<NodeValue> found;
    for (NodeIndex node = 0; node < sums.size(); ++node) {
      if (sums[node] != 0) found.push_back({node, sums[node]});
    }
    return found;
  }

 private:
  static constexpr const char* kFunction = "function";

  std::vector<NodeValue> in_column(uint32_t profile, std::optional<uint64_t> column) const {
    std::vector<NodeValue> found;
    if (profile >= files_->size()) return found;
    for (NodeIndex node = 0; node < rows_.size(); ++node) {
      if (const double value = value_at(profile, node, column); value != 0) found.push_back({node, value});
    }
    return found;
  }

  /// 0 where there is none: the tables are full, and 0 is what they hold where nothing was measured.
  double value_at(uint32_t profile, NodeIndex node, std::optional<uint64_t> column) const {
    const auto value = column ? (*files_)[profile].at(rows_[node], *column) : std::nullopt;
    return value && std::isfinite(*value) ? *value : 0;
  }

  std::shared_ptr<const std::vector<MetricDb>> files_;
  std::vector<uint32_t> rows_;
  std::vector<MetricColumns> columns_;
};

}  // namespace

std::shared_ptr<ProfileValues> profile_values(std::shared_ptr<const std::vector<MetricDb>> files,
                                              std::vector<uint32_t> row_of_node, std::vector<MetricColumns> columns) {
  return std::make_shared<TableValues>(std::move(files), std::move(row_of_node), std::move(columns));
}

}  // namespace cgpu::hpctoolkit_xml
