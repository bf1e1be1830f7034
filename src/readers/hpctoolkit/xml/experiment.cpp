#include "readers/hpctoolkit/xml/experiment.h"

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace cgpu::hpctoolkit_xml {

namespace {

/// The attributes of an element, as expat gives them: names and values in turn, then null.
class Attributes {
 public:
  explicit Attributes(const XML_Char** list) : list_(list) {}

  std::string_view text(std::string_view name) const {
    for (const XML_Char** at = list_; at[0] != nullptr; at += 2) {
      if (name == at[0]) return at[1];
    }
    return {};
  }
  /// The first number of a text such as "12" or "12-40"; 0 where there is none, or one that does not fit.
  uint32_t number(std::string_view name) const {
    const std::string_view digits = text(name);
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() ? value : 0;
  }

 private:
  const XML_Char** list_;
};

/// By the attribute `t`; version 2.0 has none at the columns of the tables, only the end of the name.
ValueType value_type(const Attributes& metric) {
  const std::string_view type = metric.text("t");
  const std::string_view name = metric.text("n");
  if (type == "inclusive" || (type.empty() && name.ends_with(" (I)"))) return ValueType::inclusive;
  if (type == "exclusive" || (type.empty() && name.ends_with(" (E)"))) return ValueType::exclusive;
  return ValueType::none;
}

/// Nothing is known of the file behind such a name.
bool is_unknown_file(std::string_view name) {
  return name.starts_with("<unknown file>") || name == "~unknown-file~";
}

class ExperimentReader {
 public:
  ExperimentReader(TextSource& text, const std::string& name, Notes& notes)
      : text_(text), name_(name), notes_(notes), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* tag, const XML_Char** attributes) {
          static_cast<ExperimentReader*>(self)->begin(tag, Attributes(attributes));
        },
        [](void* self, const XML_Char* tag) { static_cast<ExperimentReader*>(self)->end(tag); });
  }

  Experiment read() {
    const std::string damage = parse();
    if (wrong_version_) {
      throw Error(name_, "is version " + result_.version +
                             " of HPCToolkit's format, which is written as XML only in version 2; where profile.db "
                             "lies beside it, make the database again from its measurements with hpcprof of 2022.10 "
                             "or later");
    }
    if (result_.tree.nodes.size() == 0) {
      throw Error(name_, !damage.empty() ? damage
                         : flat_         ? "holds a flat profile only; cgpu reads call path profiles"
                                         : "holds no call path profile of HPCToolkit");
    }
    while (!open_.empty()) close();
    if (!damage.empty()) notes_.add("truncated_input", 1, damage, true);
    report();
    return std::move(result_);
  }

 private:
  /// An element of the call tree that has begun and not ended.
  struct Open {
    NodeIndex node = 0;
    bool call_site = false;  // it shows in its callees; a place of its own only where there are none
    bool has_callee = false;
    uint32_t id = 0;
    uint32_t line = 0;
    std::vector<std::pair<std::string, double>> values = {};  // of a call site
  };

  /// What is wrong with the text, or "".
  std::string parse() {
    constexpr int kChunk = 1 << 20;
    constexpr uint64_t kLongestElement = uint64_t{16} << 20;
    uint64_t fed = 0;
    for (bool last = false; !last;) {
      char* to = static_cast<char*>(XML_GetBuffer(parser_.get(), kChunk));
      if (to == nullptr) return "experiment.xml holds an element too large to read";
      const size_t got = text_.read(to, kChunk);
      last = got == 0;
      fed += got;
      if (XML_ParseBuffer(parser_.get(), static_cast<int>(got), last) != XML_STATUS_OK) {
        if (!text_.damage().empty()) return text_.damage();
        return "experiment.xml is cut off or damaged in line " +
               std::to_string(XML_GetCurrentLineNumber(parser_.get())) + ": " +
               XML_ErrorString(XML_GetErrorCode(parser_.get())) + "; what comes before was read";
      }
      const XML_Index at = XML_GetCurrentByteIndex(parser_.get());
      // The parser starts again at the beginning of an element that is not complete.
      if (at >= 0 && fed - static_cast<uint64_t>(at) > kLongestElement) {
        return "experiment.xml holds an element too large to read in line " +
               std::to_string(XML_GetCurrentLineNumber(parser_.get()));
      }
    }
    return text_.damage();
  }

  void begin(std::string_view tag, const Attributes& attributes) {
    if (in_tree_) return begin_in_tree(tag, attributes);
    if (tag == "HPCToolkitExperiment") return begin_experiment(attributes);
    if (tag == "SecFlatProfile") flat_ = true;
    if (tag == "SecCallPathProfile") ++profiles_;
    if (tag == "Header") result_.title = attributes.text("n");
    if (profiles_ == 1) begin_in_head(tag, attributes);
  }

  void begin_experiment(const Attributes& attributes) {
    result_.version = attributes.text("version");
    if (result_.version.starts_with("2.") || result_.version.empty()) return;
    wrong_version_ = true;
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void begin_in_head(std::string_view tag, const Attributes& attributes) {
    if (tag == "Metric") {
      const std::string_view show = attributes.text("show");
      result_.summary.push_back({std::string(attributes.text("i")), std::string(attributes.text("n")),
                                 std::string(attributes.text("md")), value_type(attributes),
                                 show != "0" && show != "4"});
    } else if (tag == "MetricFormula") {
      if (!result_.summary.empty()) begin_formula(attributes);
    } else if (tag == "MetricDB") {
      result_.threads.push_back(
          {std::string(attributes.text("n")), value_type(attributes), attributes.number("db-id")});
    } else if (tag == "TraceDB") {
      result_.has_traces = true;
    } else if (tag == "LoadModule") {
      define(modules_, attributes);
    } else if (tag == "File") {
      define(files_, attributes);
    } else if (tag == "Procedure") {
      define(procedures_, attributes);
    } else if (tag == "SecCallPathProfileData") {
      in_tree_ = true;
      const NodeIndex root = add_node(kNoNode, NodeKind::root, NodeRelation::lexical, 1);
      open_.push_back({root});
    }
  }

  void begin_formula(const Attributes& attributes) {
    SummaryMetric& metric = result_.summary.back();
    const std::string_view type = attributes.text("t");
    if (type == "view") metric.formula = true;
    if (type != "finalize") return;
    metric.finalize = parse_finalize_formula(attributes.text("frm"));
    if (!metric.finalize) ++unread_formulas_;
    if (metric.finalize && metric.finalize->formula.is_operand() && metric.finalize->metrics.front() == metric.id) {
      metric.finalize.reset();
    }
  }

  void begin_in_tree(std::string_view tag, const Attributes& attributes) {
    if (tag == "M") return read_value(attributes);
    const NodeIndex above = open_.back().node;
    const uint32_t id = attributes.number("i");
    const uint32_t line = attributes.number("l");
    if (tag == "PF" || tag == "Pr" || tag == "A") {
      begin_function(tag == "PF", above, id, attributes);
    } else if (tag == "L" || tag == "S") {
      const NodeIndex node = add_place(tag == "L" ? NodeKind::loop : NodeKind::line, above, id, line);
      if (const std::string_view file = attributes.text("f"); !file.empty()) {
        result_.tree.nodes.file[node] = named(files_, file);
      }
      open_.push_back({node});
    } else if (tag == "C") {
      count_row(id);
      open_.push_back({above, true, false, id, line});
    } else {
      ++unknown_elements_;
      open_.push_back({above});
    }
  }

  void begin_function(bool frame, NodeIndex above, uint32_t id, const Attributes& attributes) {
    CallNodes& nodes = result_.tree.nodes;
    Open& site = open_.back();
    const NodeIndex node =
        add_node(above, NodeKind::function, frame ? NodeRelation::call : NodeRelation::inlined_call, id);
    count_row(id);
    nodes.name[node] = named(procedures_, attributes.text("n"));
    nodes.file[node] = named(files_, attributes.text("f"));
    nodes.module[node] = named(modules_, attributes.text("lm"));
    nodes.line[node] = attributes.number("l");
    if (!frame && nodes.module[node] == 0) nodes.module[node] = nodes.module[above];
    // "<program root>" and the like are no functions.
    if (above == 0 && result_.tree.names[nodes.name[node]].starts_with('<')) nodes.kind[node] = NodeKind::entry;
    if (site.call_site) {
      site.has_callee = true;
      nodes.call_line[node] = site.line;
    }
    open_.push_back({node});
  }

  void end(std::string_view tag) {
    if (!in_tree_ || tag == "M") return;
    close();
    if (open_.empty()) in_tree_ = false;
    if (tag == "SecCallPathProfileData") ++profiles_;  // whatever may follow is not part of it
  }

  void close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    if (!closed.call_site || closed.has_callee) return;
    const NodeIndex node = add_place(NodeKind::line, closed.node, closed.id, closed.line);
    --result_.nodes;  // counted as a call site
    for (const auto& [metric, value] : closed.values) result_.values[metric].push_back({node, value});
  }

  void read_value(const Attributes& attributes) {
    const std::string_view digits = attributes.text("v");
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
      ++bad_values_;
      return;
    }
    Open& at = open_.back();
    std::string metric(attributes.text("n"));
    if (at.call_site) {
      at.values.emplace_back(std::move(metric), value);
    } else {
      result_.values[metric].push_back({at.node, value});
    }
  }

  NodeIndex add_node(NodeIndex above, NodeKind kind, NodeRelation relation, uint32_t id) {
    CallNodes& nodes = result_.tree.nodes;
    nodes.parent.push_back(above);
    nodes.kind.push_back(kind);
    nodes.relation.push_back(relation);
    nodes.name.push_back(0);
    nodes.file.push_back(0);
    nodes.module.push_back(0);
    nodes.line.push_back(0);
    nodes.call_line.push_back(0);
    result_.row.push_back(id);
    return nodes.size() - 1;
  }

  /// A loop or a line, in the file and module of what is around it.
  NodeIndex add_place(NodeKind kind, NodeIndex above, uint32_t id, uint32_t line) {
    CallNodes& nodes = result_.tree.nodes;
    const NodeIndex node = add_node(above, kind, NodeRelation::lexical, id);
    count_row(id);
    nodes.file[node] = nodes.file[above];
    nodes.module[node] = nodes.module[above];
    nodes.line[node] = line;
    return node;
  }

  void count_row(uint32_t id) {
    ++result_.nodes;
    result_.last_row = std::max(result_.last_row, id);
  }

  using Table = std::unordered_map<std::string, StringId>;
  void define(Table& table, const Attributes& attributes) {
    const std::string_view name = attributes.text("n");
    const StringId id = is_unknown_file(name) ? 0 : result_.tree.names.intern(name);
    table.try_emplace(std::string(attributes.text("i")), id);
  }
  /// What an attribute names: an entry of the table by its number, else the text itself.
  StringId named(const Table& table, std::string_view text) {
    if (text.empty()) return 0;
    const auto at = table.find(std::string(text));
    if (at != table.end()) return at->second;
    if (text.find_first_not_of("0123456789") != std::string_view::npos) return result_.tree.names.intern(text);
    ++lost_names_;
    return 0;
  }

  void report() {
    const auto damage = [&](int64_t count, const char* what) { notes_.add("damaged_input", count, what, true); };
    if (lost_names_ > 0) damage(lost_names_, "names in experiment.xml that are not in its tables");
    if (bad_values_ > 0) {
      notes_.add("invalid_number", bad_values_, "values in experiment.xml that are no finite number were left out",
                 true);
    }
    if (unread_formulas_ > 0) {
      notes_.add("skipped_event", unread_formulas_,
                 "formulas of metrics that cgpu does not know; the values are shown as they are stored");
    }
    if (unknown_elements_ > 0) {
      notes_.add("skipped_event", unknown_elements_,
                 "elements of the call tree of a kind that cgpu does not know; what is in them is shown at what is "
                 "around them");
    }
    const int64_t repeated = remove_repeated_rows();
    if (repeated > 0) damage(repeated, "nodes of the call tree have the number of another one, and so no values");
  }

  /// Two nodes with one row would count its cost twice: the first keeps it.
  int64_t remove_repeated_rows() {
    std::vector<std::pair<uint32_t, NodeIndex>> rows;
    for (NodeIndex node = 0; node < result_.row.size(); ++node) {
      if (result_.row[node] != 0) rows.emplace_back(result_.row[node], node);
    }
    std::sort(rows.begin(), rows.end());
    int64_t repeated = 0;
    for (size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].first != rows[i - 1].first) continue;
      result_.row[rows[i].second] = 0;
      ++repeated;
    }
    return repeated;
  }

  TextSource& text_;
  const std::string& name_;
  Notes& notes_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  Experiment result_;
  Table modules_, files_, procedures_;
  std::vector<Open> open_;
  int profiles_ = 0;
  bool in_tree_ = false, flat_ = false, wrong_version_ = false;
  int64_t lost_names_ = 0, bad_values_ = 0, unknown_elements_ = 0, unread_formulas_ = 0;
};

}  // namespace

Experiment read_experiment(TextSource& text, const std::string& name, Notes& notes) {
  return ExperimentReader(text, name, notes).read();
}

}  // namespace cgpu::hpctoolkit_xml
