#include "gate/figures/run_properties.h"

#include <filesystem>
#include <variant>

namespace cgpu {

std::map<std::string, std::string> properties_of(const std::string& input, const Table& info) {
  std::map<std::string, std::string> properties;
  for (const RowView row : info.rows()) {
    const Cell value = row[info.column("value")];
    if (std::holds_alternative<std::string>(value)) {
      properties[std::get<std::string>(row[info.column("key")])] = std::get<std::string>(value);
    }
  }
  const std::filesystem::path path = std::filesystem::absolute(input).lexically_normal();
  const std::filesystem::path place = path.has_filename() ? path : path.parent_path();
  properties["input"] = input;
  properties["file"] = place.filename().string();
  properties["folder"] = place.parent_path().filename().string();
  return properties;
}

std::optional<std::string> property_called(const std::map<std::string, std::string>& properties,
                                           const std::string& key) {
  constexpr const char* kMetadata = "metadata.";
  for (const std::string& name : {key, kMetadata + key}) {
    if (const auto found = properties.find(name); found != properties.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace cgpu
