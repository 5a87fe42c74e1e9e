# Builds the reader for another machine with its cross compiler, and runs there, under an
# emulator, the reader's tests and the files of the corpus; what is told of each file is
# what this machine tells.
#
#   cmake -DMACHINE=s390x -DCOMPILER=... -DEMULATOR=... -DLAUNCHER=... -DGENERATOR=... -DROOT=...
#         -DWORK=... -DWRITE_INPUTS=... -DTELL_READINGS=... -P foreign_test.cmake
set(changes 500)

foreach(tool COMPILER EMULATOR)
  if(NOT ${tool})
    message("skipped: no cross compiler or no emulator for ${MACHINE}")
    return()
  endif()
endforeach()

function(run output)
  execute_process(COMMAND ${ARGN} OUTPUT_FILE ${output} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}")
  endif()
endfunction()

file(MAKE_DIRECTORY ${WORK})
run(${WORK}/configure.log ${CMAKE_COMMAND} -S ${ROOT}/corpus/foreign -B ${WORK} -G ${GENERATOR}
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${MACHINE} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_CXX_FLAGS=-O1 -DCMAKE_BUILD_TYPE=None)
run(${WORK}/build.log ${CMAKE_COMMAND} --build ${WORK} --parallel 1)

run(${WORK}/tests.log ${EMULATOR} ${WORK}/reader_tests --catch_system_errors=no)
run(${WORK}/inputs ${WRITE_INPUTS} ${changes})
run(${WORK}/here sh -c "exec '${TELL_READINGS}' <'${WORK}/inputs'")
run(${WORK}/there sh -c "exec '${EMULATOR}' '${WORK}/tell_readings' <'${WORK}/inputs'")
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${WORK}/here ${WORK}/there RESULT_VARIABLE differ)
if(NOT differ EQUAL 0)
  execute_process(COMMAND diff -U 2 ${WORK}/here ${WORK}/there OUTPUT_VARIABLE difference)
  string(SUBSTRING "${difference}" 0 4000 difference)
  message(FATAL_ERROR "${MACHINE} reads otherwise:\n${difference}")
endif()
execute_process(COMMAND tail -1 ${WORK}/here)
