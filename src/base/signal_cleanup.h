// Files and folders that have to go where a signal ends the program (SIGINT, SIGTERM, SIGHUP), before the objects that
// would remove them can.
#pragma once

#include <string>

namespace cgpu {

/// From now on a signal that ends the program removes this first. A signal that the program handles by itself stays
/// with that handler, which calls remove_registered_paths where it ends the program.
void register_for_removal(const std::string& path);
/// It has gone, or has got its final name.
void unregister_for_removal(const std::string& path);

/// Removes what there is, files before folders, for a program that ends now. May be called in a signal handler.
void remove_registered_paths();

}  // namespace cgpu
