# A toolchain file: LLVM 22's compiler and linker make programs for AArch64 Linux,
# against the libraries in the folder GNN_SYSROOT, and an emulator runs them.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake \
#     -DGNN_SYSROOT=FOLDER -DGNN_RUNTIME_ONLY=ON ...
#
# scripts/check-aarch64.sh makes such a folder of Debian's packages.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GNN_SYSROOT)
set(CMAKE_SYSROOT ${GNN_SYSROOT})

foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
foreach(kind EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld")
endforeach()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

find_program(GNN_QEMU qemu-aarch64)
if(GNN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${GNN_QEMU} -L ${GNN_SYSROOT})
endif()
