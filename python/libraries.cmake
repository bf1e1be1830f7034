# Run when a wheel is made: puts the shared libraries that the module is linked with into the folder LIBRARIES, so that the wheel
# needs what every Linux has (those of the compiler and of C), and their licences into LICENCES. What is in no Debian package
# with a licence beside it stays where it is.
#   MODULE     the module in the build folder
#   LIBRARIES  where it looks for them (INSTALL_RPATH)
#   LICENCES   a folder
file(GET_RUNTIME_DEPENDENCIES MODULES ${MODULE} RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc[+][+])[.]so")
foreach(library ${libraries})
  cmake_path(GET library FILENAME name)
  string(REGEX REPLACE "^/usr/" "/" short ${library})  # /lib is /usr/lib, and packages say either
  execute_process(COMMAND dpkg-query --search ${short} /usr${short} OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX MATCH "^[^:,]+" package "${owner}")
  if(package AND EXISTS /usr/share/doc/${package}/copyright)
    file(REAL_PATH ${library} file)
    file(MAKE_DIRECTORY ${LIBRARIES} ${LICENCES})
    file(COPY_FILE ${file} ${LIBRARIES}/${name})
    file(COPY_FILE /usr/share/doc/${package}/copyright ${LICENCES}/${package})
  else()
    message(STATUS "not in the wheel: ${library}, which no Debian package has with its licence")
  endif()
endforeach()
