// Files on other machines (s3://bucket/run.json): another part of the program reads ranges of them, on request over a
// socket. The Python package does so with fsspec (python/cgpu/_remote.py), which supports the object stores.
//
// A connection a file, of the form AF_UNIX; numbers as this machine has them, texts with their length (32 bits) before:
//   asked first      the name              answered   size of the file (64 bits)
//   then, each time  position (64), size (32)         the bytes, fewer only at the end
// Each answer has a byte before it: 0, or 1 and the text of an error in its place.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"

namespace cgpu {

/// Sets the socket that serves files whose names have a scheme; "" for none. Thread-safe.
void serve_files_at(const std::string& socket);

/// Whether a name has a scheme, and a socket is set that serves such files.
bool is_remote(const std::string& name);

/// Opens a remote file, or one of this machine. Throws Error as File does, and with the message of the server.
std::shared_ptr<File> open_file(const std::string& name);

}  // namespace cgpu
