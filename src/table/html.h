// A table as an HTML fragment: readable values, the exact ones in tooltips, everything escaped. O(cells).
//
// <table class="cgpu-table" data-table="NAME"> with a caption (about), thead, tbody and, where rows were cut, a tfoot.
// th and td carry the class "number" (meant to be aligned right) or "text", and "absent" where there is no value; the
// title of a th is what the column means, of a td the exact value where it is not what the cell shows.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "table/table.h"

namespace cgpu {

/// Addresses by the texts that lead to them.
using HtmlLinks = std::map<std::string, std::string>;

/// At most `max_rows` rows; 0 for all. Cells with these texts are links.
std::string render_html_table(const Table& table, size_t max_rows = 0, const HtmlLinks& links = {});

/// `text` for use in element content and in quoted attributes: markup is escaped, control characters and
/// invisible formatting are made visible (see unicode.h).
std::string escape_html(std::string_view text);

}  // namespace cgpu
