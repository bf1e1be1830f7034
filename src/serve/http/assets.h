// The page and what it is made of, which travel inside the binary.
#pragma once

#include <string_view>
#include <vector>

namespace cgpu {

struct Asset {
  std::string_view path;  // "/app.js"
  std::string_view type;  // media type
  std::string_view content;
};

/// Those that the build embedded (cmake/embed.cmake writes them).
const std::vector<Asset>& all_assets();
/// The asset at a path of the server; "/" is the page itself. Null where there is none.
const Asset* find_asset(std::string_view path);

}  // namespace cgpu
