#include "readers/proton/proton.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/demangle.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/parse_number.h"
#include "readers/common/call_tree_builder.h"
#include "readers/common/input.h"
#include "readers/common/json_reader.h"
#include "readers/common/message_pack_text.h"

namespace cgpu::proton {

namespace {

using Token = JsonReader::Token;

constexpr std::string_view kInclusive = " (inc)";

/// What Proton calls a metric, and what it is here.
struct KnownMetric {
  std::string_view name;
  std::string_view shown;
  std::string_view unit;
  double factor;
  std::string_view about;
};
constexpr std::array kKnownMetrics{
    KnownMetric{"time (ns)", "time", "ns", 1, "time of the kernels"},
    KnownMetric{"time (us)", "time", "ns", 1e3, "time of the kernels"},
    KnownMetric{"time (ms)", "time", "ns", 1e6, "time of the kernels"},
    KnownMetric{"time (s)", "time", "ns", 1e9, "time of the kernels"},
    KnownMetric{"count", "count", "", 1, "launches of the kernels"},
    KnownMetric{"bytes", "bytes", "B", 1, "bytes that the kernels read and write, as the program says"},
    KnownMetric{"cycles", "cycles", "", 1, "cycles of the device"},
};

/// The node that is being read: its metrics may follow its children.
struct Node {
  std::string name;
  std::vector<std::pair<std::string, double>> values;
  std::string device_type;
  std::string device;
};

class Reader {
 public:
  Reader(TextSource& source, const std::string& path)
      : source_(source), json_(source), path_(path), run_(new_run(path, "proton")) {}

  Run read() {
    if (json_.next() == Token::begin_array) {
      json_.each_object([&] { read_root(); });
    }
    Notes& notes = run_.notes;
    json_.note_end(notes);
    add_source(source_, run_);
    if (run_.events.samples == 0) {
      throw Error(path_, json_.damage().empty() ? "is a profile of Proton without a metric of any scope or kernel"
                                                : "is a profile of Proton without a metric: " + json_.damage());
    }
    notes.add("skipped_value", left_out_, "lists and texts among the metrics are no numbers, and were left out");
    add_rates();
    run_.call_tree = tree_.finish(places_);
    const auto time = metrics_.find("time");
    run_.call_tree->main_metric = time == metrics_.end() ? 0 : time->second;
    return std::move(run_);
  }

 private:
  /// A tree, or what is known of the devices: {"CUDA": {"0": {"arch": "90", "num_sms": 132, ...}}}.
  void read_root() {
    std::vector<Pending> pending;
    Node node;
    bool is_tree = false;
    json_.each_member([&](std::string_view key) {
      const Token token = json_.next();
      if (read_member(key, token, node, pending)) {
        is_tree = true;
      } else if (token == Token::begin_object) {
        read_devices(std::string(key));
      } else {
        json_.skip();
      }
    });
    if (!is_tree) return;
    // The values of the root are those of the whole program.
    add_values(0, node);
    for (const Pending& child : pending) add(child, 0);
  }

  /// A node whose place in the tree is known once its parent's name is.
  struct Pending {
    Node node;
    std::vector<Pending> children;
  };

  bool read_member(std::string_view key, Token token, Node& node, std::vector<Pending>& children) {
    if (key == "children" && token == Token::begin_array) {
      json_.each_object([&] {
        Pending& made = children.emplace_back();
        json_.each_member([&](std::string_view member) {
          const Token value = json_.next();
          if (!read_member(member, value, made.node, made.children)) json_.skip();
        });
      });
    } else if (key == "frame" && token == Token::begin_object) {
      json_.each_member([&](std::string_view member) {
        if (json_.next() == Token::string && member == "name") {
          node.name = json_.text();
        } else {
          json_.skip();
        }
      });
    } else if (key == "metrics" && token == Token::begin_object) {
      json_.each_member([&](std::string_view metric) { read_metric(metric, json_.next(), node); });
    } else {
      return false;
    }
    return true;
  }

  void read_metric(std::string_view name, Token token, Node& node) {
    if (name == "device_id" || name == "device_type") {
      if (token == Token::string || token == Token::number) {
        (name == "device_id" ? node.device : node.device_type) = json_.text();
      } else {
        json_.skip();
      }
      return;
    }
    const auto value = token == Token::number ? parse_number<double>(json_.text()) : std::nullopt;
    if (value) {
      node.values.emplace_back(name, *value);
      return;
    }
    ++left_out_;
    json_.skip();
  }

  void add(const Pending& pending, NodeIndex parent) {
    const NodeIndex node = tree_.child(parent, place_of(pending.node.name));
    ++run_.events.read;
    add_values(node, pending.node);
    for (const Pending& child : pending.children) add(child, node);
  }

  /// Values are of the node alone, unless their name says that they hold those below it.
  void add_values(NodeIndex node, const Node& from) {
    std::optional<uint32_t> profile;
    for (const auto& [name, value] : from.values) {
      const bool inclusive = name.ends_with(kInclusive);
      const std::string own = inclusive ? name.substr(0, name.size() - kInclusive.size()) : name;
      if (node == 0 && value == 0) continue;  // the root lists its metrics without values
      if (!profile) profile = profile_of(from);
      const auto [metric, factor] = metric_of(own);
      if (inclusive) {
        const bool also_own = std::any_of(from.values.begin(), from.values.end(),
                                          [&own](const auto& other) { return other.first == own; });
        if (also_own) continue;
        tree_.add_inclusive(*profile, metric, node, value * factor);
      } else {
        tree_.add(*profile, metric, node, value * factor);
      }
    }
    if (node == 0) return;
    ++(profile ? run_.events.samples : run_.events.metadata);
  }

  /// Kernels are of a device; scopes with metrics of their own are of the host.
  uint32_t profile_of(const Node& node) {
    const std::string name = node.device.empty() ? "" : valid_utf8(node.device_type + " " + node.device);
    const auto [at, added] = profiles_.try_emplace(name, 0);
    if (added) {
      CallProfile profile;
      profile.name = name.empty() ? "scopes" : name;
      profile.device = !name.empty();
      at->second = tree_.add_profile(std::move(profile));
    }
    return at->second;
  }

  std::pair<MetricIndex, double> metric_of(const std::string& name) {
    const auto known = std::find_if(kKnownMetrics.begin(), kKnownMetrics.end(),
                                    [&](const KnownMetric& one) { return one.name == name; });
    const bool is_known = known != kKnownMetrics.end();
    const std::string shown = is_known ? std::string(known->shown) : valid_utf8(name);
    const auto [at, added] = metrics_.try_emplace(shown, 0);
    if (added) {
      Metric metric;
      metric.name = shown;
      if (is_known) {
        metric.unit = known->unit;
        metric.about = known->about;
      } else if (shown.starts_with("flops")) {
        metric.about = "operations of the kernels, as the program says";
      } else {
        metric.about = "a metric of the program, as Proton recorded it";
      }
      constexpr std::string_view kStall = "stalled_";
      if (shown.starts_with(kStall)) metric.stall_reason = shown.substr(kStall.size());
      at->second = tree_.add_metric(std::move(metric));
    }
    return {at->second, is_known ? known->factor : 1.0};
  }

  /// The coordinates of a roofline: operations and bytes a second, and operations a byte.
  void add_rates() {
    constexpr double kSecondsOfNs = 1e-9;
    const auto time = metrics_.find("time");
    const auto bytes = metrics_.find("bytes");
    std::vector<Metric> rates;
    for (const auto& [name, metric] : metrics_) {
      const bool is_bytes = name == "bytes";
      if (!is_bytes && !name.starts_with("flops")) continue;
      if (time != metrics_.end()) {
        rates.push_back(quotient(name + "/s", is_bytes ? "B/s" : "", metric, time->second, kSecondsOfNs));
        rates.back().about = is_bytes ? "bytes a second of kernel time" : "operations a second of kernel time";
      }
      if (!is_bytes && bytes != metrics_.end()) {
        rates.push_back(quotient(name + "/byte", "", metric, bytes->second, 1));
        rates.back().about = "operations a byte: arithmetic intensity";
      }
    }
    for (Metric& rate : rates) tree_.add_metric(std::move(rate));
  }

  /// A metric over `factor` times another one.
  static Metric quotient(const std::string& name, const std::string& unit, MetricIndex of, MetricIndex by,
                         double factor) {
    Metric rate;
    rate.name = name;
    rate.unit = unit;
    rate.additive = false;
    rate.parts = {of, by};
    rate.formula.push_operand(0);
    rate.formula.push_operand(1);
    rate.formula.push_constant(factor);
    rate.formula.push(Formula::Op::product, 2);
    rate.formula.push(Formula::Op::divide, 2);
    return rate;
  }

  uint32_t place_of(const std::string& name) {
    const auto [at, added] = place_of_name_.try_emplace(name, static_cast<uint32_t>(places_.size()));
    if (added) {
      CallPlace place;
      set_place(name, place);
      places_.push_back(place);
    }
    return at->second;
  }

  /// Kernels are mangled; frames of Python are "/path/file.py:12@function" or "file.py:function".
  void set_place(const std::string& name, CallPlace& place) {
    const size_t at = name.rfind('@');
    const size_t colon = at == std::string::npos ? at : name.rfind(':', at);
    if (colon != std::string::npos) {
      const auto line = parse_number<uint32_t>(std::string_view(name).substr(colon + 1, at - colon - 1));
      if (line) {
        place.name = tree_.names().intern(valid_utf8(name.substr(at + 1)));
        place.file = tree_.names().intern(valid_utf8(name.substr(0, colon)));
        place.line = *line;
        return;
      }
    }
    place.name = tree_.names().intern(valid_utf8(demangle(name)));
  }

  void read_devices(const std::string& type) {
    json_.each_member([&](std::string_view number) {
      Device device;
      device.vendor = type == "CUDA" ? "NVIDIA" : type == "HIP" ? "AMD" : "";
      const bool numbered = std::from_chars(number.data(), number.data() + number.size(), device.id).ec == std::errc();
      if (json_.next() != Token::begin_object) return json_.skip();
      json_.each_member([&](std::string_view key) { read_device_fact(key, json_.next(), device); });
      if (numbered && device.id >= 0) run_.devices.push_back(std::move(device));
    });
  }

  void read_device_fact(std::string_view key, Token token, Device& device) {
    if (token != Token::string && token != Token::number) return json_.skip();
    const std::string_view text = json_.text();
    if (key == "num_sms") device.sm_count = parse_number(text);
    if (key != "arch") return;
    const auto digits = parse_number(text);  // 90: 9.0
    if (digits && *digits >= 10) {
      device.compute_capability = std::to_string(*digits / 10) + "." + std::to_string(*digits % 10);
    } else {
      device.name = valid_utf8(text);  // "gfx942"
    }
  }

  TextSource& source_;
  JsonReader json_;
  const std::string& path_;
  Run run_;
  CallTreeBuilder tree_;
  std::map<std::string, MetricIndex> metrics_;
  std::map<std::string, uint32_t> profiles_;
  std::vector<CallPlace> places_;
  std::unordered_map<std::string, uint32_t> place_of_name_;
  int64_t left_out_ = 0;
};

/// The beginning of a node of Hatchet's literal form: [{"children": [{... with a frame and metrics further in.
bool is_literal(std::string_view head) {
  const auto take = [&](std::string_view token) { return take_json(head, token); };
  const std::string_view whole = head;
  if (!take("[") || !take("{")) return false;
  const bool node = take("\"children\"") || take("\"frame\"") || take("\"metrics\"");
  const auto has = [&](std::string_view key) { return whole.find(key) != std::string_view::npos; };
  return node && take(":") && has("\"frame\"") && has("\"metrics\"");
}

/// The same as MessagePack: an array with a map in front, whose keys are those of a node.
bool is_packed(std::string_view head) {
  constexpr uint8_t kMap = 0x80;
  constexpr uint8_t kArray = 0x90;
  const auto is_short = [](char byte, uint8_t kind) { return (static_cast<uint8_t>(byte) & 0xf0) == kind; };
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return head.size() > 2 && is_short(head[0], kArray) && is_short(head[1], kMap) &&
         has("\xa8"
             "children") &&
         has("\xa5"
             "frame") &&
         has("\xa7"
             "metrics");
}

}  // namespace

bool is_profile(const Input& input) {
  return input.source && (is_literal(input.head) || is_packed(input.head));
}

Run read_profile(const Input& input, const ReadOptions&) {
  if (!is_packed(input.head)) return Reader(*input.source, input.path).read();
  MessagePackText json(*input.source);
  return Reader(json, input.path).read();
}

}  // namespace cgpu::proton
