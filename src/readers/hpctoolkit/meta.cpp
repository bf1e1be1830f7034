#include "readers/hpctoolkit/meta.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/to_size.h"
#include "readers/hpctoolkit/metric_catalog.h"
#include "readers/hpctoolkit/structures.h"

namespace cgpu::hpctoolkit {

namespace {

enum SectionIndex : uint8_t { general, identifier_names, metrics, context, section_count = 8 };

/// Texts of the file as strings of a pool, each read once however many point to it.
class Names {
 public:
  Names(const Bytes& file, StringPool& pool) : file_(file), pool_(pool), budget_(file.size()) {}

  /// 0 where there is no text. A sound file holds every text once, so that all texts together are no longer than the
  /// file; one in which they overlap may not make us hold more.
  StringId at(uint64_t offset) {
    if (offset == 0) return 0;
    const auto [known, is_new] = known_.try_emplace(offset, 0);
    if (!is_new) return known->second;
    const auto text = file_.text(offset);
    if (!text || text->size() >= budget_) {
      ++lost_;
      return 0;
    }
    budget_ -= text->size() + 1;
    return known->second = pool_.intern(*text);
  }
  std::string text(uint64_t offset) { return std::string(pool_[at(offset)]); }
  int64_t lost() const { return lost_; }

 private:
  const Bytes& file_;
  StringPool& pool_;
  uint64_t budget_;
  std::unordered_map<uint64_t, StringId> known_;
  int64_t lost_ = 0;
};

class MetaReader {
 public:
  MetaReader(const Bytes& file, const std::string& name, const std::vector<TaxonomyMetric>& taxonomy, Notes& notes)
      : file_(file),
        taxonomy_(taxonomy),
        notes_(notes),
        names_(file, meta_.tree.names),
        visited_(to_size(file.size() / 8 + 1)) {
    const auto header = read_file_header(file, "meta", section_count);
    if (!header) throw Error(name, "is no meta.db of an HPCToolkit 4 database");
    if (header->major != 4) {
      throw Error(name,
                  "is version " + std::to_string(header->major) + " of HPCToolkit's format; cgpu reads version 4");
    }
    sections_ = header->sections;
    meta_.version = std::to_string(header->major) + "." + std::to_string(header->minor);
  }

  Meta read() {
    if (const auto properties = read_structure<GeneralProperties>(file_, sections_[general].offset)) {
      meta_.title = names_.text(properties->title);
    }
    read_kinds();
    read_metrics();
    read_tree();
    if (names_.lost() > 0) note_damage(names_.lost(), "names in meta.db point outside of it");
    return std::move(meta_);
  }

 private:
  void note_damage(int64_t count, const std::string& what) { notes_.add("damaged_input", count, what, true); }

  void read_kinds() {
    const auto names = read_structure<IdentifierNames>(file_, sections_[identifier_names].offset);
    if (!names) return note_damage(1, "meta.db does not name the parts of a thread's identity");
    for (uint64_t i = 0; i < names->names.count; ++i) {
      meta_.kinds.push_back(names_.text(file_.known_fields(names->names[i]).u64(0)));
    }
  }

  void read_metrics() {
    const auto section = read_structure<PerformanceMetrics>(file_, sections_[metrics].offset);
    if (!section) return note_damage(1, "meta.db does not say which metrics there are");
    const Array descriptions = file_.clip(section->metrics, MetricDescription::kEnd);
    if (descriptions.count < section->metrics.count) {
      note_damage(static_cast<int64_t>(section->metrics.count - descriptions.count), "metrics missing in meta.db");
    }
    std::vector<MetricIds> ids;
    uint64_t budget = file_.size();  // of instances of scopes; fewer than that fit into the file
    for (uint64_t i = 0; i < descriptions.count; ++i) {
      const auto description = read_structure<MetricDescription>(file_, descriptions[i], *section);
      if (!description || description->scope_instances.count + description->summaries.count > budget) break;
      budget -= description->scope_instances.count + description->summaries.count;
      meta_.tree.metrics.push_back(metric_of_stored_name(names_.text(description->name)));
      ids.push_back(ids_of(*description));
    }
    const std::vector<MetricIndex> old = arrange_metrics(meta_.tree.metrics, taxonomy_);
    for (const MetricIndex index : old) meta_.ids.push_back(index == kComputed ? MetricIds() : ids[index]);
  }

  MetricIds ids_of(const MetricDescription& description) {
    MetricIds ids;
    for (uint64_t i = 0; i < description.scope_instances.count; ++i) {
      const auto instance = read_structure<ScopeInstance>(file_, description.scope_instances[i]);
      if (!instance) continue;
      if (scope_at(instance->scope) == Scope::execution) {
        ids.execution = instance->metric_id;
      } else {
        other_scope(ids, instance->scope).profile = instance->metric_id;
      }
    }
    for (uint64_t i = 0; i < description.summaries.count; ++i) {
      const auto summary = read_structure<SummaryStatistic>(file_, description.summaries[i]);
      if (!summary || summary->combine != Combination::sum) continue;
      const Scope scope = scope_at(summary->scope);
      if (scope == Scope::point) ids.summary_point = summary->metric_id;
      if (scope == Scope::execution) {
        ids.summary_execution = summary->metric_id;
      } else {
        other_scope(ids, summary->scope).summary = summary->metric_id;
      }
    }
    return ids;
  }

  MetricIds::Other& other_scope(MetricIds& ids, uint64_t offset) {
    const auto scope = read_structure<PropagationScope>(file_, offset);
    const std::string name = scope ? names_.text(scope->name) : "";
    const auto at = std::find_if(ids.others.begin(), ids.others.end(), [&](const auto& o) { return o.scope == name; });
    return at != ids.others.end() ? *at : ids.others.emplace_back(MetricIds::Other{name, {}, {}});
  }
  Scope scope_at(uint64_t offset) const {
    const auto scope = read_structure<PropagationScope>(file_, offset);
    return scope ? scope->type : Scope::custom;
  }

  void read_tree() {
    const NodeIndex root = add_node(kNoNode, NodeKind::root, NodeRelation::lexical, 0);
    meta_.tree.nodes.name[root] = meta_.tree.names.intern("<program root>");
    if (const auto tree = read_structure<ContextTree>(file_, sections_[context].offset)) {
      const Array entries = file_.clip(tree->entry_points, EntryPoint::kEnd);
      lost_subtrees_ += static_cast<int64_t>(tree->entry_points.count - entries.count);
      for (uint64_t i = 0; i < entries.count; ++i) {
        if (const auto entry = read_structure<EntryPoint>(file_, entries[i])) read_entry(*entry, root);
      }
    } else {
      ++lost_subtrees_;
    }
    if (lost_subtrees_ > 0) {
      note_damage(lost_subtrees_,
                  "parts of the call tree are missing in meta.db; their cost is shown at their callers");
    }
    meta_.contexts = ContextNodes(std::move(context_of_node_));
    if (meta_.contexts.duplicates() > 0) {
      note_damage(meta_.contexts.duplicates(),
                  "contexts occur several times in the call tree; the first has the values");
    }
  }

  void read_entry(const EntryPoint& entry, NodeIndex root) {
    const NodeIndex node = add_node(root, NodeKind::entry, NodeRelation::call, entry.context);
    meta_.tree.nodes.name[node] = names_.at(entry.name);
    read_below(node, entry.children);
  }

  /// In the order of a reader's eye: every node before its children, and these before its next sibling.
  void read_below(NodeIndex top, Children children) {
    struct Rest {
      NodeIndex parent;
      uint64_t next;
      uint64_t end;
    };
    std::vector<Rest> stack;
    const auto push = [&](NodeIndex parent, Children below) {
      if (below.size == 0) return;
      const bool aligned = below.offset % 8 == 0;
      const uint64_t inside = below.offset < file_.size() ? std::min(below.size, file_.size() - below.offset) : 0;
      if (!aligned || inside < below.size) ++lost_subtrees_;
      if (aligned && inside > 0) stack.push_back({parent, below.offset, below.offset + inside});
    };
    push(top, children);
    while (!stack.empty()) {
      Rest& rest = stack.back();
      const auto read = rest.next < rest.end ? read_context(file_, rest.next) : std::nullopt;
      // A context that was seen before hangs below itself or below two callers: no tree any more.
      if (!read || visited_[to_size(rest.next / 8)]) {
        if (rest.next < rest.end) ++lost_subtrees_;
        stack.pop_back();
        continue;
      }
      visited_[to_size(rest.next / 8)] = true;
      rest.next += read->size;
      const NodeIndex node = add_context(rest.parent, *read);
      push(node, read->children);
    }
  }

  NodeIndex add_node(NodeIndex parent, NodeKind kind, NodeRelation relation, uint32_t context) {
    CallNodes& nodes = meta_.tree.nodes;
    nodes.parent.push_back(parent);
    nodes.kind.push_back(kind);
    nodes.relation.push_back(relation);
    nodes.name.push_back(0);
    nodes.file.push_back(0);
    nodes.module.push_back(0);
    nodes.line.push_back(0);
    context_of_node_.push_back(context);
    return nodes.size() - 1;
  }

  static NodeKind kind_of(LexicalType type) {
    switch (type) {
      case LexicalType::function:
        return NodeKind::function;
      case LexicalType::loop:
        return NodeKind::loop;
      case LexicalType::instruction:
        return NodeKind::instruction;
      case LexicalType::line:
        break;
    }
    return NodeKind::line;
  }

  NodeIndex add_context(NodeIndex parent, const Context& of) {
    const NodeKind kind = kind_of(of.lexical_type);
    const NodeRelation relation = of.relation == Relation::call           ? NodeRelation::call
                                  : of.relation == Relation::inlined_call ? NodeRelation::inlined_call
                                                                          : NodeRelation::lexical;
    const NodeIndex node = add_node(parent, kind, relation, of.context);
    CallNodes& nodes = meta_.tree.nodes;
    if (of.function != 0) {
      const Place& function = function_at(of.function);
      nodes.name[node] = function.name;
      nodes.file[node] = function.file;
      nodes.module[node] = function.module;
      nodes.line[node] = function.line;
    }
    if (of.file != 0) {
      nodes.file[node] = file_at(of.file);
      nodes.line[node] = of.line;
    }
    if (of.module != 0) {
      nodes.module[node] = module_at(of.module);
      if (kind == NodeKind::instruction) nodes.name[node] = instruction_name(nodes.module[node], of.module_offset);
    }
    return node;
  }

  struct Place {
    StringId name = 0;
    StringId file = 0;
    StringId module = 0;
    uint32_t line = 0;
  };
  const Place& function_at(uint64_t offset) {
    const auto [place, is_new] = functions_.try_emplace(offset);
    if (is_new) {
      if (const auto function = read_structure<Function>(file_, offset)) {
        place->second = {names_.at(function->name), file_at(function->file), module_at(function->module),
                         function->line};
      }
    }
    return place->second;
  }
  StringId file_at(uint64_t offset) {
    const auto file = read_structure<NamedFile>(file_, offset);
    return file ? names_.at(file->path) : 0;
  }
  StringId module_at(uint64_t offset) {
    const auto module = read_structure<NamedFile>(file_, offset);
    return module ? names_.at(module->path) : 0;
  }
  StringId instruction_name(StringId module, uint64_t offset) {
    const std::string_view path = meta_.tree.names[module];
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (uint64_t rest = offset; rest != 0 || hex.empty(); rest /= 16) hex.insert(hex.begin(), kDigits[rest % 16]);
    constexpr size_t kShown = 256;
    return meta_.tree.names.intern(std::string(path.substr(path.rfind('/') + 1).substr(0, kShown)) + "+0x" + hex);
  }

  const Bytes& file_;
  const std::vector<TaxonomyMetric>& taxonomy_;
  Notes& notes_;
  std::vector<Section> sections_;
  Meta meta_;
  Names names_;
  std::vector<bool> visited_;  // by offset / 8: contexts are aligned
  std::unordered_map<uint64_t, Place> functions_;
  std::vector<uint32_t> context_of_node_;
  int64_t lost_subtrees_ = 0;
};

}  // namespace

ContextNodes::ContextNodes(std::vector<uint32_t> context_of_node) : context_of_node_(std::move(context_of_node)) {
  uint64_t highest = 0;
  for (const uint32_t context : context_of_node_) highest = std::max<uint64_t>(highest, context);
  constexpr uint64_t kGaps = 32;  // a tree lists one context in a few
  if (highest < (context_of_node_.size() + 1) * kGaps) {
    dense_.assign(to_size(highest + 1), kNoNode);
    for (NodeIndex node = 0; node < context_of_node_.size(); ++node) {
      NodeIndex& slot = dense_[context_of_node_[node]];
      if (slot == kNoNode) {
        slot = node;
      } else {
        ++duplicates_;
      }
    }
    return;
  }
  for (NodeIndex node = 0; node < context_of_node_.size(); ++node) sorted_.emplace_back(context_of_node_[node], node);
  std::sort(sorted_.begin(), sorted_.end());
  const auto end =
      std::unique(sorted_.begin(), sorted_.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  duplicates_ = sorted_.end() - end;
  sorted_.erase(end, sorted_.end());
}

NodeIndex ContextNodes::node_of(uint32_t context) const {
  if (!dense_.empty()) return context < dense_.size() ? dense_[context] : kNoNode;
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(context, NodeIndex{0}));
  return at != sorted_.end() && at->first == context ? at->second : kNoNode;
}

Meta read_meta(const Bytes& file, const std::string& name, const std::vector<TaxonomyMetric>& taxonomy, Notes& notes) {
  return MetaReader(file, name, taxonomy, notes).read();
}

}  // namespace cgpu::hpctoolkit
