# cgpu_embed(TARGET): puts the page of the viewer into a library, as src/serve/http/assets.h wants it.
#
# The page is what the target cgpu_web makes in BUILD/web; without that target (no Node.js) it is a page that says so.
# Run as a script (cmake -P), this file writes the source that holds the files:
#   cmake -DFOLDER=folder -DFILES=a,b -DOUTPUT=file.cpp -P embed.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  set(type_html text/html) # and in UTF-8, below
  set(type_js text/javascript)
  set(type_css text/css)
  set(type_svg image/svg+xml)
  set(arrays "")
  set(entries "")
  set(number 0)
  string(REPLACE "," ";" files "${FILES}")
  foreach(file ${files})
    file(READ ${FOLDER}/${file} bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND arrays "constexpr char kFile${number}[] = {${bytes}'\\0'};\n")
    cmake_path(GET file EXTENSION LAST_ONLY ending)
    string(SUBSTRING ${ending} 1 -1 ending)
    set(content "{kFile${number}, sizeof kFile${number} - 1}")
    string(APPEND entries "      {\"/${file}\", \"${type_${ending}}; charset=utf-8\", ${content}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE ${OUTPUT} "// Written by cmake/embed.cmake.
#include \"serve/http/assets.h\"

namespace cgpu {

namespace {
${arrays}}  // namespace

const std::vector<Asset>& all_assets() {
  static const std::vector<Asset> assets = {
${entries}  };
  return assets;
}

}  // namespace cgpu
")
  return()
endif()

set(CGPU_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(cgpu_embed target)
  if(TARGET cgpu_web)
    set(folder ${CMAKE_BINARY_DIR}/web)
    set(files index.html app.js app.css favicon.svg)
  else()
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/serve/placeholder)
    set(files index.html)
  endif()
  list(TRANSFORM files PREPEND ${folder}/ OUTPUT_VARIABLE paths)
  list(JOIN files "," list)
  set(output ${CMAKE_BINARY_DIR}/generated/serve/embedded_assets.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DFILES=${list} -DOUTPUT=${output} -P ${CGPU_EMBED_SCRIPT}
    DEPENDS ${paths} ${CGPU_EMBED_SCRIPT} $<$<TARGET_EXISTS:cgpu_web>:cgpu_web>
    COMMENT "Embedding the viewer's page"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
