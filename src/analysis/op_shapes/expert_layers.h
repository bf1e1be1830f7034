// The layers of a model whose tokens go to a few of many experts (mixture of experts), by the shapes of framework ops:
// how many tokens each expert got, where it has products of its own.
//
// A layer begins with the choice of its experts: the k largest (topk, max, argmax) of E scores of each of T tokens, so
// that k T rows are shared out. An expert is a run of products whose inputs have one number of rows, and whose weights
// have the shapes of those of the other experts. Rows are known to be tokens of the layer where the results are put
// back among its tokens (index_add_, index_put_), or where the rows of the experts add up to k T exactly. No
// configuration and no name of a module is asked for, and nothing is said where shapes were not recorded. The backward
// pass chooses nothing, and computation that is repeated in it is left out. Method: ours.
//
// Reads the arguments of the ops that it needs from the profile again; else O(n log n) in the ops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/partial.h"
#include "model/timeline.h"

namespace cgpu {

struct TokensOfExpert {
  int64_t tokens = 0;                // rows of its products
  std::vector<SliceIndex> products;  // framework ops
  Interval time;                     // of the host, from the gathering of its tokens to where its results are put back
};

/// One pass through one layer.
struct ExpertPass {
  TrackIndex thread = 0;
  int64_t layer = 0;            // from 0 in each pass through the model
  int64_t tokens = 0;           // T
  std::optional<int64_t> each;  // k, experts a token; absent where not recorded
  int64_t choices = 0;          // E
  std::string weights;          // shapes of an expert's products: "1024x4096, 2048x1024"
  /// In the order in which they were computed; one for all where the products of all experts are one op.
  std::vector<TokensOfExpert> experts;
  bool is_grouped = false;  // whether that is so
  int64_t in_group = 0;     // experts of that op

  int64_t expert_tokens() const {
    int64_t sum = 0;
    for (const TokensOfExpert& expert : experts) sum += expert.tokens;
    return sum;
  }
  /// Whether all rows that the choice shares out are here: no expert elsewhere got any, and none was dropped.
  bool is_complete() const { return each && expert_tokens() == *each * tokens; }
};

/// By thread, in the order of time.
std::vector<ExpertPass> find_expert_passes(const RunInSession& run);

}  // namespace cgpu
