// Racks by the names of machines.
#include "analysis/ranks/racks.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace cgpu {
namespace {

TEST(Racks, AsNamesSay) {
  for (const auto& [host, rack] : std::initializer_list<std::pair<const char*, const char*>>{
           {"x1000c0s5b0n1", "x1000"},
           {"x3000c0s19b1n0.hsn.cluster.example", "x3000"},
           {"r1i0n5", "r1"},
           {"r22i13n05.example.org", "r22"},
           {"rack3-node5", "3"},
           {"gpu-rack07-2", "07"},
           {"node5.rack_12.dc1.example", "12"},
       }) {
    EXPECT_EQ(rack_of_host(host), rack) << host;
  }
}

TEST(Racks, NothingIsGuessed) {
  for (const char* host : {"", "node-0007", "r07n12", "x1000c0s5b0", "x1000c0s5b0n1x", "nid001234", "crack3", "rack",
                           "rackspace1", "rack3a", "machine-907fe361", "gpu1", "xcsbn", "r1i0n"}) {
    EXPECT_EQ(rack_of_host(host), "") << host;
  }
}

}  // namespace
}  // namespace cgpu
