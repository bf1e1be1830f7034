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

std::vector<int64_t> EdgeTimes::replayed(const Question& question) const {
  const auto moments = graph_.moments();
  const size_t gap = BoundBy(BoundBy::kernel_gap).number();
  auto part = parts_.begin();
  return replayed_times(graph_, [&](uint32_t edge, MomentIndex to) {
    int64_t freed = 0;
    for (; part != parts_.end() && part->edge == edge; ++part) {
      if (question.freed[part->kind]) freed += part->length;
    }
    const Dependency& dependency = graph_.edges()[edge];
    const bool excused = question.not_awaited && dependency.kind == EdgeKind::arrival &&
                         moments[dependency.from].run == *question.not_awaited;
    if (excused || is_over(dependency.kind, question.freed)) return kNoEdge;
    if (kinds_[edge] != kSeveral && question.freed[kinds_[edge]]) return int64_t{0};
    if (kinds_[edge] == gap && question.without_gap && question.without_gap(moments[to].run, moments[to].slice)) {
      return int64_t{0};
    }
    if (question.op_factor && (dependency.kind == EdgeKind::work || dependency.kind == EdgeKind::collective)) {
      // Of a collective the op ends with the edge, since it begins with the last member.
      const Moment& of_op = moments[dependency.kind == EdgeKind::work ? dependency.from : to];
      const double factor = question.op_factor(of_op.run, of_op.slice);
      return static_cast<int64_t>(std::llround(static_cast<double>(dependency.weight) * factor)) - freed;
    }
    return dependency.weight - freed;
  });
}

}  // namespace cgpu
