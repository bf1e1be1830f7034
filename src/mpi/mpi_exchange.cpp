#include "mpi/mpi_exchange.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "cli/cli.h"

namespace cgpu {

namespace {

/// What a message is. Its tag.
enum Kind : int { kJob, kTask, kAnswer, kDismissal, kBytes };

/// MPI counts bytes of a message with an int.
constexpr uint64_t kMostBytesOfPiece = uint64_t{1} << 30;

/// Returns when `is_ready`, which is asked again after an eighth of the time that was waited so far.
template <typename IsReady>
void wait_until(const IsReady& is_ready) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  while (!is_ready()) {
    std::this_thread::sleep_for(std::clamp<Clock::duration>((Clock::now() - begun) / 8, 10us, 1ms));
  }
}

void finish(MPI_Request request) {
  wait_until([&] {
    int is_done = 0;
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    return is_done != 0;
  });
}

/// Calls piece(begin, count) for the pieces of as many bytes.
template <typename Piece>
void for_each_piece(uint64_t size, const Piece& piece) {
  for (uint64_t at = 0; at < size; at += kMostBytesOfPiece) {
    piece(at, static_cast<int>(std::min(kMostBytesOfPiece, size - at)));
  }
}

void send(int to, Kind kind, const std::string& bytes) {
  const uint64_t size = bytes.size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&size, 1, MPI_UINT64_T, to, kind, MPI_COMM_WORLD, &request);
  finish(request);
  for_each_piece(size, [&](uint64_t at, int count) {
    MPI_Isend(bytes.data() + at, count, MPI_BYTE, to, kBytes, MPI_COMM_WORLD, &request);
    finish(request);
  });
}

struct Message {
  int from = 0;
  Kind kind = kDismissal;
  std::string bytes;
};

/// The next one. `kind`: of this kind; any where it is none.
Message receive(std::optional<Kind> kind = std::nullopt) {
  MPI_Message head = MPI_MESSAGE_NULL;
  MPI_Status status{};
  wait_until([&] {
    int is_there = 0;
    MPI_Improbe(MPI_ANY_SOURCE, kind ? *kind : MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &head, &status);
    return is_there != 0;
  });
  uint64_t size = 0;
  MPI_Mrecv(&size, 1, MPI_UINT64_T, &head, MPI_STATUS_IGNORE);
  Message message{status.MPI_SOURCE, static_cast<Kind>(status.MPI_TAG), std::string(size, '\0')};
  for_each_piece(size, [&](uint64_t at, int count) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(message.bytes.data() + at, count, MPI_BYTE, message.from, kBytes, MPI_COMM_WORLD, &request);
    finish(request);
  });
  return message;
}

/// The processors that a process may use, of those that all processes of its machine may.
unsigned share_of_processors(MPI_Comm machine, int processes) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return 1;
  cpu_set_t all;
  MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, machine);
  return static_cast<unsigned>(std::clamp(CPU_COUNT(&all) / processes, 1, std::max(1, CPU_COUNT(&own))));
}

/// Does a part of the exchange. The others would wait for ever for what is left of it: where it throws, the job ends.
template <typename Part>
void or_end_job(const Part& part) {
  const int exit_code = exit_code_of([&] {
    part();
    return 0;
  });
  if (exit_code != 0) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace

MpiExchange::MpiExchange(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &process_);
  MPI_Comm_size(MPI_COMM_WORLD, &processes_);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, process_, MPI_INFO_NULL, &machine_);
  MPI_Comm_size(machine_, &on_machine_);
  threads_ = share_of_processors(machine_, on_machine_);
  open_files_ = std::make_unique<OpenFiles>(MPI_COMM_WORLD, machine_);
}

MpiExchange::~MpiExchange() {
  open_files_.reset();
  MPI_Comm_free(&machine_);
  MPI_Finalize();
}

void MpiExchange::deal(const std::string& job, const std::function<std::optional<Task>()>& next,
                       const std::function<void(uint32_t, const std::string&)>& answered) {
  or_end_job([&] {
    std::vector<uint32_t> dealt(static_cast<size_t>(processes_));  // by worker
    unsigned unanswered = 0;
    const auto deal_to = [&](int worker) {
      const std::optional<Task> task = next();
      open_files_->deals(worker, task ? task->file : "");
      if (!task) return;
      dealt[static_cast<size_t>(worker)] = task->id;
      send(worker, kTask, task->bytes);
      ++unanswered;
    };
    for (int worker = 1; worker < processes_; ++worker) {
      send(worker, kJob, job);
      deal_to(worker);
    }
    while (unanswered > 0) {
      const Message answer = receive(kAnswer);
      const uint32_t id = dealt[static_cast<size_t>(answer.from)];
      --unanswered;
      deal_to(answer.from);  // so that it need not wait for the answer to be taken
      answered(id, answer.bytes);
    }
  });
}

void MpiExchange::work(const MakeCollector& make_collector) {
  or_end_job([&] {
    std::optional<RankWorker> worker;
    for (;;) {
      const Message message = receive();
      if (message.kind == kDismissal) return;
      if (message.kind == kJob) {
        worker.emplace(message.bytes, *this, make_collector);
      } else {
        send(0, kAnswer, worker.value().answer(message.bytes));
      }
    }
  });
}

void MpiExchange::dismiss_workers() const {
  for (int worker = 1; worker < processes_; ++worker) send(worker, kDismissal, "");
}

}  // namespace cgpu
