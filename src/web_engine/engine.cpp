// The viewer in a browser: what the page asks for is answered by the same Viewer as behind HTTP (serve/viewer.h),
// called through a few functions that WebAssembly can export. One thread: a call returns when its work is done.
//
// The page (web/src/engine/module.ts) writes texts, each ended by a NUL, into memory of `engine_alloc`, and calls
//   engine_start    once, first;
//   engine_add      a profile: its inputs. At most two, of which the second is compared with the first;
//   engine_open     opens them, one after the other, and calls engine_progress meanwhile;
//   engine_answer   a request: its path, then key and value of each parameter, decoded. Returns the status; engine_body
//                   and the others have the answer until the next call.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/opening.h"
#include "serve/viewer.h"

extern "C" {
void __wasm_call_ctors();
/// The page's: what /api/status says has changed.
__attribute__((import_module("cgpu"), import_name("engine_progress"))) void engine_progress();
}

namespace cgpu {

namespace {

struct Engine {
  Viewer viewer{CGPU_VERSION};
  std::vector<std::pair<InputOptions, ViewedProfile*>> profiles;
  Answer answer;
};

Engine& engine() {
  static Engine* const one = new Engine;
  return *one;
}

/// The texts, each ended by a NUL, in memory of the page's, which this frees.
std::vector<std::string> take_texts(char* memory, size_t size) {
  std::vector<std::string> texts;
  for (std::string_view left(memory, size); !left.empty();) {
    const std::string_view text = left.substr(0, left.find('\0'));
    texts.emplace_back(text);
    left.remove_prefix(std::min(left.size(), text.size() + 1));
  }
  std::free(memory);
  return texts;
}

void open(const InputOptions& input, ViewedProfile& profile) {
  try {
    OpenOptions options = input.open();
    options.progress = [](OpeningPhase, double) { engine_progress(); };
    open_profile(profile, input, std::move(options));
  } catch (const std::bad_alloc&) {
    profile.fail("needs more memory than a page can have (4 GB): open it with cgpu view");
  } catch (const std::exception& error) {
    profile.fail(error.what());
  }
  engine_progress();
}

}  // namespace

}  // namespace cgpu

#define CGPU_EXPORT(name) extern "C" __attribute__((export_name(#name)))

CGPU_EXPORT(engine_start) void engine_start() {
  __wasm_call_ctors();
}

CGPU_EXPORT(engine_alloc) void* engine_alloc(size_t size) {
  return std::malloc(size);
}

CGPU_EXPORT(engine_add) void engine_add(char* text, size_t size) {
  cgpu::Engine& engine = cgpu::engine();
  cgpu::InputOptions input;
  input.inputs = cgpu::take_texts(text, size);
  cgpu::ViewedProfile& profile = engine.viewer.add(input.inputs);
  engine.profiles.emplace_back(std::move(input), &profile);
  if (engine.profiles.size() == 2) engine.viewer.compare();
}

CGPU_EXPORT(engine_open) void engine_open() {
  for (const auto& [input, profile] : cgpu::engine().profiles) cgpu::open(input, *profile);
}

CGPU_EXPORT(engine_answer) int engine_answer(char* text, size_t size) {
  cgpu::Engine& engine = cgpu::engine();
  engine.answer = {};
  std::vector<std::string> texts = cgpu::take_texts(text, size);
  cgpu::Request request;
  if (!texts.empty()) request.path = std::move(texts.front());
  for (size_t i = 1; i + 1 < texts.size(); i += 2) request.query.emplace(std::move(texts[i]), std::move(texts[i + 1]));
  cgpu::Answer answer = engine.viewer.answer(request);
  if (const auto stream = std::exchange(answer.stream, nullptr)) {
    try {
      stream([&](std::string_view bytes) { answer.body += bytes; });
    } catch (const std::exception& error) {  // it has not begun, other than behind HTTP
      answer = cgpu::error_answer(cgpu::kNotFound, error.what());
    }
  }
  engine.answer = std::move(answer);
  return engine.answer.status;
}

CGPU_EXPORT(engine_body) const char* engine_body() {
  return cgpu::engine().answer.body.data();
}
CGPU_EXPORT(engine_body_size) size_t engine_body_size() {
  return cgpu::engine().answer.body.size();
}
CGPU_EXPORT(engine_type) const char* engine_type() {
  return cgpu::engine().answer.type.c_str();
}
CGPU_EXPORT(engine_file_name) const char* engine_file_name() {
  return cgpu::engine().answer.file_name.c_str();
}
