// Removes temporary files and folders when a signal ends the program (SIGINT, SIGTERM, SIGHUP), since no destructor
// does so then.
#pragma once

#include <string>

namespace cgpu {

/// From now on a signal that ends the program removes this first. A signal that the program handles by itself stays
/// with that handler, which calls remove_registered_paths where it ends the program.
void register_for_removal(const std::string& path);
/// To be called when it is removed or has its final name.
void unregister_for_removal(const std::string& path);

/// Removes all registered paths that exist, files before folders, for a program that ends now. Async-signal-safe.
void remove_registered_paths();

}  // namespace cgpu
