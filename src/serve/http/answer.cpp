#include "serve/http/answer.h"

#include <utility>

#include "table/json_text_writer.h"

namespace cgpu {

Answer json_answer(std::string body) {
  Answer answer;
  answer.body = std::move(body);
  return answer;
}

Answer error_answer(int status, std::string_view message) {
  JsonTextWriter json;
  json.begin_object().member("error", message).end_object();
  Answer answer = json_answer(std::move(json).text());
  answer.status = status;
  return answer;
}

}  // namespace cgpu
