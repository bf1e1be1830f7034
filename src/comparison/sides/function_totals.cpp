#include "comparison/sides/function_totals.h"

namespace cgpu {

FunctionTotals::FunctionTotals(const CallTree& tree) : tree_(tree), of_tree_(functions_of(tree)) {
  CallNodes& nodes = functions_.nodes;
  const auto name = [&](StringId id) { return functions_.names.intern(tree.names[id]); };
  for (const NodeIndex example : of_tree_.example) {  // the root is the first
    nodes.parent.push_back(nodes.size() == 0 ? kNoNode : 0);
    nodes.kind.push_back(tree.nodes.kind[example]);
    nodes.relation.push_back(NodeRelation::call);
    nodes.name.push_back(name(tree.nodes.name[example]));
    nodes.file.push_back(name(tree.nodes.file[example]));
    nodes.module.push_back(name(tree.nodes.module[example]));
    nodes.line.push_back(tree.nodes.line[example]);
  }
}

}  // namespace cgpu
