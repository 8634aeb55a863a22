# Wrappers that give every library and tool of the project the same settings.

# All generated headers; targets depend on it.
add_custom_target(gnn-headers)

# One precompiled header for all code that includes MLIR: it halves the time of
# a clean build.
add_library(gnn_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_precompile_headers(gnn_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
llvm_update_compile_flags(gnn_pch)

# Programs with sanitizers; see the comment in the file.
if(GNN_ENABLE_SANITIZERS)
  add_library(gnn_sanitizer_options OBJECT
    ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp)
endif()

# add_gnn_library(name [ONE_BY_ONE] sources... LINK_LIBS libraries...)
#
# Sources that open both namespaces, llvm and mlir, cannot be compiled together:
# ONE_BY_ONE.
function(add_gnn_library name)
  cmake_parse_arguments(ARG "ONE_BY_ONE" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_precompile_headers(${name} REUSE_FROM gnn_pch)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  add_dependencies(${name} gnn-headers)
  if(GNN_UNITY_BUILD AND NOT ARG_ONE_BY_ONE)
    set_target_properties(${name} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# add_gnn_tool(name sources... LINK_LIBS libraries...)
function(add_gnn_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_precompile_headers(${name} REUSE_FROM gnn_pch)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS}
    $<TARGET_NAME_IF_EXISTS:gnn_sanitizer_options>)
  add_dependencies(${name} gnn-headers)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS ${name} EXPORT gnnTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
