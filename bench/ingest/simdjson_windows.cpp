// Competitor: simdjson on-demand over 1 MB windows that are cut between events, extracting only: FILE THREADS.
//
// This is the limit the import is measured against, not a reader: nothing is kept, and the cut trusts the layout in
// which Kineto and the trace builder write ("\n  },\n  {\n" is only between events), which no reader may.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "simdjson_events.h"

namespace {

constexpr std::string_view kBetween = "\n  },\n  {\n";
constexpr size_t kWindow = size_t{1} << 20;
constexpr size_t kLongestEvent = size_t{1} << 16;

size_t read_at(int file, size_t position, char* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(file, to + done, size - done, static_cast<off_t>(position + done));
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

/// Takes windows until there are none: window i owns the events that begin in bytes [i, i + 1) * kWindow.
Extracted take_windows(int file, size_t size, std::atomic<size_t>& next) {
  std::vector<char> buffer(kWindow + kLongestEvent + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::parser parser;
  Extracted result;
  for (size_t window = next++; window * kWindow < size; window = next++) {
    const size_t length = read_at(file, window * kWindow, buffer.data(), kWindow + kLongestEvent);
    const std::string_view text(buffer.data(), length);
    size_t begin = text.find(kBetween);  // becomes the byte before the brace of the first event
    if (window == 0) {
      begin = text.find('[', text.find("\"traceEvents\""));
    } else {
      if (begin >= kWindow) continue;  // the event of the window before reaches over this one
      begin += std::strlen("\n  },\n ");
    }
    size_t end = text.size() > kWindow ? text.find(kBetween, kWindow) : std::string_view::npos;  // behind the last
    if (end == std::string_view::npos) {
      end = text.rfind(']');  // the last window: the events end the document
    } else {
      end += std::strlen("\n  }");
    }
    if (begin >= end || end >= text.size()) throw std::runtime_error("not the layout this program expects");
    buffer[begin] = '[';
    buffer[end] = ']';
    auto document = parser.iterate(buffer.data() + begin, end + 1 - begin, buffer.size() - begin);
    extract_events(document.get_array(), result);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int file = open(argv[1], O_RDONLY);
  const off_t size = lseek(file, 0, SEEK_END);
  if (file < 0 || size < 0) return 1;
  std::vector<Extracted> results(static_cast<size_t>(std::atoi(argv[2])));
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (Extracted& result : results) {
    threads.emplace_back([&] { result = take_windows(file, static_cast<size_t>(size), next); });
  }
  Totals totals;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    totals += results[i].totals;
  }
  totals.print();
}
