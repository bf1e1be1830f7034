// Access control: refuses requests that a foreign web page made a browser send, and requests without the token.
//
// A page of another site can make a browser send requests here, and can make its own host name point here (DNS
// rebinding). The first names a foreign Origin or says so in Sec-Fetch-Site, the second a foreign Host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

class Guard {
 public:
  /// `address`: what the server is bound to. `token`: empty for none.
  Guard(const std::string& address, int port, std::string token);

  /// The Host header of a request, "" where it has none.
  bool allows_host(std::string_view host) const;
  /// The Origin header of a request for `host`, "" where it has none.
  bool allows_origin(std::string_view origin, std::string_view host) const;
  /// What a browser says of where a request comes from: the headers Sec-Fetch-Site, -Mode and -Dest, "" where they are
  /// missing. From elsewhere only a link to the page may be followed.
  static bool allows_site(std::string_view site, std::string_view mode, std::string_view destination, bool is_page);
  /// The headers Authorization and Cookie, "" where they are missing.
  bool allows_token(std::string_view authorization, std::string_view cookies) const;

  bool needs_token() const { return !token_.empty(); }
  bool is_token(std::string_view text) const;
  /// What Set-Cookie has to say, so that the page is allowed from then on.
  std::string cookie() const;

 private:
  std::vector<std::string> hosts_;  // empty: any
  std::string token_;
  std::string cookie_name_;  // with the port: cookies do not tell ports apart
};

/// Whether an address can be reached from this machine only.
bool is_loopback(const std::string& address);
/// Whether it stands for all addresses of this machine.
bool is_any_address(const std::string& address);
/// As written in a URL: "127.0.0.1", "[::1]".
std::string in_url(const std::string& address);

}  // namespace cgpu
