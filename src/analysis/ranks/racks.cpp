#include "analysis/ranks/racks.h"

#include "analysis/common/name_rules.h"

namespace cgpu {

std::string_view rack_of_host(std::string_view host) {
  return group_in(NameList::rack, host);
}

}  // namespace cgpu
