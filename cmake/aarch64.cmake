# Toolchain for Linux on AArch64 with the cross compiler of Debian and Ubuntu.  What it
# links needs the target's libc alone, so that any folder with one serves an emulator.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
foreach(kind EXE MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc")
endforeach()
