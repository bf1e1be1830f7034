#include "base/credentials.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/test_sanitized.h"

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

TEST(Credentials, WhatAKeyThatNamesASecretMayHoldOpenly) {
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{{"token", "4"},
                                                                                   {"pad_token", "<pad>"},
                                                                                   {"cls_token", "[CLS]"},
                                                                                   {"use_auth_token", ""},
                                                                                   {"cookie", "0x1f2e"},
                                                                                   {"next_token", "true"},
                                                                                   {"password", "None"},
                                                                                   {"secret", "[hidden]"},
                                                                                   {"stream", "hunter2"}}) {
    EXPECT_FALSE(is_secret_value_of(key, value)) << key;
  }
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
           {"token", "x"}, {"password", "12"}, {"env", "prod"}, {"api_key", "12345678"}, {"sessionToken", "abc"}}) {
    EXPECT_TRUE(is_secret_value_of(key, value)) << key;
  }
}

TEST(Credentials, AreHiddenInsideLongerTexts) {
  const std::string token = "hf_" + kRandom;
  const std::string web_token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + kRandom;
  const std::vector<std::array<std::string, 2>> cases{
      {"login with " + token + " now", "login with [hidden] now"},
      {token + "," + token, "[hidden],[hidden]"},
      {"x " + web_token + ";", "x [hidden];"},
      {"train.py --token=hunter2hunter2 --lr 1", "train.py --token=[hidden] --lr 1"},
      {"train.py --token hunter2 --lr 1", "train.py --token [hidden] --lr 1"},
      {"mysql --password=1 -u me", "mysql --password=[hidden] -u me"},
      {"A=1 WANDB_API_KEY=0123456789abcdef B=2", "A=1 WANDB_API_KEY=[hidden] B=2"},
      {"export DB_PASSWORD='a b' C=1", "export DB_PASSWORD='[hidden]' C=1"},
      {"password => hunter2", "password => [hidden]"},
      {"GET /?access_token=abcdefgh12 HTTP/1.1", "GET /?access_token=[hidden] HTTP/1.1"},
      {"Authorization: Bearer abc.def/ghi12", "Authorization: Bearer [hidden]"},
      {"authorization: Basic dXNlcjpw", "authorization: Basic [hidden]"},
      {"curl -H 'x: bearer 0123456789'", "curl -H 'x: bearer [hidden]'"},
      {"clone https://me:pw@example.org/x y", "clone https://me:[hidden]@example.org/x y"},
      {R"({"a": 1, "password": "hunter2", "b": 2})", R"({"a": 1, "password": "[hidden]", "b": 2})"},
      {R"({"password":"a\"b","b":2})", R"({"password":"[hidden]","b":2})"},
      {R"({"password": 1234, "b": 2})", R"({"password": "[hidden]", "b": 2})"},
      {R"({"json": "{\"api_key\": \"abc\", \"b\": 2}"})", R"({"json": "{\"api_key\": \"[hidden]\", \"b\": 2}"})"},
      {R"({"env": {"HOME": "/home/me", "A": ["x"]}, "b": 2})", R"({"env": "[hidden]", "b": 2})"},
      {R"(["run", "--token", "hunter2", "--lr", "1"])", R"(["run", "--token", "[hidden]", "--lr", "1"])"},
      {"{'secret_key': 'abc', 'b': 2}", "{'secret_key': '[hidden]', 'b': 2}"},
      {"-----BEGIN KEY-----\nabc\n-----END KEY----- tail", "[hidden] tail"},
      {R"({"k": "-----BEGIN KEY-----abc", "b": 2})", R"({"k": "[hidden]", "b": 2})"},
  };
  for (const auto& [text, expected] : cases) {
    std::string shown;
    EXPECT_GT(hide_secrets(text, shown), 0U) << text;
    EXPECT_EQ(shown, expected);
    EXPECT_TRUE(is_secret_value(text)) << text;
    std::string again;
    EXPECT_EQ(hide_secrets(shown, again), 0U) << "hidden twice: " << shown << " as " << again;
  }
}

/// "hunter" is a part of each secret.
TEST(Credentials, NoFormOfASecretIsShown) {
  for (const std::string& text : std::vector<std::string>{
           "SSH_PRIVATE_KEY=-----BEGIN RSA PRIVATE KEY-----\nhunter\n-----END RSA PRIVATE KEY-----",
           "--private-key -----BEGIN PRIVATE KEY-----\\nhunter\\nmore\\n-----END PRIVATE KEY-----",
           "PASSWORD=abc;Authorization: Basic hunter",
           "API_KEY=abcdefgh;Authorization: Basic hunter",
           "Authorization: hunter",
           "authorization: Custom hunter",
           "Cookie: session=hunter; theme=dark",
           "x-api-key: hunter",
           "token=hunter",
           "HF_TOKEN=hunter",
           "api_key=hunter",
           "access_token=hunter&user=me",
           "-password hunter",
           "--password correct hunter battery",
           "PASSWORD=correct horse hunter",
           "PASSWORD=a\\ hunter",
           "password: correct hunter",
           "https://me:a/hunter@example.org/x",
           "https://me:a#hunter@example.org/x",
           "https://me:a?hunter@example.org/x",
           "https://me:a@hunter@example.org/x",
           "postgres://me:hunter@localhost/db",
           "https://hunter@example.org/repo.git",
           "MYSQL_PWD=hunter mysql",
           "DB_PASS=hunter",
           "SMTP_PASS=hunter",
           "dbPwd=hunter",
           "Server=a;UID=me;PWD=hunter;Database=b",
           "Driver={x};PWD={a hunter};Database=b",
           "Server=a;Password=a b hunter;Database=b",
           "Password=a hunter;Server=a",
           "https://a.blob.core.windows.net/b?sv=1&se=2&sig=hunter%3D",
           "https://hooks.slack.com/services/T0/B0/hunter",
           "https://discord.com/api/webhooks/12/hunter",
           "https://discordapp.com/api/v10/webhooks/12/hunter",
           "https://api.telegram.org/bot12:hunter/send",
           "sk_live_hunter0123456789",
           "use SG.hunter0123456789.abcdefgh now",
           "hvs.hunter0123456789",
           "gsk_hunter01234567890123",
           "glpat-hunter0123456789",
           "xoxs-hunter0123456789",
           "dckr_pat_hunter0123456789",
           "ENCRYPTION_KEY=hunter",
           "OPENAI_KEY=hunter",
           "signing_key=hunter",
           "curl -u me:hunter https://example.org",
           "curl -ume:hunter https://example.org",
           "curl --user me:hunter https://example.org",
           R"(["curl", "-u", "me:hunter"])",
           "mysql -h db -u me -phunter base",
           "mysqldump -uroot -p'a hunter' base",
           "sshpass -p hunter ssh me@host",
           "sshpass -phunter ssh me@host",
           "sshpass -p 'a hunter' ssh me@host",
           R"(["sshpass", "-p", "hunter", "ssh"])",
           "docker login -u me -p hunter",
           "redis-cli -h db -a hunter",
           "openssl rsa -passin pass:hunter",
           "machine example.org login me password hunter",
           R"({"name": "DB_PASSWORD", "value": "hunter"})",
           R"({"value":"hunter","name":"DB_PASSWORD"})",
           R"({"json": "{\"name\": \"DB_PASSWORD\", \"value\": \"hunter\"}"})",
           "{'key': 'api_key', 'value': 'hunter'}",
           "- name: DB_PASSWORD\n  value: hunter\n",
           R"(<add key="DbPassword" value="hunter"/>)",
           "<password>hunter</password>",
           "Bearer hunter1",
           "log\\nglpat-hunter0123456789",
       }) {
    std::string shown;
    EXPECT_GT(hide_secrets(text, shown), 0U) << text;
    EXPECT_EQ(shown.find("hunter"), std::string::npos) << text << " as " << shown;
    std::string again;
    EXPECT_EQ(hide_secrets(shown, again), 0U) << "hidden twice: " << shown << " as " << again;
  }
}

TEST(Credentials, WhatProgramsCallTheirThingsStays) {
  for (const char* text : {"sm__pass_token",
                           "sampler(token=4, key=value)",
                           "shape: key=value",
                           "void f<Token>(Token::Kind)",
                           "[with Token = acme::longer_name_of_a_type; int N = 4]",
                           "tokenizer.py(12): get_token",
                           "token: 17",
                           "hf_transformers_attention_kernel",
                           "npm_matrix_multiply_of_many_things",
                           "max_tokens=4096",
                           "eos_token=</s>",
                           "cookie=0xffff8881",
                           R"({"pad_token": "<pad>", "token": 12, "password": null})",
                           "secret.py: forward",
                           "--token-classification --use_fast",
                           "--use_auth_token True",
                           "the bearer of news",
                           "password == other",
                           "nn.Module: Authorization_0",
                           "std::get_credentials()",
                           "https://example.org:8080/a@b",
                           "PWD=/home/me",
                           "num_keys=5",
                           "key_cache",
                           "KEY=query",
                           "token_count=3",
                           "tokens=1024",
                           "sort_key=name",
                           "key=value",
                           "num_tokens: 17",
                           "void reshape_and_cache_kernel<float>(float const*, float*, int)",
                           "Memcpy HtoD (Pageable -> Device)",
                           "ProfilerStep#12",
                           "autograd::engine::evaluate_function: AddmmBackward0",
                           "torch/nn/modules/module.py(1527): _call_impl",
                           "[with Token = int; int N = 4]",
                           "backward_pass=3",
                           "forward_pass: dense",
                           "python -u train.py",
                           "docker run -u 1000:1000 image",
                           "ssh -p 22 host",
                           "mysql -P3306",
                           "ssh://git@example.org/repo.git",
                           "https://git@example.org/repo.git",
                           "significant=3&design=4",
                           "ops_that_have_quite_a_long_name_here",
                           R"({"name": "aten::mm", "value": "1"})",
                           R"({"name": "PATH", "value": "/usr/bin"})",
                           "a:b:c=d",
                           "=",
                           ":",
                           "--",
                           "://",
                           "--token",
                           "password=",
                           "secret:",
                           "\"password\":"}) {
    std::string shown;
    EXPECT_EQ(hide_secrets(text, shown), 0U) << text << " as " << shown;
  }
}

TEST(Credentials, OfCodeOnlyLiteralsAreHidden) {
  std::string shown;
  EXPECT_EQ(
      hide_secrets_in_code("std::string token = next_token(input);\nenv = {1};\nf(password=other_password)\n", shown),
      0U);
  EXPECT_EQ(
      hide_secrets_in_code("a\nconst char* api_key = \"abc\";\nkey = \"-----BEGIN K\nx\n-----END K-----\"\nb", shown),
      2U);
  EXPECT_EQ(shown, "a\nconst char* api_key = \"[hidden]\";\nkey = \"[hidden]\n\n\"\nb");
}

TEST(Credentials, AreFoundInLinearTime) {
  for (const char* part :
       {"password=\"", "--token \"", "://", "-----BEGIN", "env={", "a:b@", "eyJ.", "token=1 ", "x", "://a:b", "token=1",
        "password=a ", "mysql ", "name=password ", "-----BEGIN\"", ";pwd=", "password=\\"}) {
    std::string text;
    while (text.size() < size_t{4} << (kSanitized ? 16 : 20)) text += part;
    std::string shown;
    hide_secrets(text, shown);  // minutes, where the rest is looked at for each
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
