#include "base/credentials.h"

#include <gtest/gtest.h>

#include <string>

namespace cgpu {
namespace {

const std::string kRandom = "abcdEFGH0123456789ijklMNOP4567890123";

TEST(Credentials, KeysThatNameSecrets) {
  for (const char* key : {"token", "HF_TOKEN", "hf-token", "password", "AWS_SECRET_ACCESS_KEY", "api_key", "env",
                          "environment", "db_passwd", "Private-Key"}) {
    EXPECT_TRUE(is_secret_key(key)) << key;
  }
  for (const char* key : {"tokens", "max_tokens", "tokenizer", "environment_name_of_cluster", "External id", "stream",
                          "torch_dtype", "record_shapes"}) {
    EXPECT_FALSE(is_secret_key(key)) << key;
  }
}

TEST(Credentials, ValuesThatLookLikeSecrets) {
  for (const std::string& value :
       {"hf_" + kRandom, "run --token=ghp_" + kRandom, "AKIA" + kRandom.substr(0, 16), std::string("-----BEGIN KEY"),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + kRandom, std::string("https://me:pw@example.org/x")}) {
    EXPECT_TRUE(is_secret_value(value)) << value;
  }
  for (const char* value : {"aten::mm", "hf_model", "task-force", "https://example.org/a@b:c", "half_precision_kernel",
                            "ampere_sgemm_128x64_nn", "risk-aversion-of-a-long-kernel-name"}) {
    EXPECT_FALSE(is_secret_value(value)) << value;
  }
}

}  // namespace
}  // namespace cgpu
