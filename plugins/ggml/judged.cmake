# Runs the suite on a library that the plugin opens against the outcomes that xfail.json names: any drift,
# better or worse, fails.  Needs PROGRAM, PLUGIN, XFAIL and RUN (a glob).
execute_process(COMMAND ${PROGRAM} run --plugin ${PLUGIN} --run ${RUN} --xfail ${XFAIL} -j2
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 3 AND output MATCHES "(there is no lib[a-z]+: [^\n]*)")
  message("skipped: ${CMAKE_MATCH_1}")
elseif(status)
  message(FATAL_ERROR "gguf-cts ended ${status}\n${output}")
endif()
