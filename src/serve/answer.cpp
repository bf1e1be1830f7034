#include "serve/answer.h"

#include "serve/json_text_writer.h"

namespace cgpu {

Answer error_answer(int status, std::string_view message) {
  JsonTextWriter json;
  json.begin_object().member("error", message).end_object();
  Answer answer;
  answer.status = status;
  answer.body = std::move(json).text();
  return answer;
}

}  // namespace cgpu
