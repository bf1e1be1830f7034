// Caliper's records: a line each, "__rec=KIND,KEY=VALUE=VALUE...,KEY=...". Nodes form trees of (attribute, value); an
// attribute is itself a node. A record of kind ctx is a snapshot: it names nodes, whose ancestors belong to it as well,
// and lists numbers.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/parse_number.h"
#include "readers/caliper/caliper.h"
#include "readers/caliper/profile.h"
#include "readers/common/input.h"
#include "readers/common/line_reader.h"

namespace cgpu::caliper {

namespace {

constexpr std::string_view kRecord = "__rec=";
constexpr std::string_view kVersion = "cali.caliper.version";
constexpr uint32_t kNoNodeNumber = UINT32_MAX;
constexpr uint32_t kMaxNodeDepth = 4096;

// Nodes that every file may refer to without describing them.
constexpr uint64_t kNameAttribute = 8;
constexpr uint64_t kTypeAttribute = 9;
constexpr uint64_t kPropertyAttribute = 10;
// Properties of an attribute.
constexpr int64_t kHidden = 128;
constexpr int64_t kNested = 256;
constexpr int64_t kGlobal = 512;

/// What lies below all regions, wherever it is among the ancestors; numbers of nodes.
struct Innermost {
  uint32_t activity = kNoNodeNumber;
  uint32_t kernel = kNoNodeNumber;
  uint32_t source = kNoNodeNumber;
  uint32_t module = kNoNodeNumber;

  void set(PathRole role, uint32_t number) {
    if (role == PathRole::activity) activity = number;
    if (role == PathRole::kernel) kernel = number;
    if (role == PathRole::source) source = number;
    if (role == PathRole::module) module = number;
  }
  /// What `other` has goes before.
  void merge(const Innermost& other) {
    if (other.activity != kNoNodeNumber) activity = other.activity;
    if (other.kernel != kNoNodeNumber) kernel = other.kernel;
    if (other.source != kNoNodeNumber) source = other.source;
    if (other.module != kNoNodeNumber) module = other.module;
  }
};

/// A node of the file.
struct FileNode {
  uint64_t attribute = 0;
  std::string value;
  uint32_t parent = kNoNodeNumber;
  uint32_t depth = 0;
  // Worked out when a record names the node:
  bool resolved = false;
  NodeIndex region = 0;  // of the path from the root to here
  Innermost innermost = {};
};

/// What is known of a node that is an attribute.
struct FileAttribute {
  Attribute attribute;
  PathRole role = PathRole::none;
  bool is_text = false;
  bool is_global = false;
  uint32_t column = kNoNodeNumber;
};

/// One key of a record with its values.
struct Field {
  std::string key;
  std::vector<std::string> values;
};

/// Splits a line at ',' and '='; a backslash takes away what the next character means.
class RecordLine {
 public:
  /// The fields stay valid until the next call.
  void parse(std::string_view line) {
    count_ = 0;
    size_t value = 0;
    begin_field();
    std::string* text = &fields_[0].key;
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '\\' && i + 1 < line.size()) {
        ++i;
        *text += line[i] == 'n' ? '\n' : line[i];
      } else if (c == ',') {
        begin_field();
        value = 0;
        text = &fields_[count_ - 1].key;
      } else if (c == '=') {
        Field& field = fields_[count_ - 1];
        if (field.values.size() <= value) field.values.emplace_back();
        text = &field.values[value];
        text->clear();
        sizes_[count_ - 1] = ++value;
      } else {
        *text += c;
      }
    }
  }

  size_t size(std::string_view key) const {
    const size_t at = find(key);
    return at < count_ ? sizes_[at] : 0;
  }
  /// The value of a key at a position below its size.
  std::string_view value(std::string_view key, size_t position) const { return fields_[find(key)].values[position]; }
  /// The first value; "" where there is none.
  std::string_view first(std::string_view key) const { return size(key) > 0 ? value(key, 0) : std::string_view(); }
  /// Whether it has all fields of its kind, and as many values as attributes.
  bool is_whole() const {
    return size("attr") == size("data") && (first("__rec") != "node" || (size("id") > 0 && size("data") > 0));
  }

 private:
  void begin_field() {
    if (fields_.size() == count_) {
      fields_.emplace_back();
      sizes_.push_back(0);
    }
    fields_[count_].key.clear();
    sizes_[count_] = 0;
    ++count_;
  }
  size_t find(std::string_view key) const {
    size_t at = 0;
    while (at < count_ && fields_[at].key != key) ++at;
    return at;
  }

  std::vector<Field> fields_;  // reused from line to line
  std::vector<size_t> sizes_;  // values of each
  size_t count_ = 0;
};

class RecordReader {
 public:
  RecordReader(TextSource& source, const std::string& path)
      : source_(source), lines_(source), path_(path), run_(new_run(path, "caliper")), profile_(run_) {
    add_known_nodes();
  }

  Run read() {
    int64_t records = 0;
    for (std::string_view line; lines_.next(line);) {
      if (line.empty()) continue;
      if (!line.starts_with(kRecord)) {
        run_.notes.add("skipped_record", 1, "lines that are no records were left out", true);
        continue;
      }
      line_.parse(line);
      const std::string_view kind = line_.first("__rec");
      if (kind == "node") {
        read_node();
      } else if (kind == "ctx") {
        ++records;
        read_snapshot();
      } else if (kind == "globals") {
        read_globals();
      } else {
        run_.notes.add("skipped_record", 1, "records of an unknown kind were left out");
      }
    }
    if (!lines_.ended() && !line_.is_whole()) run_.notes.add("truncated_input", 1, "the last line is cut off", true);
    run_.notes.add("truncated_input", lines_.cut_lines(), "lines longer than 1 MB were cut", true);
    add_source(source_, run_, "damaged_input");
    if (records == 0) throw Error(path_, "is a Caliper profile without a snapshot that can be read");
    profile_.finish();
    return std::move(run_);
  }

 private:
  void add_known_nodes() {
    constexpr std::string_view kTypes[] = {"usr", "int", "uint", "string", "addr", "double", "bool", "type"};
    uint64_t id = 0;
    for (const std::string_view type : kTypes) add_node(id++, {kTypeAttribute, std::string(type)});
    add_node(kNameAttribute, {kNameAttribute, "cali.attribute.name", number_of_node_[3]});
    add_node(kTypeAttribute, {kNameAttribute, "cali.attribute.type", number_of_node_[7]});
    add_node(kPropertyAttribute, {kNameAttribute, "cali.attribute.prop", number_of_node_[1]});
  }

  bool add_node(uint64_t id, FileNode node) {
    const bool is_new = number_of_node_.try_emplace(id, static_cast<uint32_t>(nodes_.size())).second;
    if (is_new) nodes_.push_back(std::move(node));
    return is_new;
  }

  uint32_t node_number(std::string_view id) const {
    const auto number = parse_number<uint64_t>(id);
    const auto found = number ? number_of_node_.find(*number) : number_of_node_.end();
    return found == number_of_node_.end() ? kNoNodeNumber : found->second;
  }

  void read_node() {
    const auto id = parse_number<uint64_t>(line_.first("id"));
    const auto attribute = parse_number<uint64_t>(line_.first("attr"));
    if (!id || !attribute) {
      return run_.notes.add("skipped_record", 1, "nodes without a number or an attribute were left out", true);
    }
    FileNode node{*attribute, std::string(line_.first("data"))};
    if (line_.size("parent") > 0) {
      node.parent = node_number(line_.first("parent"));  // is ahead of its children, so there are no cycles
      if (node.parent == kNoNodeNumber) {
        run_.notes.add("damaged_input", 1, "nodes refer to a parent that is not ahead of them", true);
      }
    }
    if (node.parent != kNoNodeNumber) node.depth = nodes_[node.parent].depth + 1;
    if (node.depth > kMaxNodeDepth) {
      return run_.notes.add("damaged_input", 1, "nodes that nest more than 4,096 deep were left out", true);
    }
    if (name_of(*attribute) == kVersion) profile_.add_fact(kVersion, node.value);
    const bool repeats_known = *id <= kPropertyAttribute;
    if (!add_node(*id, std::move(node)) && !repeats_known) {
      run_.notes.add("damaged_input", 1, "nodes have the number of an earlier one and were left out", true);
    }
  }

  /// What the file says of an attribute.
  FileAttribute& attribute(uint64_t id) {
    const auto found = number_of_node_.find(id);
    if (found == number_of_node_.end()) return unknown_attribute_;
    const auto [at, is_new] = attributes_.try_emplace(id);
    FileAttribute& known = at->second;
    if (!is_new) return known;
    known.attribute.name = nodes_[found->second].value;
    for (uint32_t n = nodes_[found->second].parent; n != kNoNodeNumber; n = nodes_[n].parent) {
      const FileNode& node = nodes_[n];
      const std::string_view property = node.attribute == kTypeAttribute       ? "type"
                                        : node.attribute == kPropertyAttribute ? "property"
                                                                               : name_of(node.attribute);
      if (property == "type") known.is_text = node.value == "string";
      if (property == "property") {
        const int64_t bits = parse_number<int64_t>(node.value).value_or(0);
        known.attribute.nested = (bits & kNested) != 0;
        known.attribute.hidden = (bits & kHidden) != 0;
        known.is_global = (bits & kGlobal) != 0;
      }
      if (property == "attribute.alias") known.attribute.alias = node.value;
      if (property == "attribute.unit" || property == "time.unit") known.attribute.unit = node.value;
    }
    known.role = path_role(known.attribute);
    return known;
  }

  std::string_view name_of(uint64_t attribute_id) const {
    const auto found = number_of_node_.find(attribute_id);
    return found == number_of_node_.end() ? std::string_view() : std::string_view(nodes_[found->second].value);
  }

  /// Whether an attribute is a level of the path in files from before Caliper 2, which did not mark them.
  bool is_level_of_version_1(const FileAttribute& known) const {
    const std::string_view name = known.attribute.name;
    return run_.format_version.starts_with("1.") && !known.attribute.hidden && !known.is_global &&
           !name.starts_with("cali.") && !name.starts_with("event.") && !name.empty();
  }

  /// Adds the level that a node is, if it is one, below `parent`.
  NodeIndex level(const FileNode& node, NodeIndex parent) {
    const FileAttribute& known = attribute(node.attribute);
    if (known.role == PathRole::region) return profile_.region(parent, node.value);
    if (known.role != PathRole::none || !is_level_of_version_1(known)) return parent;
    return profile_.region(parent, known.is_text ? node.value : known.attribute.name + "=" + node.value);
  }

  /// The node and its ancestors, the outermost first.
  const std::vector<uint32_t>& chain_of(uint32_t number) {
    chain_.clear();
    for (uint32_t n = number; n != kNoNodeNumber; n = nodes_[n].parent) chain_.push_back(n);
    std::reverse(chain_.begin(), chain_.end());
    return chain_;
  }

  /// Works out the path of a node from that of the nearest ancestor where it is known.
  const FileNode& resolve(uint32_t number) {
    chain_.clear();
    for (uint32_t n = number; n != kNoNodeNumber && !nodes_[n].resolved; n = nodes_[n].parent) chain_.push_back(n);
    for (auto n = chain_.rbegin(); n != chain_.rend(); ++n) {
      FileNode& node = nodes_[*n];
      if (node.parent != kNoNodeNumber) {
        const FileNode& parent = nodes_[node.parent];
        node.region = parent.region;
        node.innermost = parent.innermost;
      }
      node.innermost.set(attribute(node.attribute).role, *n);
      node.region = level(node, node.region);
      node.resolved = true;
    }
    return nodes_[number];
  }

  void read_snapshot() {
    NodeIndex at = 0;
    Innermost innermost;
    for (size_t i = 0; i < line_.size("ref"); ++i) {
      const uint32_t number = node_number(line_.value("ref", i));
      if (number == kNoNodeNumber) {
        run_.notes.add("damaged_input", 1, "snapshots name nodes that the file does not describe", true);
        continue;
      }
      const FileNode& node = resolve(number);
      innermost.merge(node.innermost);
      if (at == 0) {
        at = node.region;
      } else if (node.region != 0) {
        for (const uint32_t part : chain_of(number)) at = level(nodes_[part], at);
      }
    }
    const auto text = [&](uint32_t number) {
      return number == kNoNodeNumber ? std::string_view() : std::string_view(nodes_[number].value);
    };
    at = profile_.device_work(at, text(innermost.activity), text(innermost.kernel));
    at = profile_.source(at, text(innermost.source), text(innermost.module));
    read_values(at);
  }

  void read_values(NodeIndex at) {
    values_.clear();
    const size_t count = std::min(line_.size("attr"), line_.size("data"));
    if (count < std::max(line_.size("attr"), line_.size("data"))) {
      run_.notes.add("damaged_input", 1, "snapshots have more attributes than values, or the other way round", true);
    }
    for (size_t i = 0; i < count; ++i) {
      const auto id = parse_number<uint64_t>(line_.value("attr", i));
      if (!id || number_of_node_.count(*id) == 0) {
        run_.notes.add("damaged_input", 1, "values of attributes that the file does not describe were left out", true);
        continue;
      }
      FileAttribute& known = attribute(*id);
      if (known.is_text) {
        if (known.role == PathRole::region) at = profile_.region(at, line_.value("data", i));
        continue;
      }
      if (known.column == kNoNodeNumber) known.column = profile_.add_column(known.attribute);
      const std::string_view text = line_.value("data", i);
      values_.push_back({known.column, parse_number<double>(text).value_or(kNoValue), text});
    }
    profile_.add_record(at, values_);
  }

  void read_globals() {
    for (size_t i = 0; i < line_.size("ref"); ++i) {
      const uint32_t number = node_number(line_.value("ref", i));
      if (number == kNoNodeNumber) continue;
      for (const uint32_t part : chain_of(number))
        profile_.add_fact(name_of(nodes_[part].attribute), nodes_[part].value);
    }
    const size_t count = std::min(line_.size("attr"), line_.size("data"));
    for (size_t i = 0; i < count; ++i) {
      const auto id = parse_number<uint64_t>(line_.value("attr", i));
      if (id) profile_.add_fact(name_of(*id), line_.value("data", i));
    }
  }

  TextSource& source_;
  LineReader lines_;
  const std::string& path_;
  Run run_;
  Profile profile_;
  RecordLine line_;
  std::vector<FileNode> nodes_;
  std::unordered_map<uint64_t, uint32_t> number_of_node_;  // by the id in the file
  std::unordered_map<uint64_t, FileAttribute> attributes_;
  FileAttribute unknown_attribute_;
  std::vector<uint32_t> chain_;
  std::vector<Value> values_;
};

}  // namespace

bool is_records(std::string_view head) {
  return head.starts_with(kRecord);
}

Run read_records(TextSource& source, const std::string& path) {
  return RecordReader(source, path).read();
}

bool is_profile(const Input& input) {
  return is_records(input.head) || is_json_split(input.head);
}

Run read_profile(const Input& input, const ReadOptions&) {
  return is_records(input.head) ? read_records(*input.source, input.path) : read_json_split(*input.source, input.path);
}

}  // namespace cgpu::caliper
