#include "readers/ncu/report_sections.h"

#include "base/json_text.h"
#include "readers/common/protobuf.h"

namespace cgpu::ncu {

namespace {

/// Numbers of fields, see docs/formats/nsight-compute.md.
struct SectionField {
  enum : uint32_t { name = 1, title = 2, order = 3, head = 4, part = 5, about = 7 };
  enum : uint32_t { shown = 2, metric = 1, label = 2, chart = 1, chart_title = 2 };
};
constexpr int kDeepest = 8;  // messages in each other, down to a metric of a chart

class SectionReader {
 public:
  SectionReader(const std::unordered_set<StringId>& metrics, StringPool& names) : metrics_(metrics), names_(names) {}

  LaunchSection read(std::string_view message) {
    section_.name = text(protobuf_bytes(message, SectionField::name));
    section_.title = text(protobuf_bytes(message, SectionField::title));
    section_.about = text(protobuf_bytes(message, SectionField::about));
    section_.order = protobuf_varint(message, SectionField::order).value_or(0);
    each_protobuf_bytes(protobuf_bytes(message, SectionField::head), SectionField::shown,
                        [&](std::string_view shown) { add(0, shown); });
    each_protobuf_bytes(message, SectionField::part, [&](std::string_view chart) {
      find(text(protobuf_bytes(chart, SectionField::chart_title)), protobuf_bytes(chart, SectionField::chart),
           kDeepest);
    });
    return std::move(section_);
  }

 private:
  StringId text(std::string_view bytes) { return names_.intern(valid_utf8(bytes)); }

  /// Whether the message is a metric that is shown; it was added then.
  bool add(StringId chart, std::string_view message) {
    const StringId metric = names_.find(protobuf_bytes(message, SectionField::metric));
    if (metric == StringPool::absent || !metrics_.contains(metric)) return false;
    section_.metrics.push_back({chart, text(protobuf_bytes(message, SectionField::label)), metric});
    return true;
  }
  /// The metrics of a chart. Each kind of chart has its own messages; in all, a metric's name is beside its label.
  void find(StringId chart, std::string_view message, int deeper) {
    if (deeper == 0 || add(chart, message)) return;
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.is_bytes()) find(chart, field.bytes, deeper - 1);
    }
  }

  const std::unordered_set<StringId>& metrics_;
  StringPool& names_;
  LaunchSection section_;
};

}  // namespace

LaunchSection read_section(std::string_view message, const std::unordered_set<StringId>& metrics, StringPool& names) {
  return SectionReader(metrics, names).read(message);
}

}  // namespace cgpu::ncu
