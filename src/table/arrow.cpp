#include "table/arrow.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"

namespace cgpu {

namespace {

using NextShared = std::function<std::shared_ptr<const Table>()>;

/// What a schema or an array that has been handed out owns: its private_data. Children that the consumer has moved out
/// are marked as released, so that each is released once.
template <typename Node>
struct Owned {
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    for (Node& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
    if (dictionary.release != nullptr) dictionary.release(&dictionary);
  }

  /// Room for the children, all of them released as yet.
  void make_children(size_t count) {
    children.resize(count, Node{});
    for (Node& child : children) child_pointers.push_back(&child);
  }

  std::vector<Node> children;
  std::vector<Node*> child_pointers;
  Node dictionary{};
};

struct OwnedSchema : Owned<ArrowSchema> {
  std::string name;
  std::string metadata;
};

struct OwnedArray : Owned<ArrowArray> {
  std::shared_ptr<const void> keeps;  // the buffers
  std::array<const void*, 3> buffers{};
};

template <typename OwnedNode, typename Node>
void release(Node* node) {
  delete static_cast<OwnedNode*>(node->private_data);
  node->private_data = nullptr;
  node->release = nullptr;
}

void append_int32(std::string& out, size_t value) {
  const auto number = static_cast<int32_t>(value);
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);  // in the byte order of the machine
  out.append(bytes, sizeof bytes);
}

using KeyValues = std::vector<std::pair<std::string_view, std::string_view>>;

std::string encoded(const KeyValues& metadata) {
  std::string out;
  append_int32(out, metadata.size());
  for (const auto& [key, value] : metadata) {
    const std::string text = valid_utf8(value);
    append_int32(out, key.size());
    out += key;
    append_int32(out, text.size());
    out += text;
  }
  return out;
}

/// Exports a schema whose children and dictionary are in `owned`.
void hand_out(ArrowSchema& schema, std::unique_ptr<OwnedSchema> owned, const char* format, int64_t flags) {
  schema = {.format = format,
            .name = owned->name.c_str(),
            .metadata = owned->metadata.empty() ? nullptr : owned->metadata.c_str(),
            .flags = flags,
            .n_children = static_cast<int64_t>(owned->children.size()),
            .children = owned->child_pointers.data(),
            .dictionary = owned->dictionary.release != nullptr ? &owned->dictionary : nullptr,
            .release = release<OwnedSchema, ArrowSchema>,
            .private_data = nullptr};
  schema.private_data = owned.release();
}

void hand_out(ArrowArray& array, std::unique_ptr<OwnedArray> owned, size_t length, size_t nulls, int64_t buffers) {
  array = {.length = static_cast<int64_t>(length),
           .null_count = static_cast<int64_t>(nulls),
           .offset = 0,
           .n_buffers = buffers,
           .n_children = static_cast<int64_t>(owned->children.size()),
           .buffers = owned->buffers.data(),
           .children = owned->child_pointers.data(),
           .dictionary = owned->dictionary.release != nullptr ? &owned->dictionary : nullptr,
           .release = release<OwnedArray, ArrowArray>,
           .private_data = nullptr};
  array.private_data = owned.release();
}

const char* format_of(ColumnType type) {
  switch (type) {
    case ColumnType::integer:
      return "l";
    case ColumnType::real:
      return "g";
    case ColumnType::text:
      break;
  }
  return "i";  // of the indices into the dictionary
}

void export_field(const Column& column, ArrowSchema& schema) {
  auto owned = std::make_unique<OwnedSchema>();
  owned->name = valid_utf8(column.name);
  owned->metadata = encoded({{"unit", column.unit}, {"about", column.about}, {"role", text_of(column.role)}});
  if (column.type == ColumnType::text) hand_out(owned->dictionary, std::make_unique<OwnedSchema>(), "u", 0);
  hand_out(schema, std::move(owned), format_of(column.type), ARROW_FLAG_NULLABLE);
}

void export_schema(const Table& declared, ArrowSchema& schema) {
  auto owned = std::make_unique<OwnedSchema>();
  owned->metadata = encoded({{"name", declared.name}, {"about", declared.about}});
  owned->make_children(declared.columns.size());
  for (size_t i = 0; i < declared.columns.size(); ++i) export_field(declared.columns[i], owned->children[i]);
  hand_out(schema, std::move(owned), "+s", 0);
}

bool is_utf8(const TextDictionary& dictionary) {
  const std::string& bytes = dictionary.bytes();
  if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return (c & 0x80) == 0; })) return true;
  for (int32_t code = 0; code < static_cast<int32_t>(dictionary.size()); ++code) {
    if (valid_utf8(dictionary[code]) != dictionary[code]) return false;
  }
  return true;
}

/// The texts of a dictionary by their codes, one after the other, with the offsets of their ends: repaired, two of them
/// may be equal.
struct RepairedTexts {
  explicit RepairedTexts(const TextDictionary& dictionary) {
    for (int32_t code = 0; code < static_cast<int32_t>(dictionary.size()); ++code) {
      bytes += valid_utf8(dictionary[code]);
      if (bytes.size() > INT32_MAX) throw Error("a column has more than 2 GiB of different texts");
      offsets.push_back(static_cast<int32_t>(bytes.size()));
    }
  }
  std::vector<int32_t> offsets = {0};
  std::string bytes;
};

/// The dictionary of a column, looked through once for all batches that share it.
class ExportedDictionary {
 public:
  void export_texts(std::shared_ptr<const TextDictionary> dictionary, ArrowArray& array) {
    if (dictionary_ != dictionary) {
      repaired_ = is_utf8(*dictionary) ? nullptr : std::make_shared<const RepairedTexts>(*dictionary);
      dictionary_ = std::move(dictionary);
    }
    auto owned = std::make_unique<OwnedArray>();
    if (repaired_) {
      owned->keeps = repaired_;
      owned->buffers = {nullptr, repaired_->offsets.data(), repaired_->bytes.data()};
    } else {
      owned->keeps = dictionary_;
      owned->buffers = {nullptr, dictionary_->offsets().data(), dictionary_->bytes().data()};
    }
    hand_out(array, std::move(owned), dictionary_->size(), 0, 3);
  }

 private:
  std::shared_ptr<const TextDictionary> dictionary_;
  std::shared_ptr<const RepairedTexts> repaired_;  // null where the dictionary can be handed out as it is
};

const void* values_of(const ColumnValues& values) {
  switch (values.type()) {
    case ColumnType::integer:
      return values.integers().data();
    case ColumnType::real:
      return values.reals().data();
    case ColumnType::text:
      break;
  }
  return values.codes().data();
}

class Stream {
 public:
  Stream(Table declared, NextShared next)
      : declared_(std::move(declared)), next_(std::move(next)), dictionaries_(declared_.columns.size()) {}

  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    return of(stream).answer([&] { export_schema(of(stream).declared_, *out); });
  }
  static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    return of(stream).answer([&] {
      *out = {};  // released: the end of the stream
      if (const std::shared_ptr<const Table> batch = of(stream).next_()) of(stream).export_batch(batch, *out);
    });
  }
  static const char* get_last_error(ArrowArrayStream* stream) {
    return of(stream).error_.empty() ? nullptr : of(stream).error_.c_str();
  }
  static void release(ArrowArrayStream* stream) {
    delete &of(stream);
    stream->private_data = nullptr;
    stream->release = nullptr;
  }

 private:
  static Stream& of(ArrowArrayStream* stream) { return *static_cast<Stream*>(stream->private_data); }

  /// Does something; returns 0, or the error code of what it throws.
  template <typename Do>
  int answer(Do act) {
    error_.clear();
    try {
      act();
      return 0;
    } catch (const std::bad_alloc&) {
      return ENOMEM;
    } catch (const std::exception& error) {
      error_ = valid_utf8(error.what());
      return EIO;
    }
  }

  void export_batch(const std::shared_ptr<const Table>& batch, ArrowArray& array) {
    auto owned = std::make_unique<OwnedArray>();
    owned->make_children(batch->columns.size());
    for (size_t column = 0; column < batch->columns.size(); ++column) {
      export_column(batch, column, owned->children[column]);
    }
    hand_out(array, std::move(owned), batch->row_count(), 0, 1);
  }

  void export_column(const std::shared_ptr<const Table>& batch, size_t column, ArrowArray& array) {
    const ColumnValues& values = batch->values(column);
    auto owned = std::make_unique<OwnedArray>();
    owned->keeps = batch;
    owned->buffers = {values.absent_count() > 0 ? values.present().data() : nullptr, values_of(values)};
    if (values.type() == ColumnType::text) {
      dictionaries_[column].export_texts(values.shared_dictionary(), owned->dictionary);
    }
    hand_out(array, std::move(owned), values.size(), values.absent_count(), 2);
  }

  const Table declared_;  // without rows
  NextShared next_;
  std::vector<ExportedDictionary> dictionaries_;  // by column
  std::string error_;
};

void export_stream(const Table& declared, NextShared next, ArrowArrayStream& stream) {
  auto exported = std::make_unique<Stream>(Table(declared.name, declared.about, declared.columns), std::move(next));
  stream = {.get_schema = Stream::get_schema,
            .get_next = Stream::get_next,
            .get_last_error = Stream::get_last_error,
            .release = Stream::release,
            .private_data = nullptr};
  stream.private_data = exported.release();
}

}  // namespace

void export_table(std::shared_ptr<const Table> table, ArrowArrayStream& stream) {
  const Table& declared = *table;
  export_stream(
      declared, [left = std::move(table)]() mutable { return std::exchange(left, nullptr); }, stream);
}

void export_batches(const Table& declared, NextBatch next, ArrowArrayStream& stream) {
  export_stream(
      declared,
      [next = std::move(next)]() -> std::shared_ptr<const Table> {
        std::optional<Table> batch = next();
        return batch ? std::make_shared<const Table>(*std::move(batch)) : nullptr;
      },
      stream);
}

}  // namespace cgpu
