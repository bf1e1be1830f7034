#include "analysis/long_pole/edge_times.h"

#include <cmath>

namespace cgpu {

bool is_over(EdgeKind edge, const BoundKinds& freed) {
  switch (edge) {
    case EdgeKind::wait:
      return freed[BoundBy(IdleCause::synchronization).number()];
    case EdgeKind::copy_wait:
      return freed[BoundBy(IdleCause::blocking_copy).number()];
    case EdgeKind::collective:
      return freed[BoundBy(IdleCause::other_rank).number()];
    default:
      return false;
  }
}

EdgeTimes::EdgeTimes(const SessionFacts& whole) : graph_(whole.dependencies()) {
  const EdgeParts parts(whole);
  kinds_.assign(graph_.edges().size(), 0);
  std::vector<Part> of_edge;
  for (MomentIndex to = 0; to < graph_.moments().size(); ++to) {
    for (uint32_t edge = graph_.first_edge(to); edge < graph_.end_edge(to); ++edge) {
      of_edge.clear();
      parts.for_each(edge, to, [&](const EdgePart& part) {
        const auto kind = static_cast<uint8_t>(part.bound_by.number());
        if (!of_edge.empty() && of_edge.back().kind == kind) {
          of_edge.back().length += part.length;
        } else {
          of_edge.push_back({edge, kind, part.length});
        }
      });
      if (of_edge.size() > 1) {
        kinds_[edge] = kSeveral;
        parts_.insert(parts_.end(), of_edge.begin(), of_edge.end());
      } else if (!of_edge.empty()) {
        kinds_[edge] = of_edge.front().kind;
      }
    }
  }
}

std::vector<int64_t> EdgeTimes::weights(const Question& question) const {
  std::vector<int64_t> weights = weights_of(graph_);
  const auto moments = graph_.moments();
  const size_t gap = BoundBy(BoundBy::kernel_gap).number();
  if (question.without_gap) {
    for (MomentIndex to = 0; to < moments.size(); ++to) {
      for (uint32_t edge = graph_.first_edge(to); edge < graph_.end_edge(to); ++edge) {
        if (kinds_[edge] == gap && question.without_gap(moments[to].run, moments[to].slice)) weights[edge] = 0;
      }
    }
  }
  for (MomentIndex to = 0; to < moments.size(); ++to) {
    for (uint32_t edge = graph_.first_edge(to); edge < graph_.end_edge(to); ++edge) {
      const Dependency& dependency = graph_.edges()[edge];
      const bool excused = question.not_awaited && dependency.kind == EdgeKind::arrival &&
                           moments[dependency.from].run == *question.not_awaited;
      if (excused || is_over(dependency.kind, question.freed)) {
        weights[edge] = kNoEdge;
      } else if (kinds_[edge] != kSeveral && question.freed[kinds_[edge]]) {
        weights[edge] = 0;
      } else if (question.op_factor && (dependency.kind == EdgeKind::work || dependency.kind == EdgeKind::collective)) {
        // Of a collective the op ends with the edge, since it begins with the last member.
        const Moment& of_op = moments[dependency.kind == EdgeKind::work ? dependency.from : to];
        const double factor = question.op_factor(of_op.run, of_op.slice);
        weights[edge] = std::llround(static_cast<double>(weights[edge]) * factor);
      }
    }
  }
  for (const Part& part : parts_) {
    if (question.freed[part.kind] && weights[part.edge] != kNoEdge) weights[part.edge] -= part.length;
  }
  return weights;
}

}  // namespace cgpu
