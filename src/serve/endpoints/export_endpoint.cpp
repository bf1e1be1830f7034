// /api/p/P/export: the profile in the format of another tool, as `cgpu export` writes it.
#include <algorithm>
#include <cctype>
#include <mutex>

#include "base/error.h"
#include "export/export.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"

namespace cgpu {

namespace {

/// The title as a name that every system takes: letters, digits and a few signs.
std::string file_name_of(const Session& session, ExportFormat format) {
  std::string name = title_of(session).substr(0, 80);
  name = name.substr(0, name.find('.'));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return (name.empty() ? "profile" : name) + ending_of(format);
}

}  // namespace

Answer answer_export(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"to"});
  const auto format = export_format_named(parameters.required_text("to"));
  if (!format || *format == ExportFormat::chakra)  // which is a file a rank
    throw RequestError(kBadRequest, "to: pftrace, json, folded or pprof was expected");
  if (!is_of_stacks(*format) && !has_timeline(profile.session()))
    throw RequestError(kNotFound, "there is no timeline to export");
  Answer answer;
  if (*format == ExportFormat::perfetto || *format == ExportFormat::pprof) answer.type = "application/octet-stream";
  if (*format == ExportFormat::folded) answer.type = "text/plain; charset=utf-8";
  answer.file_name = file_name_of(profile.session(), *format);
  const auto write = [&profile, format](const std::function<void(std::string_view)>& take) {
    const std::lock_guard lock(profile.arguments_mutex());
    const auto sink = plain_sink(take);
    write_export(profile.session(), *format, *sink, {});
  };
  if (!is_of_stacks(*format)) {
    answer.stream = write;
    return answer;
  }
  try {  // they are small, and whether there are any is known when they are made
    write([&](std::string_view bytes) { answer.body += bytes; });
  } catch (const Error& error) {
    throw RequestError(kNotFound, error.what());
  }
  return answer;
}

}  // namespace cgpu
