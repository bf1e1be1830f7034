// Databases of HPCToolkit 2 (hpcprof until 2021): a folder with experiment.xml (the call tree, the metrics, all names)
// and one .metric-db a thread (a table of values, one row a node). docs/formats/hpctoolkit-xml.md.
//
// The XML is read in a stream; the tables are mapped and added up once. Values of single threads are read when they are
// asked for.
#pragma once

#include "readers/common/input.h"

namespace cgpu::hpctoolkit_xml {

/// A folder with such an experiment.xml, or that file itself.
bool is_database(const Input& input);

/// Throws Error where the file is no experiment.xml with a call path profile; what else is missing goes to the notes.
Run read_database(const Input& input, const ReadOptions& options);

}  // namespace cgpu::hpctoolkit_xml
