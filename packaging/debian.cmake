# Run by cpack on the installed files before it packs them: what Debian has otherwise than others.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(doc ${root}/share/doc/cgpu)
file(REMOVE ${doc}/LICENSE)  # `copyright` says where Debian has that text
file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)

configure_file(${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md ${doc}/changelog COPYONLY)
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH where that is set
file(WRITE ${doc}/changelog.Debian
"cgpu (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built from the sources of this version, whose changes are in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${today}
")
execute_process(COMMAND gzip -9n ${doc}/changelog ${doc}/changelog.Debian ${root}/share/man/man1/cgpu.1
  COMMAND_ERROR_IS_FATAL ANY)
