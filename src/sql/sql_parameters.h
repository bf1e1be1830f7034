// The values of the parameters of a statement of SQL.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace cgpu {

/// NULL, a number, a text, or bytes.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string, std::vector<uint8_t>>;
/// By the name of `:name`, without the colon; or those of `?` in turn, as SQLite numbers them
/// (https://www.sqlite.org/lang_expr.html#varparam).
using SqlParameters = std::variant<std::map<std::string, SqlValue>, std::vector<SqlValue>>;

}  // namespace cgpu
