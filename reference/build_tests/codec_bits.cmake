# The codecs give the same bits from every compiler at every level of optimisation.
#
#   cmake -DPROGRAM=<codec_digest of this build> -DCOMPILERS=<c++;clang++> -DLAUNCHER=<ccache>
#         -DGENERATOR=<generator> -DWORK=<folder> -P codec_bits.cmake
#
# Builds codec_digest with each compiler without optimisation, and with all of it for
# this machine's processor, and compares the output with that of this build.

function(digest_of program result)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR output STREQUAL "")
    message(FATAL_ERROR "${program} failed: ${status}")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

function(build compiler flags folder)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${folder} -DCMAKE_BUILD_TYPE=None
            -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status EQUAL 0)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${folder} --parallel 2
      OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  endif()
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "building with ${compiler} ${flags} failed:\n${output}")
  endif()
endfunction()

digest_of(${PROGRAM} expected)
set(number 0)
foreach(compiler IN LISTS COMPILERS)
  foreach(flags "-O0" "-O3 -march=native")
    math(EXPR number "${number} + 1")
    build(${compiler} ${flags} ${WORK}/${number})
    digest_of(${WORK}/${number}/codec_digest found)
    if(NOT found STREQUAL expected)
      message(FATAL_ERROR "${compiler} ${flags} computes\n${found}this build computes\n${expected}")
    endif()
    message(STATUS "same bits: ${compiler} ${flags}")
  endforeach()
endforeach()
