# What `cmake --install` installs, in the folders of GNUInstallDirs: the program, its manual page, completion for shells, and
# the licences. The program needs none of the others.
include(GNUInstallDirs)

install(TARGETS cgpu)
if(TARGET cgpu-mpi)  # by itself, so that cgpu does not need MPI where it is installed: cmake --install BUILD --component mpi
  install(TARGETS cgpu-mpi COMPONENT mpi EXCLUDE_FROM_ALL)
endif()
install(FILES LICENSE packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What `cgpu view -o` puts a profile into, where scripts/build-web-site has made it (src/serve/engine_copy.h).
install(FILES ${PROJECT_SOURCE_DIR}/build-web/site/engine_page.html DESTINATION ${CMAKE_INSTALL_DATADIR}/cgpu OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/build-web/site/licences.txt DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME licences_of_engine_page.txt OPTIONAL)

# cgpu_install_output(FILE FOLDER word...): what the program prints, run when it is installed, so that it says nothing else.
function(cgpu_install_output file folder)
  set(output ${CMAKE_BINARY_DIR}/printed/${file})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/printed)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:cgpu>\" ${ARGN} OUTPUT_FILE \"${output}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${output} DESTINATION ${folder})
endfunction()

cgpu_install_output(cgpu.1 ${CMAKE_INSTALL_MANDIR}/man1 manpage)
cgpu_install_output(cgpu ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
cgpu_install_output(_cgpu ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
cgpu_install_output(cgpu.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
