#include "analysis/idle/idle_causes.h"

#include <array>

#include "base/contains.h"
#include "links/waiting_calls.h"

namespace cgpu {

namespace {

/// Of a Python frame, "torch/_dynamo/eval_frame.py(791): compile_wrapper"; both empty for other names.
struct Frame {
  std::string_view file;
  std::string_view function;
};
Frame frame_of(std::string_view name) {
  const size_t end = name.find("): ");
  const size_t line = name.rfind('(', end);
  if (end == std::string_view::npos || line == std::string_view::npos) return {};
  return {name.substr(0, line), name.substr(end + 3)};
}

/// Compilers of torch.compile, Triton, nvFuser, JAX, NVRTC. Most of their frames are also on the stack when what they
/// made is run: only those are listed that a compiler alone enters.
bool is_compiling(std::string_view name) {
  if (name.ends_with("(dynamo_timed)")) return true;
  if (contains_any(name, {"aclopCompile", "nvrtcCompile", "NVRTC", "Nvrtc", "compileFusion", "compileKernel",
                          "::Compile", "XlaCompile", "backend_compile"})) {
    return true;
  }
  if (contains(name, "::compile") && !contains(name, "::compiled")) return true;
  const auto [file, function] = frame_of(name);
  if (contains_any(file, {"torch/_dynamo/convert_frame.py", "torch/_dynamo/symbolic_convert.py",
                          "torch/_dynamo/output_graph.py", "triton/compiler/code_generator.py"})) {
    return true;
  }
  if (!contains_any(file, {"torch/_inductor/", "triton/"})) return false;
  return is_any(function, {"do_bench", "_bench"}) ||
         (contains_any(function, {"compile", "autotune", "benchmark"}) && !contains(function, "is_compil"));
}

std::optional<IdleCause> cause_of_call(std::string_view name) {
  const Awaited awaited = awaited_by(name);
  if (awaited != Awaited::nothing && awaited != Awaited::released) {
    return awaited == Awaited::own_copy ? IdleCause::blocking_copy : IdleCause::synchronization;
  }
  if (is_compiling(name)) return IdleCause::compilation;
  if (contains_any(name, {"ModuleLoad", "LibraryLoad", "LinkCreate", "LinkAdd", "LinkComplete"})) {
    return IdleCause::module_load;
  }
  if (contains_any(name, {"Malloc", "MemAlloc", "HostAlloc", "HostRegister", "MemCreate", "MemMap", "MemAddressReserve",
                          "Free"})) {
    return IdleCause::allocation;
  }
  return std::nullopt;
}

/// "cudaStreamSynchronize" as a range, "file.py(12): synchronize", "<built-in function _cuda_synchronize>",
/// "<built-in method synchronize of ...>".
bool is_synchronizing(std::string_view name) {
  return name.ends_with("Synchronize") || name.ends_with("synchronize") ||
         (name.starts_with("<built-in ") && contains_any(name, {"synchronize>", "synchronize of "}));
}

/// "<built-in method get of _queue.SimpleQueue object at 0x7f>", or as a method of the class, without an object:
/// "<method 'get' of '_queue.SimpleQueue' objects>".
bool is_method(std::string_view name, std::string_view method, std::string_view type) {
  const auto goes_on = [&](std::string_view text) {
    if (!name.starts_with(text)) return false;
    name.remove_prefix(text.size());
    return true;
  };
  if (goes_on("<built-in method ")) return goes_on(method) && goes_on(" of ") && name.starts_with(type);
  return goes_on("<method '") && goes_on(method) && goes_on("' of '") && name.starts_with(type);
}

bool is_lock(std::string_view name) {
  return contains(name, "acquire of _thread") || is_method(name, "acquire", "_thread.") ||
         is_method(name, "get", "_queue.SimpleQueue") ||
         is_any(name, {"pthread_mutex_lock", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
                       "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "sem_wait", "sem_timedwait", "sem_clockwait",
                       "futex",
                       // What is innermost in a sample of one that waits, by the C library's own names:
                       "futex_wait", "futex_abstimed_wait", "futex_abstimed_wait64", "futex_abstimed_wait_cancelable",
                       "futex_abstimed_wait_cancelable64", "futex_abstimed_wait_common", "futex_abstimed_wait_common64",
                       "lll_lock_wait", "lll_lock_wait_private", "do_futex_wait"});
}

bool is_io_of_the_system(std::string_view call) {
  return is_any(call, {"open",    "open64", "openat",   "openat64", "fopen",      "fopen64",     "close",   "fclose",
                       "read",    "pread",  "pread64",  "readv",    "preadv",     "fread",       "fgets",   "getline",
                       "write",   "pwrite", "pwrite64", "writev",   "fwrite",     "fputs",       "fflush",  "fsync",
                       "poll",    "ppoll",  "select",   "pselect",  "epoll_wait", "epoll_pwait", "recv",    "recvfrom",
                       "recvmsg", "send",   "sendto",   "sendmsg",  "sendfile",   "accept",      "accept4", "connect"});
}

/// "<built-in function read>", "<built-in method recv_into of _socket.socket object at 0x7f>", "<method 'poll' of
/// 'select.epoll' objects>".
bool is_io_of_python(std::string_view name) {
  constexpr std::string_view built_in_function = "<built-in function ";
  if (name.starts_with(built_in_function) && name.ends_with(">")) {
    return is_any(name.substr(built_in_function.size(), name.size() - built_in_function.size() - 1),
                  {"open", "read", "readinto", "write", "poll", "select"});
  }
  if (contains_any(name, {"StringIO", "BytesIO"})) return false;
  return (name.starts_with("<built-in method ") &&
          contains_any(name,
                       {" of _io.", " of socket object", " of _socket.socket object", " of select.", " of zmq."})) ||
         (name.starts_with("<method '") &&
          contains_any(name, {" of '_io.", " of '_socket.socket'", " of 'select.", " of 'zmq."}));
}

/// Where a server takes requests out of a queue: vLLM, TensorRT-LLM, SGLang, gRPC, Python's own servers and event
/// loops.
bool is_taking_requests(std::string_view name) {
  const auto [file, function] = frame_of(name);
  return is_any(function, {"_process_input_queue", "_fetch_new_requests"}) ||
         (function == "maybe_sleep" && contains(file, "sglang/")) ||
         (function == "serve_forever" && contains(file, "socketserver.py")) ||
         (function == "_run_once" && contains(file, "asyncio/base_events.py")) ||
         (function == "_serve" && contains(file, "grpc/_server.py"));
}

/// Calls that return when a person has typed something.
bool is_reading_typed_input(std::string_view call) {
  return is_any(call, {"getc", "fgetc", "getchar", "getc_unlocked", "getchar_unlocked", "scanf", "__isoc99_scanf",
                       "__isoc23_scanf", "getwc", "getwchar", "wscanf"});
}

std::optional<IdleCause> cause_of_other(SliceKind kind, std::string_view name) {
  if (kind == SliceKind::os_call) {
    if (is_io_of_the_system(name)) return IdleCause::io;
    if (is_reading_typed_input(name)) return IdleCause::no_work;
  }
  if (is_synchronizing(name)) return IdleCause::synchronization;
  if (contains(name, "DataLoader")) return IdleCause::data_loading;
  if (contains(name, "gc.collect") || name.starts_with("gc:") || name == "Python GC") {
    return IdleCause::garbage_collection;
  }
  if (is_lock(name)) return IdleCause::lock;
  if (is_io_of_python(name)) return IdleCause::io;
  if (is_taking_requests(name)) return IdleCause::no_work;
  if (is_compiling(name)) return IdleCause::compilation;
  if (contains(name, "triton/compiler/") && name.ends_with(": _init_handles")) return IdleCause::module_load;
  return std::nullopt;
}

/// What CUDA does on its own account inside calls; CUPTI records it beside its own overhead.
std::optional<IdleCause> cause_of_driver_work(std::string_view name) {
  if (is_any(name, {"Lazy Function Loading", "Runtime Triggered Module Loading"})) return IdleCause::module_load;
  if (is_any(name, {"Driver Compiler", "Driver JIT compiler"})) return IdleCause::compilation;
  return std::nullopt;
}

}  // namespace

bool waits_for_event(std::string_view name) {
  const auto [file, function] = frame_of(name);
  return is_any(name, {"poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "accept", "accept4", "recv",
                       "recvfrom", "recvmsg", "pthread_cond_wait"}) ||
         contains_any(name, {" of select.", " of 'select."}) || is_method(name, "get", "_queue.SimpleQueue") ||
         (function == "get" && contains(file, "queue.py")) || (function == "wait" && contains(file, "threading.py"));
}

bool is_sleep(std::string_view name) {
  return is_any(name, {"sleep", "usleep", "nanosleep", "clock_nanosleep", "<built-in function sleep>"});
}

std::string_view text_of(IdleCause cause) {
  static constexpr std::array<std::string_view, kIdleCauses> texts = {
      "synchronization",    "blocking_copy", "data_loading", "allocation",        "compilation",  "module_load",
      "garbage_collection", "lock",          "io",           "not_scheduled",     "no_work",      "host_code",
      "launch_overhead",    "dependency",    "other_rank",   "profiler_overhead", "profile_edge", "unknown"};
  return texts[static_cast<size_t>(cause)];
}

std::optional<IdleCause> cause_named_by(SliceKind kind, std::string_view name) {
  if (is_call(kind)) return cause_of_call(name);
  if (is_host(kind)) return cause_of_other(kind, name);
  if (kind == SliceKind::overhead || kind == SliceKind::other) return cause_of_driver_work(name);
  return std::nullopt;
}

}  // namespace cgpu
