// See unistd.h. A folder cannot be opened for writing, so that O_TMPFILE fails as in a file system without it.
#pragma once
#include_next <fcntl.h>

#ifndef O_TMPFILE
#define O_TMPFILE O_DIRECTORY
#endif
