// Tables for other programs in the same process: as a stream of Arrow record batches, through the Arrow C data
// interface and the Arrow C stream interface (arrow.apache.org/docs/format).
//
// Nothing is copied: the buffers of a column are handed out as they are and live until the consumer has released what
// refers to them, in whatever order it does so. Columns are int64, float64, and for text int32 indices into a utf8
// dictionary, which may differ from batch to batch; a column without absent values has no validity bitmap. A field
// carries `unit`, `about` and `role` as metadata, the schema `name` and `about` of the table. Texts that are not UTF-8,
// which Arrow does not allow, are handed out as a repaired copy of the dictionary.
#pragma once

#include <cstdint>
#include <memory>

#include "table/batches.h"
#include "table/table.h"

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE

}  // extern "C"

namespace cgpu {

/// Makes `stream`, whatever it holds before, a stream of a table as one batch. The consumer releases it.
void export_table(std::shared_ptr<const Table> table, ArrowArrayStream& stream);

/// The same of a table that comes in batches. `declared` has its name and its columns; next() gives the next batch, or
/// none at the end, and is called by the reader of the stream. An exception of next() is the stream's error.
void export_batches(const Table& declared, NextBatch next, ArrowArrayStream& stream);

}  // namespace cgpu
