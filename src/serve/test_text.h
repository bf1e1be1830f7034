// For tests: what a text that is sent to the page holds.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace cgpu::test {

inline void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text.substr(0, 2000);
}

}  // namespace cgpu::test
