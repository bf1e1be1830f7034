#include "base/rust_symbol.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/ascii.h"

namespace cgpu {

namespace {

constexpr size_t kMaxLength = 1 << 16;
constexpr int kMaxDepth = 200;

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

std::string_view basic_type(char code) {
  switch (code) {
    case 'a':
      return "i8";
    case 'b':
      return "bool";
    case 'c':
      return "char";
    case 'd':
      return "f64";
    case 'e':
      return "str";
    case 'f':
      return "f32";
    case 'h':
      return "u8";
    case 'i':
      return "isize";
    case 'j':
      return "usize";
    case 'l':
      return "i32";
    case 'm':
      return "u32";
    case 'n':
      return "i128";
    case 'o':
      return "u128";
    case 'p':
      return "_";
    case 's':
      return "i16";
    case 't':
      return "u16";
    case 'u':
      return "()";
    case 'v':
      return "...";
    case 'x':
      return "i64";
    case 'y':
      return "u64";
    case 'z':
      return "!";
    default:
      return "";
  }
}

/// Recursive descent; each function reads one production of the grammar and writes it. After `fail` nothing more is
/// read or written.
class RustDemangler {
 public:
  explicit RustDemangler(std::string_view text) : text_(text) {}

  std::optional<std::string> run() {
    path(true);
    if (!failed_ && at_ < text_.size() && text_[at_] != '.') {  // the crate that asked for the instance
      silent_ = true;
      path(false);
    }
    if (failed_ || (at_ < text_.size() && text_[at_] != '.')) return std::nullopt;
    return std::move(out_);
  }

 private:
  struct Identifier {
    uint64_t disambiguator = 0;
    std::string_view name;
    bool punycode = false;
  };

  /// Counts the levels of nesting.
  class Level {
   public:
    explicit Level(RustDemangler& of) : of_(of) {
      if (++of_.depth_ > kMaxDepth) of_.fail();
    }
    ~Level() { --of_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    RustDemangler& of_;
  };

  void fail() { failed_ = true; }
  char peek() const { return at_ < text_.size() && !failed_ ? text_[at_] : '\0'; }
  char next() {
    const char c = peek();
    if (c == '\0') fail();
    ++at_;
    return c;
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void write(std::string_view text) {
    if (silent_ || failed_) return;
    if (out_.size() + text.size() > kMaxLength) return fail();
    out_ += text;
  }

  /// A number of base 62 that ends with '_': "_" is 0, "0_" is 1, ...
  uint64_t base_62() {
    if (accept('_')) return 0;
    uint64_t value = 0;
    for (;;) {
      const char c = next();
      if (failed_) return 0;
      if (c == '_') break;
      uint64_t digit = 0;
      if (is_digit(c)) {
        digit = static_cast<uint64_t>(c - '0');
      } else if (c >= 'a' && c <= 'z') {
        digit = static_cast<uint64_t>(c - 'a') + 10;
      } else if (is_upper(c)) {
        digit = static_cast<uint64_t>(c - 'A') + 36;
      } else {
        fail();
        return 0;
      }
      if (value > (UINT64_MAX - digit) / 62 - 1) {
        fail();
        return 0;
      }
      value = value * 62 + digit;
    }
    return value + 1;
  }

  uint64_t optional_base_62(char tag) { return accept(tag) ? base_62() + 1 : 0; }

  Identifier identifier() {
    Identifier id;
    id.disambiguator = optional_base_62('s');
    id.punycode = accept('u');
    size_t length = 0;
    if (!is_digit(peek())) fail();
    if (!accept('0')) {  // a number does not go on behind a leading 0
      while (is_digit(peek()) && length <= text_.size()) length = length * 10 + static_cast<size_t>(next() - '0');
    }
    accept('_');
    if (failed_ || length > text_.size() - std::min(at_, text_.size())) {
      fail();
      return id;
    }
    id.name = text_.substr(at_, length);
    at_ += length;
    return id;
  }

  void write(const Identifier& id) {
    if (id.punycode) write("punycode{");
    write(id.name);
    if (id.punycode) write("}");
  }

  /// Reads at an earlier place of the symbol what `read` reads, and comes back.
  template <typename Read>
  void back_reference(size_t tag_at, Read read) {
    const uint64_t target = base_62();
    if (failed_ || target >= tag_at) return fail();
    if (silent_) return;
    const size_t behind = std::exchange(at_, static_cast<size_t>(target));
    read();
    at_ = behind;
  }

  void path(bool in_value) {
    const Level level(*this);
    const size_t tag_at = at_;
    switch (next()) {
      case 'C':
        return write(identifier());
      case 'N': {
        const char space = next();
        path(in_value);
        const Identifier id = identifier();
        if (is_upper(space)) {
          write("::{");
          write(space == 'C'   ? std::string_view("closure")
                : space == 'S' ? std::string_view("shim")
                               : std::string_view(&space, 1));
          if (!id.name.empty()) write(":");
          write(id);
          write("#" + std::to_string(id.disambiguator) + "}");
        } else if (!id.name.empty()) {
          write("::");
          write(id);
        }
        return;
      }
      case 'M':
      case 'X': {
        optional_base_62('s');
        const bool was_silent = std::exchange(silent_, true);
        path(false);
        silent_ = was_silent;
        return qualified(text_[tag_at] == 'X');
      }
      case 'Y':
        return qualified(true);
      case 'I':
        path(in_value);
        write(in_value ? "::<" : "<");
        list([&] { generic_argument(); });
        return write(">");
      case 'B':
        return back_reference(tag_at, [&] { path(in_value); });
      default:
        fail();
    }
  }

  /// <type>, or <type as trait>
  void qualified(bool has_trait) {
    write("<");
    type();
    if (has_trait) {
      write(" as ");
      path(false);
    }
    write(">");
  }

  /// Items up to an 'E', with commas between them; gives their number.
  template <typename Item>
  size_t list(Item item, std::string_view separator = ", ") {
    size_t count = 0;
    for (; !failed_ && !accept('E'); ++count) {
      if (count > 0) write(separator);
      item();
    }
    return count;
  }

  void generic_argument() {
    if (accept('L')) return lifetime(base_62());
    if (accept('K')) return constant();
    type();
  }

  void lifetime(uint64_t index) {
    if (index == 0) return write("'_");
    if (index > bound_lifetimes_) return fail();
    const uint64_t depth = bound_lifetimes_ - index;
    write("'");
    if (depth < 26) {
      const char letter = static_cast<char>('a' + depth);
      write(std::string_view(&letter, 1));
    } else {
      write("_" + std::to_string(depth));
    }
  }

  /// for<'a, 'b> ... around what `read` reads.
  template <typename Read>
  void binder(Read read) {
    const uint64_t count = optional_base_62('G');
    const uint64_t before = bound_lifetimes_;
    if (count > kMaxLength) return fail();
    if (count > 0) {
      write("for<");
      for (uint64_t i = 0; i < count && !failed_; ++i) {
        if (i > 0) write(", ");
        ++bound_lifetimes_;
        lifetime(1);
      }
      write("> ");
    }
    read();
    bound_lifetimes_ = before;
  }

  void type() {
    const Level level(*this);
    const size_t tag_at = at_;
    const char tag = next();
    if (failed_) return;
    if (const std::string_view basic = basic_type(tag); !basic.empty()) return write(basic);
    switch (tag) {
      case 'R':
      case 'Q':
        write("&");
        if (accept('L')) {
          if (const uint64_t index = base_62(); index != 0) {
            lifetime(index);
            write(" ");
          }
        }
        if (tag == 'Q') write("mut ");
        return type();
      case 'P':
        write("*const ");
        return type();
      case 'O':
        write("*mut ");
        return type();
      case 'A':
      case 'S':
        write("[");
        type();
        if (tag == 'A') {
          write("; ");
          constant();
        }
        return write("]");
      case 'T': {
        write("(");
        const size_t count = list([&] { type(); });
        return write(count == 1 ? ",)" : ")");
      }
      case 'F':
        return binder([&] { function_type(); });
      case 'D': {
        write("dyn ");
        binder([&] { list([&] { dynamic_trait(); }, " + "); });
        if (!accept('L')) return fail();
        if (const uint64_t index = base_62(); index != 0) {
          write(" + ");
          lifetime(index);
        }
        return;
      }
      case 'B':
        return back_reference(tag_at, [&] { type(); });
      default:
        at_ = tag_at;
        path(false);
    }
  }

  void function_type() {
    if (accept('U')) write("unsafe ");
    if (accept('K')) {
      write("extern \"");
      if (accept('C')) {
        write("C");
      } else {
        std::string abi(identifier().name);
        std::replace(abi.begin(), abi.end(), '_', '-');
        write(abi);
      }
      write("\" ");
    }
    write("fn(");
    list([&] { type(); });
    write(")");
    if (accept('u')) return;  // nothing is returned
    write(" -> ");
    type();
  }

  /// Trait<A, B, Name = Type>
  void dynamic_trait() {
    const bool open = trait_path();
    bool first = !open;
    while (accept('p')) {
      write(first ? "<" : ", ");
      first = false;
      write(identifier());
      write(" = ");
      type();
    }
    if (open || !first) write(">");
  }

  /// A path whose list of generic arguments is left open; whether there is one.
  bool trait_path() {
    const Level level(*this);
    const size_t tag_at = at_;
    bool open = false;
    if (accept('B')) {
      back_reference(tag_at, [&] { open = trait_path(); });
    } else if (accept('I')) {
      path(false);
      write("<");
      list([&] { generic_argument(); });
      open = true;
    } else {
      path(false);
    }
    return open;
  }

  void constant() {
    const Level level(*this);
    const size_t tag_at = at_;
    const char tag = next();
    if (tag == 'p') return write("_");
    if (tag == 'B') return back_reference(tag_at, [&] { constant(); });
    constexpr std::string_view kIntegers = "ahilmnostxyjbc";
    if (failed_ || kIntegers.find(tag) == std::string_view::npos) return fail();
    const bool negative = accept('n');
    const size_t from = at_;
    while (is_hex_digit(peek())) ++at_;
    const std::string_view digits = text_.substr(from, at_ - from);
    if (!accept('_')) return fail();
    uint64_t value = 0;
    for (const char c : digits) value = value * 16 + static_cast<uint64_t>(is_digit(c) ? c - '0' : c - 'a' + 10);
    if (tag == 'b') return write(value == 0 ? "false" : "true");
    if (tag == 'c')
      return write(value >= 32 && value < 127 ? "'" + std::string(1, static_cast<char>(value)) + "'"
                                              : "'\\u{" + std::string(digits) + "}'");
    if (negative) write("-");
    write(digits.size() > 16 ? "0x" + std::string(digits) : std::to_string(value));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
  bool failed_ = false;
  bool silent_ = false;
  int depth_ = 0;
  uint64_t bound_lifetimes_ = 0;
};

}  // namespace

std::optional<std::string> demangle_rust(std::string_view symbol) {
  if (!symbol.starts_with("_R") || symbol.size() < 3 || !is_upper(symbol[2])) return std::nullopt;
  return RustDemangler(symbol.substr(2)).run();
}

std::string clean_old_rust_name(std::string name) {
  constexpr std::string_view kHash = "::h";
  constexpr size_t kHashDigits = 16;
  const size_t hash = name.size() < kHash.size() + kHashDigits ? std::string::npos : name.size() - kHashDigits;
  if (hash == std::string::npos || name.compare(hash - kHash.size(), kHash.size(), kHash) != 0 ||
      !std::all_of(name.begin() + static_cast<std::ptrdiff_t>(hash), name.end(), is_hex_digit)) {
    return name;
  }
  name.resize(hash - kHash.size());
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEscapes{
      {{"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"}, {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}}};
  std::string clean;
  for (size_t i = 0; i < name.size(); ++i) {
    const size_t end = name[i] == '$' ? name.find('$', i + 1) : std::string::npos;
    if (end != std::string::npos) {
      const std::string_view code = std::string_view(name).substr(i + 1, end - i - 1);
      const auto known = std::find_if(kEscapes.begin(), kEscapes.end(), [&](const auto& e) { return e.first == code; });
      if (known != kEscapes.end()) {
        clean += known->second;
        i = end;
        continue;
      }
      if (code.size() == 3 && code[0] == 'u' && is_hex_digit(code[1]) && is_hex_digit(code[2])) {
        clean += static_cast<char>(std::stoi(std::string(code.substr(1)), nullptr, 16));
        i = end;
        continue;
      }
    }
    const bool begins_part = clean.empty() || clean.ends_with("::");
    if (name[i] == '_' && begins_part && i + 1 < name.size() && name[i + 1] == '$') continue;
    if (name[i] == '.' && i + 1 < name.size() && name[i + 1] == '.') {
      clean += "::";
      ++i;
      continue;
    }
    clean += name[i];
  }
  return clean;
}

}  // namespace cgpu
