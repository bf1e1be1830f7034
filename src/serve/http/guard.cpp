#include "serve/http/guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace cgpu {

namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// In a time that does not tell where they differ.
bool equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

}  // namespace

std::string in_url(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

bool is_any_address(const std::string& address) {
  return address == "0.0.0.0" || address == "::" || address.empty();
}

bool is_loopback(const std::string& address) {
  in_addr v4{};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  if (::inet_pton(AF_INET6, address.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return address == "localhost";
}

Guard::Guard(const std::string& address, int port, std::string token)
    : token_(std::move(token)), cookie_name_(fmt::format("cgpu_{}", port)) {
  if (is_any_address(address)) return;  // reachable under names that only its users know; the token guards it
  for (const std::string& name :
       {in_url(address), std::string("localhost"), std::string("127.0.0.1"), std::string("[::1]")}) {
    hosts_.push_back(fmt::format("{}:{}", name, port));
    if (port == 80) hosts_.push_back(name);
  }
}

bool Guard::allows_host(std::string_view host) const {
  if (hosts_.empty()) return !host.empty();
  return std::any_of(hosts_.begin(), hosts_.end(),
                     [&](const std::string& known) { return equal_ignoring_case(known, host); });
}

bool Guard::allows_origin(std::string_view origin, std::string_view host) const {
  constexpr std::string_view kScheme = "http://";
  if (origin.empty()) return true;
  return origin.starts_with(kScheme) && equal_ignoring_case(origin.substr(kScheme.size()), host);
}

bool Guard::allows_site(std::string_view site, std::string_view mode, std::string_view destination, bool is_page) {
  if (site.empty() || site == "same-origin" || site == "none") return true;
  return is_page && mode == "navigate" && destination == "document";
}

bool Guard::is_token(std::string_view text) const {
  return equal_secrets(text, token_);
}

bool Guard::allows_token(std::string_view authorization, std::string_view cookies) const {
  if (token_.empty()) return true;
  constexpr std::string_view kBearer = "Bearer ";
  if (authorization.starts_with(kBearer)) return is_token(authorization.substr(kBearer.size()));
  while (!cookies.empty()) {
    const size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view cookie = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (cookie.starts_with(' ')) cookie.remove_prefix(1);
    if (cookie.starts_with(cookie_name_) && cookie.substr(cookie_name_.size()).starts_with('=') &&
        is_token(cookie.substr(cookie_name_.size() + 1))) {
      return true;
    }
  }
  return false;
}

std::string Guard::cookie() const {
  return fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name_, token_);
}

}  // namespace cgpu
