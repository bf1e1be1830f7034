// Servers that profile themselves when they are asked to: vLLM ("Profiling vLLM" of its documentation) and SGLang
// ("Profile a server with HTTP API endpoints" of "Benchmark and Profiling"). Both take POST /start_profile and POST
// /stop_profile; the traces are there when the latter is answered. The requests are those of curl, which knows proxies
// and certificates. SGLang reads the body of the first one; vLLM does not.
#include <fmt/format.h>

#include "base/environment.h"
#include "record/collector.h"
#include "record/server_process.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace collect_server {

namespace {

constexpr KnownFailure kFailures[]{
    {"error: 401", "the server wants its key: export CGPU_SERVER_API_KEY=..."},
    {"error: 403", "the server wants its key: export CGPU_SERVER_API_KEY=..."},
    {"error: 404",
     "the server knows no /start_profile: start vLLM with --profiler-config '{\"profiler\": \"torch\", "
     "\"torch_profiler_dir\": \"/FOLDER\"}', before 0.13 with VLLM_TORCH_PROFILER_DIR=/FOLDER"},
    {"error: 405",
     "the server knows no /start_profile: start vLLM with --profiler-config '{\"profiler\": \"torch\", "
     "\"torch_profiler_dir\": \"/FOLDER\"}', before 0.13 with VLLM_TORCH_PROFILER_DIR=/FOLDER"},
    {"error: 500",
     "the server could not: its log says why. Where a profile is being recorded already, curl -X POST URL/stop_profile"},
    {"Failed to connect", "no server answers there"},
    {"Couldn't connect", "no server answers there"},
    {"Could not resolve", "the name of the host leads nowhere"},
};

/// Where the traces are, or are brought to.
std::string traces_of(const RecordContext& context) {
  return context.folder + "/traces";
}

std::string why_not(const RecordContext& context) {
  const RecordRequest& request = context.request;
  if (!context.machine.has("curl")) return "curl, which asks the server, is not on PATH: install it";
  if (request.skip) return "a server does not say how many steps it has taken: give --delay in the place of --skip";
  if (!request.command.empty() && (request.delay || request.duration)) {
    return "the recording lasts as long as the command: leave out --delay and --duration, or the command";
  }
  const auto server = find_server_process(request.server);
  if (request.steps && server && server->is_vllm) {
    return "vLLM counts no steps for a request (max_iterations of its --profiler-config does): give --duration in the "
           "place of --steps";
  }
  if (request.steps && request.command.empty() && !(server && server->can_write)) {
    return "when a server elsewhere has taken its steps cannot be seen: give --duration in the place of --steps, or the "
           "command that makes the load";
  }
  return "";
}

/// What SGLang reads (ProfileReqInput).
std::string body_of(const RecordContext& context, bool can_write) {
  const RecordRequest& request = context.request;
  JsonTextWriter json;
  json.begin_object();
  if (can_write) json.member("output_dir", traces_of(context));
  if (request.steps) json.member("num_steps", *request.steps);
  json.member("with_stack", request.set == RecordSet::full).member("record_shapes", request.set != RecordSet::quick);
  json.end_object();
  return std::move(json).text();
}

/// The key is in no command line, where other users of the machine could read it.
std::vector<std::string> post(const RecordContext& context, const std::string& path, const std::string& body) {
  std::vector<std::string> words;
  const bool has_key = !environment("CGPU_SERVER_API_KEY").empty();
  if (has_key) {
    words = {"sh", "-c", R"(printf 'Authorization: Bearer %s\n' "$CGPU_SERVER_API_KEY" | exec "$0" "$@")"};
  }
  append(words,
         {"curl", "--silent", "--show-error", "--fail", "--stderr", context.work_base + ".log", "--request", "POST"});
  if (has_key) append(words, {"--header", "@-"});
  if (!body.empty()) append(words, {"--header", "Content-Type: application/json", "--data", body});
  words.push_back(context.request.server + path);
  return words;
}

RecordPlan plan(const RecordContext& context) {
  const RecordRequest& request = context.request;
  const auto server = find_server_process(request.server);
  const bool can_write = server && server->can_write;
  const std::string traces = traces_of(context);
  RecordPlan plan;
  plan.before.push_back({{"mkdir", traces}});
  if (request.delay) plan.before.push_back({{"sleep", seconds_text(*request.delay)}});
  plan.before.push_back({post(context, "/start_profile", body_of(context, can_write))});
  plan.has_program = !request.command.empty();
  if (plan.has_program) {
    plan.command = request.command;
  } else if (request.steps) {  // SGLang begins the file when it has taken them, and answers again when that is whole
    plan.command = {"sh", "-c", "until ls \"$0\"/*.trace.json* >/dev/null 2>&1; do sleep 0.2; done", traces};
  } else {
    plan.command = {"sleep", request.duration ? seconds_text(*request.duration) : "infinity"};
  }
  // After the steps that were asked for SGLang has stopped by itself, and says so as an error.
  plan.follow_ups.push_back({.command = post(context, "/stop_profile", ""), .may_fail = request.steps.has_value()});
  if (server && !server->traces_folder.empty()) {
    plan.follow_ups.push_back(
        {.command = {"find", server->traces_folder, "-maxdepth", "1", "-name", "*.trace.json*", "-newer",
                     context.folder + "/manifest.jsonl", "-exec", "cp", "-p", "-t", traces, "{}", "+"},
         .may_fail = true});
  }
  plan.profile = traces;
  plan.without_profile =
      "the server has not written its traces to where they can be seen from here. vLLM writes them to the torch_profiler_dir "
      "of its --profiler-config (before 0.13: VLLM_TORCH_PROFILER_DIR), SGLang to SGLANG_TORCH_PROFILER_DIR or /tmp, both on "
      "the server's machine: copy those of this recording into " +
      traces;
  if (server && server->can_write && !server->is_vllm) {
    plan.without_profile =
        "the server wrote no trace: it took no step meanwhile? A recording needs requests that it works on";
  }
  if (server && server->is_vllm && request.set != RecordSet::quick) {
    plan.remarks.emplace_back("vLLM records what its --profiler-config says; --set changes nothing");
  }
  return plan;
}

}  // namespace

}  // namespace collect_server

const Collector kServerCollector{.name = "server",
                                 .about = "the profiler of the server",
                                 .caution = "",
                                 .why_not = collect_server::why_not,
                                 .plan = collect_server::plan,
                                 .failures = collect_server::kFailures,
                                 .counts_steps = true};

}  // namespace cgpu
