#include "serve/engine_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include "base/base64.h"
#include "base/environment.h"
#include "base/error.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

/// Where the profile goes in the page, which web/site.mjs writes once.
constexpr std::string_view kPlace = "<!-- profile -->";

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.fail()) throw Error(path, "the page with the engine cannot be read");
  return text;
}

}  // namespace

std::string find_engine_page() {
  const std::string named = environment("CGPU_ENGINE_PAGE");
  if (!named.empty()) return named == "none" ? "" : named;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const std::filesystem::path page = program.parent_path() / "../share/cgpu/engine_page.html";
  return std::filesystem::is_regular_file(page, error) ? page.lexically_normal().string() : "";
}

bool is_whole_in_trace(const Session& session) {
  return has_timeline(session) && std::none_of(session.runs.begin(), session.runs.end(), [](const Run& run) {
           return run.call_tree || run.launch_metrics || run.op_graph;
         });
}

std::string make_engine_copy(const Session& session, const std::string& page, const std::string& name,
                             const std::string& made_by, const ExportOptions& options) {
  std::string html = text_of_file(page);
  const size_t place = html.find(kPlace);
  if (place == std::string::npos)
    throw Error(page, "is not the page of scripts/build-web-site: build-web/site/engine_page.html");
  std::string trace;
  const auto sink = gzip_sink([&](std::string_view bytes) { trace += bytes; });
  write_perfetto(session, *sink, options);
  JsonTextWriter about;
  about.begin_object().member("name", name).member("made_by", made_by).end_object();
  html.replace(place, kPlace.size(),
               fmt::format("<script type=\"text/plain\" id=\"about\">{}</script>\n"
                           "<script type=\"text/plain\" id=\"profile\">{}</script>",
                           base64(std::move(about).text()), base64(trace)));
  return html;
}

}  // namespace cgpu
