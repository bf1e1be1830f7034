#include "readers/hpctoolkit/profiles.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/to_size.h"

namespace cgpu::hpctoolkit {

namespace {

constexpr size_t kMetricIds = 65536;
constexpr MetricIndex kNoMetric = UINT32_MAX;

Identity identity_of(const std::vector<Identifier>& tuple, const std::vector<std::string>& kinds) {
  Identity identity;
  for (const Identifier& id : tuple) {
    const std::string kind = id.kind < kinds.size() ? kinds[id.kind] : "";
    if (kind == "NODE") identity.node = id.value;
    if (kind == "RANK") identity.rank = id.value;
    if (kind == "THREAD") identity.thread = id.value;
    if (kind == "GPUDEVICE") identity.device = id.value;
    if (kind == "GPUCONTEXT") identity.context = id.value;
    if (kind == "GPUSTREAM") identity.stream = id.value;
  }
  return identity;
}

/// A row of values.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// Row `i` of an index, by contexts or by metrics: both end with the number of the row's first value. None where that
/// cannot be.
std::optional<Range> row_of(const Bytes& file, const Array& index, const Array& values, uint64_t i) {
  const uint64_t at = index.stride - sizeof(uint64_t);
  const uint64_t begin = file.known_fields(index[i]).u64(to_size(at));
  const uint64_t end = i + 1 < index.count ? file.known_fields(index[i + 1]).u64(to_size(at)) : values.count;
  if (begin > end || end > values.count) return std::nullopt;
  return Range{begin, end};
}

/// Calls visit(context, row) for every row of a profile. Rows that overlap are left out, so that no value is visited
/// twice; gives their number.
template <typename Visit>
int64_t for_each_row(const Bytes& file, const ProfileInfo& profile, Visit visit) {
  int64_t broken = 0;
  uint64_t seen = 0;
  for (uint64_t i = 0; i < profile.contexts.count; ++i) {
    const auto row = row_of(file, profile.contexts, profile.values, i);
    if (!row || row->begin < seen) {
      ++broken;
      continue;
    }
    seen = row->end;
    if (row->begin < row->end) visit(file.known_fields(profile.contexts[i]).u32(ContextIndex::kContext), *row);
  }
  return broken;
}

/// The row whose key is `wanted`, of an index in ascending order of its keys.
template <typename Key>
std::optional<uint64_t> find_row(const Array& index, uint64_t wanted, Key key) {
  uint64_t low = 0;
  uint64_t high = index.count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (key(index[middle]) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < index.count && key(index[low]) == wanted) return low;
  return std::nullopt;
}

/// The parts must add up to what the root says: sums of `point` are over everything, listed or not.
void check_sums(const CallTree& tree, const std::vector<double>& point_sums, Notes& notes) {
  int64_t wrong = 0;
  for (MetricIndex m = 0; m < tree.metrics.size(); ++m) {
    const Metric& metric = tree.metrics[m];
    if (!metric.measured() || !metric.additive || metric.node.empty() || metric.node.front() != 0) continue;
    if (point_sums[m] != point_sums[m]) continue;
    const double root = metric.value.front();
    constexpr double kTolerance = 1e-6;
    if (std::abs(point_sums[m] - root) > kTolerance * std::max(std::abs(root), std::abs(point_sums[m]))) ++wrong;
  }
  if (wrong > 0) {
    notes.add("damaged_input", wrong, "metrics whose parts do not add up to the value of the whole program", true);
  }
}

}  // namespace

Profiles::Profiles(std::shared_ptr<const MappedFile> file, const std::vector<std::string>& kinds, Notes& notes)
    : mapped_(std::move(file)), file_(mapped_->bytes()) {
  const auto header = read_file_header(file_, "prof", 2);
  if (!header) throw Error(mapped_->name(), "is no profile.db of an HPCToolkit 4 database");
  const auto section = read_structure<ArraySection>(file_, header->sections[0].offset);
  const Array stored = section ? section->array : Array();
  const Array profiles = file_.clip(stored, ProfileInfo::kEnd);
  int64_t lost = static_cast<int64_t>(stored.count - profiles.count) + (section ? 0 : 1);
  for (uint64_t i = 0; i < profiles.count; ++i) {
    const auto info = read_structure<ProfileInfo>(file_, profiles[i]);
    if (!info) {
      ++lost;
      continue;
    }
    lost += info->cut ? 1 : 0;
    if (info->is_summary) {
      if (!summary_) summary_ = *info;
      continue;
    }
    infos_.push_back(*info);
    positions_.push_back(static_cast<uint32_t>(i));
    identities_.push_back(identity_of(read_identifier_tuple(file_, info->identity), kinds));
  }
  if (lost > 0) notes.add("damaged_input", lost, "profiles that profile.db holds only in part", true);
}

std::optional<uint32_t> Profiles::profile_at(uint32_t position) const {
  const auto at = std::lower_bound(positions_.begin(), positions_.end(), position);
  if (at == positions_.end() || *at != position) return std::nullopt;
  return static_cast<uint32_t>(at - positions_.begin());
}

std::vector<uint32_t> Profiles::first_contexts_of(uint32_t profile, uint64_t most) const {
  const Array& index = infos_[profile].contexts;
  std::vector<uint32_t> contexts;
  for (uint64_t i = 0; i < std::min(index.count, most); ++i) {
    contexts.push_back(file_.known_fields(index[i]).u32(ContextIndex::kContext));
  }
  return contexts;
}

ProfileCounts Profiles::read_summary(CallTree& tree, const std::vector<MetricIds>& ids, const ContextNodes& contexts,
                                     Notes& notes) const {
  ProfileCounts counts;
  if (!summary_) {
    notes.add("damaged_input", 1, "profile.db has no summary: the call tree has no values", true);
    return counts;
  }
  std::vector<MetricIndex> execution(kMetricIds, kNoMetric), point(kMetricIds, kNoMetric);
  std::vector<double> point_sums(tree.metrics.size(), kNoValue);
  for (MetricIndex m = 0; m < ids.size(); ++m) {
    if (ids[m].summary_execution) execution[*ids[m].summary_execution] = m;
    if (ids[m].summary_point) {
      point[*ids[m].summary_point] = m;
      point_sums[m] = 0;
    }
  }

  // Once over the rows for what is independent of the tree; then by node, so that the values come in its order.
  std::vector<Range> row_of_node(tree.nodes.size());
  int64_t repeated = 0;
  int64_t not_finite = 0;
  const int64_t broken = for_each_row(file_, *summary_, [&](uint32_t context, Range row) {
    ++counts.with_values;
    const NodeIndex node = contexts.node_of(context);
    if (node == kNoNode) {
      ++counts.not_in_tree;
    } else if (row_of_node[node].end == 0) {
      row_of_node[node] = row;
    } else {
      ++repeated;
    }
    for (uint64_t v = row.begin; v < row.end; ++v) {
      const Fields value = file_.known_fields(summary_->values[v]);
      if (!std::isfinite(value.f64(StoredValue::kValue))) {
        ++not_finite;
      } else if (const MetricIndex m = point[value.u16(StoredValue::kMetric)]; m != kNoMetric) {
        point_sums[m] += value.f64(StoredValue::kValue);
      }
    }
  });
  for (NodeIndex node = 0; node < row_of_node.size(); ++node) {
    for (uint64_t v = row_of_node[node].begin; v < row_of_node[node].end; ++v) {
      const Fields value = file_.known_fields(summary_->values[v]);
      const MetricIndex m = execution[value.u16(StoredValue::kMetric)];
      if (m == kNoMetric || !std::isfinite(value.f64(StoredValue::kValue))) continue;
      Metric& metric = tree.metrics[m];
      if (!metric.node.empty() && metric.node.back() == node) continue;
      metric.node.push_back(node);
      metric.value.push_back(value.f64(StoredValue::kValue));
    }
  }
  if (broken + repeated > 0) {
    notes.add("damaged_input", broken + repeated, "contexts whose values in profile.db cannot be found", true);
  }
  if (not_finite > 0) notes.add("invalid_number", not_finite, "values that are no finite number were left out", true);
  check_sums(tree, point_sums, notes);
  return counts;
}

std::vector<std::pair<uint32_t, double>> Profiles::values_of(uint32_t profile, uint16_t metric) const {
  return values_in(infos_[profile], metric);
}

std::vector<std::pair<uint32_t, double>> Profiles::summary_values_of(uint16_t metric) const {
  return summary_ ? values_in(*summary_, metric) : std::vector<std::pair<uint32_t, double>>();
}

std::vector<std::pair<uint32_t, double>> Profiles::values_in(const ProfileInfo& info, uint16_t metric) const {
  std::vector<std::pair<uint32_t, double>> found;
  for_each_row(file_, info, [&](uint32_t context, Range row) {
    for (uint64_t v = row.begin; v < row.end; ++v) {
      const Fields value = file_.known_fields(info.values[v]);
      if (value.u16(StoredValue::kMetric) != metric || !std::isfinite(value.f64(StoredValue::kValue))) continue;
      found.emplace_back(context, value.f64(StoredValue::kValue));
      break;
    }
  });
  return found;
}

namespace {

class DatabaseValues : public ProfileValues {
 public:
  DatabaseValues(std::shared_ptr<const Profiles> profiles, std::shared_ptr<const MappedFile> cct, ContextNodes contexts,
                 std::vector<MetricIds> ids, Notes& notes)
      : profiles_(std::move(profiles)), mapped_(std::move(cct)), nodes_(std::move(contexts)), ids_(std::move(ids)) {
    if (!mapped_) return;
    file_ = Bytes(mapped_->bytes());
    const auto header = read_file_header(file_, "ctxt", 1);
    const auto section = header ? read_structure<ArraySection>(file_, header->sections[0].offset) : std::nullopt;
    if (section) contexts_ = file_.clip(section->array, ContextInfo::kEnd);
    if (!section || contexts_.count < section->array.count || !has_footer(mapped_->bytes(), "__ctx.db")) {
      notes.add("damaged_input", 1, "cct.db is cut off or damaged; values of threads are taken from profile.db", true);
      mapped_.reset();
    }
  }

  std::vector<NodeValue> of_profile(uint32_t profile, MetricIndex metric) override {
    if (!ids_[metric].execution || profile >= profiles_->identities().size()) return {};
    return by_node(profiles_->values_of(profile, *ids_[metric].execution));
  }

  std::vector<std::string> scopes() override {
    std::vector<std::string> names;
    for (const MetricIds& ids : ids_) {
      for (const MetricIds::Other& other : ids.others) {
        if (std::find(names.begin(), names.end(), other.scope) == names.end()) names.push_back(other.scope);
      }
    }
    return names;
  }

  std::vector<NodeValue> of_scope(const std::string& scope, MetricIndex metric,
                                  std::optional<uint32_t> profile) override {
    const std::vector<MetricIds::Other>& others = ids_[metric].others;
    const auto other = std::find_if(others.begin(), others.end(), [&](const auto& o) { return o.scope == scope; });
    if (other == others.end()) return {};
    if (!profile)
      return other->summary ? by_node(profiles_->summary_values_of(*other->summary)) : std::vector<NodeValue>();
    if (!other->profile || *profile >= profiles_->identities().size()) return {};
    return by_node(profiles_->values_of(*profile, *other->profile));
  }

  std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex metric) override {
    std::vector<ProfileValue> found;
    if (!ids_[metric].execution) return found;
    if (!mapped_) return of_node_by_profile(node, metric);
    const uint32_t context = nodes_.context_of(node);
    const auto info = context < contexts_.count ? read_structure<ContextInfo>(file_, contexts_[context]) : std::nullopt;
    if (!info) return found;
    const auto row = find_row(info->metrics, *ids_[metric].execution,
                              [&](uint64_t at) { return file_.known_fields(at).u16(MetricIdIndex::kMetric); });
    if (!row) return found;
    const auto range = row_of(file_, info->metrics, info->values, *row);
    for (uint64_t v = range ? range->begin : 0;
         range && v < range->end && found.size() < profiles_->identities().size(); ++v) {
      const Fields value = file_.known_fields(info->values[v]);
      const auto profile = profiles_->profile_at(value.u32(ContextValue::kProfile));
      if (!profile || !std::isfinite(value.f64(ContextValue::kValue))) continue;
      if (!found.empty() && *profile <= found.back().profile) continue;
      found.push_back({*profile, value.f64(ContextValue::kValue)});
    }
    return found;
  }

 private:
  /// Of the contexts that are in the tree.
  std::vector<NodeValue> by_node(const std::vector<std::pair<uint32_t, double>>& values) const {
    std::vector<NodeValue> found;
    for (const auto& [context, value] : values) {
      if (const NodeIndex node = nodes_.node_of(context); node != kNoNode) found.push_back({node, value});
    }
    std::sort(found.begin(), found.end(), [](const NodeValue& a, const NodeValue& b) { return a.node < b.node; });
    return found;
  }

  /// All profiles at once for one metric, remembered: nodes are asked for one after the other.
  std::vector<ProfileValue> of_node_by_profile(NodeIndex node, MetricIndex metric) {
    if (remembered_metric_ != metric) {
      remembered_.clear();
      for (uint32_t profile = 0; profile < profiles_->identities().size(); ++profile) {
        for (const NodeValue& value : of_profile(profile, metric)) {
          remembered_.push_back({value.node, {profile, value.value}});
        }
      }
      std::stable_sort(remembered_.begin(), remembered_.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      remembered_metric_ = metric;
    }
    std::vector<ProfileValue> found;
    auto at = std::lower_bound(remembered_.begin(), remembered_.end(), node,
                               [](const auto& a, NodeIndex wanted) { return a.first < wanted; });
    for (; at != remembered_.end() && at->first == node; ++at) found.push_back(at->second);
    return found;
  }

  std::shared_ptr<const Profiles> profiles_;
  std::shared_ptr<const MappedFile> mapped_;
  Bytes file_;
  Array contexts_;
  ContextNodes nodes_;
  std::vector<MetricIds> ids_;
  std::optional<MetricIndex> remembered_metric_;
  std::vector<std::pair<NodeIndex, ProfileValue>> remembered_;
};

}  // namespace

std::shared_ptr<ProfileValues> profile_values(std::shared_ptr<const Profiles> profiles,
                                              std::shared_ptr<const MappedFile> cct, ContextNodes contexts,
                                              std::vector<MetricIds> ids, Notes& notes) {
  return std::make_shared<DatabaseValues>(std::move(profiles), std::move(cct), std::move(contexts), std::move(ids),
                                          notes);
}

}  // namespace cgpu::hpctoolkit
