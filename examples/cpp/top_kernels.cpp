// top_kernels PROFILE [CONDITION]: the ten kernels that took most of the device's time, of those that meet a condition.
//
//   top_kernels trace.json.gz 'class = gemm and count > 10'
#include <cgpu/base/error.h>
#include <cgpu/session/opened_profile.h>
#include <cgpu/table/text.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: top_kernels PROFILE [CONDITION]\n";
    return 2;
  }
  try {
    const cgpu::OpenedProfile profile({.inputs = {argv[1]}});
    cgpu::RowChoice choice = {.sort = "total_ns", .top = 10};
    if (argc > 2) choice.where = cgpu::Filter::parse(argv[2]);
    const cgpu::Table kernels = profile.table("kernels", {}, choice);

    std::cout << cgpu::render_text(kernels, {.width = 100});  // as people read it

    const size_t total = kernels.column("total_ns");  // and as a program does: exact nanoseconds
    int64_t sum = 0;
    for (const cgpu::RowView row : kernels.rows()) sum += std::get<int64_t>(row[total]);
    std::cout << "sum of total_ns: " << sum << "\n";
  } catch (const cgpu::Error& error) {
    std::cerr << "top_kernels: " << error.what() << "\n";  // one line that says what to do
    return 2;
  }
}
