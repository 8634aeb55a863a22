# check-format fails where clang-format would change a file, format changes it.
# clang-format's output differs between releases, so it has to be LLVM's own.

find_program(GNN_CLANG_FORMAT NAMES clang-format-${LLVM_VERSION_MAJOR}
             clang-format HINTS ${LLVM_TOOLS_BINARY_DIR})
set(version)
if(GNN_CLANG_FORMAT)
  execute_process(COMMAND ${GNN_CLANG_FORMAT} --version OUTPUT_VARIABLE version)
endif()

if(NOT version MATCHES "version ${LLVM_VERSION_MAJOR}\\.")
  foreach(target check-format format)
    add_custom_target(${target}
      COMMAND ${CMAKE_COMMAND} -E echo
              "${target}: clang-format ${LLVM_VERSION_MAJOR} is needed: apt-get install clang-format-${LLVM_VERSION_MAJOR}, or pass -DGNN_CLANG_FORMAT=..."
      COMMAND ${CMAKE_COMMAND} -E false
      VERBATIM)
  endforeach()
  return()
endif()

set(script ${PROJECT_SOURCE_DIR}/cmake/RunClangFormat.cmake)
add_custom_target(check-format
  COMMAND ${CMAKE_COMMAND} -DCLANG_FORMAT=${GNN_CLANG_FORMAT} -DCHECK=ON
          -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -P ${script}
  COMMENT "Checking the format of the sources"
  VERBATIM)
add_custom_target(format
  COMMAND ${CMAKE_COMMAND} -DCLANG_FORMAT=${GNN_CLANG_FORMAT} -DCHECK=OFF
          -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -P ${script}
  COMMENT "Formatting the sources"
  VERBATIM)
