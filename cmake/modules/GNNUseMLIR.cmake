# What all but the runtime is built with: MLIR, its CMake functions and settings.

# MLIR 22: Debian's package or any other install, with -DMLIR_DIR=...
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_PACKAGE_VERSION MATCHES "^22\\.")
  message(FATAL_ERROR
    "MLIR 22 is needed, ${MLIR_DIR} is ${LLVM_PACKAGE_VERSION}; "
    "pass -DMLIR_DIR=<prefix>/lib/cmake/mlir")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}"
     "${PROJECT_SOURCE_DIR}/cmake/modules")
# Debian ships lit as `lit`, while LLVM's CMake looks for `llvm-lit`.
if(NOT LLVM_EXTERNAL_LIT)
  find_program(LLVM_EXTERNAL_LIT NAMES llvm-lit lit
               HINTS ${LLVM_TOOLS_BINARY_DIR})
endif()
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(AddGNN)
include(HandleLLVMOptions)

find_package(OpenMP REQUIRED)
find_package(Threads REQUIRED)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${LLVM_DEFINITIONS_LIST})
