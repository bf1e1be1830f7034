// What is around the events of a file: the header, the names of rows, and what follows.
#pragma once

#include <vector>

#include "kineto_writer.h"
#include "machine.h"
#include "options.h"
#include "rendezvous.h"

namespace cgpu::builder {

Members header_members(const Options& options, int rank, const std::vector<Communicator>& groups);
Members footer_members(const Options& options, int rank);
/// Names of processes and threads, the recording window and the marks of its begin and end.
void write_epilogue(const Options& options, int rank, const Machine& machine, KinetoWriter& writer);

/// The device of every rank, as the file describes it.
std::string_view device_name(Era era, Vendor vendor);

}  // namespace cgpu::builder
