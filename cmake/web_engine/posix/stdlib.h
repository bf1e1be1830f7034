// See unistd.h. These two work: missing.c.
#pragma once
#include_next <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
int mkostemp(char* name, int flags);
char* mkdtemp(char* name);
#ifdef __cplusplus
}
#endif
