# The C++ runtime of the engine, from the sources that come with the compiler (CGPU_WEB_CACHE/zig): target web_runtime. Its own build
# for WebAssembly has no exceptions, no threads and no file system.
set(zig ${CGPU_WEB_CACHE}/zig/lib)
file(GLOB libcxx ${zig}/libcxx/src/*.cpp ${zig}/libcxx/src/filesystem/*.cpp ${zig}/libcxx/src/ryu/*.cpp)
list(FILTER libcxx EXCLUDE REGEX "/(strstream|std_stream|random_shuffle)\\.cpp$")
file(GLOB libcxxabi ${zig}/libcxxabi/src/*.cpp)
list(FILTER libcxxabi EXCLUDE REGEX "/(cxa_noexception|stdlib_new_delete|cxa_demangle)\\.cpp$")

# Names of C++ functions are to be written as GCC's library writes them, which the program has.
file(READ ${zig}/libcxxabi/src/demangle/ItaniumDemangle.h demangler)
function(replace_once old new)
  string(FIND "${demangler}" "${old}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "ItaniumDemangle.h has changed: ${old}")
  endif()
  string(REPLACE "${old}" "${new}" demangler "${demangler}")
  set(demangler "${demangler}" PARENT_SCOPE)
endfunction()
replace_once("    Params.printWithComma(OB);
    OB += \">\";
    // Don't" "    Params.printWithComma(OB);
    if (OB.back() == '>') OB += ' ';
    OB += \">\";
    // Don't")
set(print_number "
    unsigned long long Number = 1;
    if (!Count.empty()) {
      Number = 0;
      for (char Digit : Count) Number = Number * 10 + (Digit - '0');
      Number += 2;
    }
    OB << Number;
    OB += \"}\";")
replace_once("    OB += \"\\'lambda\";
    OB += Count;
    OB += \"\\'\";
    printDeclarator(OB);" "    OB += \"{lambda\";
    printDeclarator(OB);
    OB += \"#\";${print_number}")
replace_once("    OB += \"'unnamed\";
    OB += Count;
    OB += \"\\'\";" "    OB += \"{unnamed type#\";${print_number}")
file(COPY ${zig}/libcxxabi/src/demangle DESTINATION ${CMAKE_BINARY_DIR}/libcxxabi PATTERN ItaniumDemangle.h EXCLUDE)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libcxxabi/demangle/ItaniumDemangle.h CONTENT "${demangler}" @ONLY)
foreach(file cxa_demangle.cpp abort_message.h)
  file(CREATE_LINK ${zig}/libcxxabi/src/${file} ${CMAKE_BINARY_DIR}/libcxxabi/${file} SYMBOLIC)
endforeach()

add_library(web_runtime STATIC ${libcxx} ${libcxxabi} ${CMAKE_BINARY_DIR}/libcxxabi/cxa_demangle.cpp ${zig}/libunwind/src/Unwind-wasm.c
  ${CMAKE_CURRENT_LIST_DIR}/exception_tag.s ${CMAKE_CURRENT_LIST_DIR}/posix/missing.c)
set_target_properties(web_runtime PROPERTIES CXX_STANDARD 23)
target_include_directories(web_runtime PRIVATE ${zig}/libcxx/src ${zig}/libcxx/libc ${zig}/libcxxabi/src ${zig}/libcxxabi/include ${zig}/libunwind/include
  ${zig}/libunwind/src)
target_compile_definitions(web_runtime PRIVATE _LIBCPP_BUILDING_LIBRARY LIBCXX_BUILDING_LIBCXXABI _LIBCXXABI_BUILDING_LIBRARY
  _LIBCPP_ENABLE_CXX17_REMOVED_UNEXPECTED_FUNCTIONS __WASM_EXCEPTIONS__
  _LIBUNWIND_HIDE_SYMBOLS)
target_compile_options(web_runtime PRIVATE -w)
