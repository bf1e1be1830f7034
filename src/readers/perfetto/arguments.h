// Reads the arguments of an event from a Perfetto trace again.
//
// Slices::source is the place of the packet: its position in the uncompressed input, or, of a packet in a compressed
// block, the highest bit, the number of the block (31 bits) and the position in it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "model/run.h"
#include "readers/perfetto/interned.h"

namespace cgpu::perfetto {

/// The source of events in a packet; blocks are numbered as they come.
uint64_t source_of(const PacketPlace& place, ArgumentTexts& texts);

/// `end_sources`: for slices whose end has arguments of its own, where it is.
std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<TextSource> source, std::string file,
                                                     std::shared_ptr<const ArgumentTexts> texts,
                                                     std::unordered_map<uint64_t, uint64_t> end_sources);

}  // namespace cgpu::perfetto
