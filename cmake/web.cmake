# The viewer's page, target cgpu_web: `npm ci` where the lock is newer than what is installed, then one bundle into
# build/web/. Without Node.js there is no such target, and the program has a page that says so (embed.cmake).

find_program(NPM npm)
if(NOT NPM)
  message(WARNING "npm is missing, the viewer will have no page: run scripts/install-dependencies")
  return()
endif()

set(CGPU_WEB_SOURCE ${CMAKE_SOURCE_DIR}/web)
set(CGPU_WEB_FOLDER ${CMAKE_BINARY_DIR}/web)
set(CGPU_WEB_FILES
  ${CGPU_WEB_FOLDER}/index.html ${CGPU_WEB_FOLDER}/app.js ${CGPU_WEB_FOLDER}/app.css ${CGPU_WEB_FOLDER}/favicon.svg)

# npm writes this file last. It lies in the source tree and is shared by all build trees: one that has not made it yet
# leaves what another has installed, which tests may be using.
set(CGPU_WEB_INSTALLED ${CGPU_WEB_SOURCE}/node_modules/.package-lock.json)
set(is_installed "test -e node_modules/.package-lock.json && \
test -z \"$(find package.json package-lock.json .npmrc -newer node_modules/.package-lock.json)\"")
add_custom_command(
  OUTPUT ${CGPU_WEB_INSTALLED}
  COMMAND sh -c "{ ${is_installed}; } || exec '${NPM}' ci --silent --no-progress"
  COMMAND ${CMAKE_COMMAND} -E touch ${CGPU_WEB_INSTALLED}
  DEPENDS ${CGPU_WEB_SOURCE}/package.json ${CGPU_WEB_SOURCE}/package-lock.json ${CGPU_WEB_SOURCE}/.npmrc
  WORKING_DIRECTORY ${CGPU_WEB_SOURCE}
  COMMENT "Installing what the viewer's page is built with"
  VERBATIM)

file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS
  ${CGPU_WEB_SOURCE}/src/*.ts ${CGPU_WEB_SOURCE}/src/*.tsx ${CGPU_WEB_SOURCE}/src/*.css ${CGPU_WEB_SOURCE}/static/*)
add_custom_command(
  OUTPUT ${CGPU_WEB_FILES}
  COMMAND ${NPM} run --silent build -- ${CGPU_WEB_FOLDER}
  DEPENDS ${web_sources} ${CGPU_WEB_SOURCE}/build.mjs ${CGPU_WEB_INSTALLED}
  WORKING_DIRECTORY ${CGPU_WEB_SOURCE}
  COMMENT "Building the viewer's page"
  VERBATIM)
add_custom_target(cgpu_web DEPENDS ${CGPU_WEB_FILES})
