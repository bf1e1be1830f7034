// Caliper's json-split: "data" is a table of numbers; "columns" names its columns; the cells of a column that is no
// value are places in "nodes", which is a list of (label, column, parent). All other members are facts about the run.
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "readers/caliper/caliper.h"
#include "readers/caliper/profile.h"
#include "readers/common/input.h"
#include "readers/common/json_reader.h"

namespace cgpu::caliper {

namespace {

using Token = JsonReader::Token;

constexpr size_t kMaxLabelDepth = 4096;

struct Label {
  std::string text;
  size_t parent = SIZE_MAX;  // SIZE_MAX for none; comes before the node
  size_t depth = 0;
};

struct ColumnFacts {
  Attribute attribute;
  bool is_value = true;
};

class JsonSplitReader {
 public:
  JsonSplitReader(TextSource& source, const std::string& path)
      : source_(source), json_(source), path_(path), run_(new_run(path, "caliper")), profile_(run_) {}

  Run read() {
    if (json_.next() != Token::begin_object) throw Error(path_, "is no JSON object");
    json_.each_member([&](std::string_view key) { read_member(key); });
    json_.note_end(run_.notes, "; what came before it was read");
    add_source(source_, run_, "damaged_input");
    if (columns_.empty()) throw Error(path_, "is a json-split profile of Caliper without its list of columns");
    add_rows();
    profile_.finish();
    return std::move(run_);
  }

 private:
  void read_member(std::string_view key) {
    const Token value = json_.next();
    if (value == Token::begin_array && key == "data") {
      json_.each_element([&](Token row) { read_row(row); });
    } else if (value == Token::begin_array && key == "columns") {
      size_t index = 0;
      json_.each_element([&](Token name) {
        if (name == Token::string) column(index).attribute.name = json_.text();
        ++index;
        json_.skip();
      });
    } else if (value == Token::begin_array && key == "column_metadata") {
      size_t index = 0;
      json_.each_element([&](Token facts) { read_column_facts(facts, column(index++)); });
    } else if (value == Token::begin_array && key == "nodes") {
      json_.each_element([&](Token node) { read_node(node); });
    } else if (value == Token::string || value == Token::number) {
      profile_.add_fact(key, json_.text());
    } else {
      json_.skip();
    }
  }

  ColumnFacts& column(size_t index) {
    if (columns_.size() <= index) columns_.resize(index + 1);
    return columns_[index];
  }

  void read_row(Token value) {
    if (value == Token::begin_array) {
      json_.each_element([&](Token cell) {
        double number = kNoValue;
        if (cell == Token::number) {
          const std::string_view text = json_.text();
          std::from_chars(text.data(), text.data() + text.size(), number);
        } else if (cell != Token::literal) {  // null: there is none
          run_.notes.add("invalid_number", 1, "cells that are no numbers were left out");
        }
        json_.skip();
        cells_.push_back(number);
      });
    } else {
      json_.skip();
    }
    rows_.push_back(cells_.size());
  }

  void read_column_facts(Token value, ColumnFacts& facts) {
    if (value != Token::begin_object) return json_.skip();
    json_.each_member([&](std::string_view key) {
      const Token member = json_.next();
      if (member == Token::literal && key == "is_value") facts.is_value = json_.text() == "true";
      if (member == Token::string && key == "attribute.alias") facts.attribute.alias = json_.text();
      if (member == Token::string && key == "attribute.unit") facts.attribute.unit = json_.text();
      json_.skip();
    });
  }

  void read_node(Token value) {
    Label label;
    if (value != Token::begin_object) {
      json_.skip();
    } else {
      json_.each_member([&](std::string_view key) {
        const Token member = json_.next();
        if (key == "label" && (member == Token::string || member == Token::number)) label.text = json_.text();
        if (key == "parent" && member == Token::number) {
          const std::string_view text = json_.text();
          std::from_chars(text.data(), text.data() + text.size(), label.parent);
        }
        json_.skip();
      });
    }
    if (label.parent != SIZE_MAX && label.parent >= labels_.size()) {  // would allow cycles
      run_.notes.add("damaged_input", 1, "nodes refer to a parent that is not ahead of them", true);
      label.parent = SIZE_MAX;
    }
    if (label.parent != SIZE_MAX) label.depth = labels_[label.parent].depth + 1;
    if (label.depth > kMaxLabelDepth) {
      run_.notes.add("damaged_input", 1, "nodes that nest more than 4,096 deep were taken out of their parents", true);
      label.parent = SIZE_MAX;
      label.depth = 0;
    }
    labels_.push_back(std::move(label));
  }

  /// The columns of regions, the outermost first; that of the whole path before others.
  std::vector<size_t> region_columns() const {
    std::vector<size_t> regions;
    for (const bool is_path : {true, false}) {
      for (size_t i = 0; i < columns_.size(); ++i) {
        const PathRole role = path_role(columns_[i].attribute);
        // Columns that are no values and nothing else that is known are parts of a path.
        const bool is_region = !columns_[i].is_value && (role == PathRole::region || role == PathRole::none);
        if (is_region && (columns_[i].attribute.name == "path") == is_path) regions.push_back(i);
      }
    }
    return regions;
  }

  /// The column that says this of a place; SIZE_MAX for none.
  size_t column_of(PathRole role) const {
    size_t i = 0;
    while (i < columns_.size() && (columns_[i].is_value || path_role(columns_[i].attribute) != role)) ++i;
    return i < columns_.size() ? i : SIZE_MAX;
  }

  /// The place of a cell in the list of nodes; SIZE_MAX where it is none.
  size_t label_of(double cell) {
    if (cell != cell) return SIZE_MAX;
    if (cell >= 0 && cell < static_cast<double>(labels_.size()) && std::floor(cell) == cell) {
      return static_cast<size_t>(cell);
    }
    run_.notes.add("damaged_input", 1, "cells refer to nodes that the file does not describe", true);
    return SIZE_MAX;
  }

  /// The node of a label and those above it, below `at`.
  NodeIndex add_path(size_t label, NodeIndex at) {
    if (at == 0 && label < known_.size() && known_[label] != 0) return known_[label];
    std::vector<size_t> chain;
    for (size_t l = label; l != SIZE_MAX; l = labels_[l].parent) chain.push_back(l);
    const bool from_root = at == 0;
    for (auto l = chain.rbegin(); l != chain.rend(); ++l) at = profile_.region(at, labels_[*l].text);
    if (from_root) known_[label] = at;
    return at;
  }

  void add_rows() {
    const std::vector<size_t> regions = region_columns();
    const size_t activity = column_of(PathRole::activity);
    const size_t kernel = column_of(PathRole::kernel);
    const size_t source = column_of(PathRole::source);
    const size_t module = column_of(PathRole::module);
    known_.assign(labels_.size(), 0);
    std::vector<uint32_t> numbers(columns_.size(), UINT32_MAX);
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].is_value) numbers[i] = profile_.add_column(columns_[i].attribute);
    }
    std::vector<Value> values;
    size_t begin = 0;
    for (const size_t end : rows_) {
      const double* const row = cells_.data() + begin;
      const size_t size = end - begin;
      begin = end;
      if (size != columns_.size()) {
        run_.notes.add("ragged_row", 1, "rows have more or fewer cells than there are columns");
      }
      const auto label_in = [&](size_t column) { return column < size ? label_of(row[column]) : SIZE_MAX; };
      const auto text_in = [&](size_t column) {
        const size_t label = label_in(column);
        return label == SIZE_MAX ? std::string_view() : std::string_view(labels_[label].text);
      };
      NodeIndex at = 0;
      for (const size_t column : regions) {
        if (const size_t label = label_in(column); label != SIZE_MAX) at = add_path(label, at);
      }
      at = profile_.device_work(at, text_in(activity), text_in(kernel));
      at = profile_.source(at, text_in(source), text_in(module));
      values.clear();
      for (size_t i = 0; i < std::min(size, columns_.size()); ++i) {
        if (numbers[i] != UINT32_MAX && row[i] == row[i]) values.push_back({numbers[i], row[i], {}});
      }
      profile_.add_record(at, values);
    }
  }

  TextSource& source_;
  JsonReader json_;
  const std::string& path_;
  Run run_;
  Profile profile_;
  std::vector<double> cells_;
  std::vector<size_t> rows_;  // where in the cells each one ends
  std::vector<ColumnFacts> columns_;
  std::vector<Label> labels_;
  std::vector<NodeIndex> known_;  // of the labels, 0 for not yet
};

}  // namespace

bool is_json_split(std::string_view head) {
  // {"data": [[...  Rows come first and may fill the head; a cell is a number or null.
  const auto take = [&](std::string_view token) { return take_json(head, token); };
  if (!take("{")) return false;
  if (take("\"data\"") && take(":") && take("[") && take("[")) {
    return head.find_first_not_of("0123456789.,+-eE nul \t\r\n[]") >= head.find(']');
  }
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return has("\"columns\"") && has("\"column_metadata\"") && has("\"nodes\"");
}

Run read_json_split(TextSource& source, const std::string& path) {
  return JsonSplitReader(source, path).read();
}

}  // namespace cgpu::caliper
