# gcts_add_foreign(<machine>): builds the worker and plugins/cpu for another
# architecture with cmake/<machine>.cmake, as <build>/<machine>/gguf-cts-worker and
# <build>/<machine>/plugins/cpu.so.  Without its cross compiler nothing is built and
# GCTS_<machine>_FOLDER stays empty.
include(ExternalProject)

function(gcts_add_foreign machine)
  set(GCTS_${machine}_FOLDER "" PARENT_SCOPE)
  find_program(GCTS_${machine}_COMPILER ${machine}-linux-gnu-g++)
  if(NOT GCTS_${machine}_COMPILER)
    message(STATUS "No ${machine}-linux-gnu-g++: the worker and the kernels for ${machine} are not built")
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/${machine})
  set(arguments
    -DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/${machine}.cmake
    -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER})
  # The flags of a preset hold for the GNU compiler that they are written for.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND arguments -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS})
  else()
    list(APPEND arguments -DCMAKE_CXX_FLAGS=-O2)
  endif()
  ExternalProject_Add(gcts_${machine}
    SOURCE_DIR ${PROJECT_SOURCE_DIR}/harness/cross
    BINARY_DIR ${folder}
    PREFIX ${CMAKE_CURRENT_BINARY_DIR}/${machine}
    CMAKE_ARGS ${arguments}
    BUILD_ALWAYS TRUE   # its own build knows what is out of date
    INSTALL_COMMAND ""
    LOG_CONFIGURE TRUE LOG_BUILD TRUE LOG_OUTPUT_ON_FAILURE TRUE)
  set(GCTS_${machine}_FOLDER ${folder} PARENT_SCOPE)
endfunction()
