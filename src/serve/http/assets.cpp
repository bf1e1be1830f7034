#include "serve/http/assets.h"

namespace cgpu {

const Asset* find_asset(std::string_view path) {
  if (path == "/") path = "/index.html";
  for (const Asset& asset : all_assets()) {
    if (asset.path == path) return &asset;
  }
  return nullptr;
}

}  // namespace cgpu
