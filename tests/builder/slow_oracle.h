// The tables of docs/definitions.md computed from the text of Kineto traces, slowly and directly.
//
// Shares no code and no idea with the builder's books: it parses the JSON, compares every slice with every other and
// counts elementary intervals. Quadratic: for traces of some thousand events. Covers what the builder writes, not
// everything that a trace can hold.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cgpu::builder {

/// `ranks` (the parts that can be told from a file) and `collectives` of the truth file. Throws where a text is not
/// valid JSON.
nlohmann::ordered_json slow_truth(const std::vector<std::string>& texts);

}  // namespace cgpu::builder
