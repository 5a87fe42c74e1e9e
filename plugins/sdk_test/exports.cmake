# Fails unless PLUGIN exports exactly one symbol, gcts_plugin_entry.
execute_process(COMMAND ${NM} -D --defined-only ${PLUGIN}
  OUTPUT_VARIABLE symbols RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${NM} failed on ${PLUGIN}")
endif()
if(NOT symbols MATCHES "^[0-9a-f]+ T gcts_plugin_entry$")
  message(FATAL_ERROR "${PLUGIN} exports more or less than gcts_plugin_entry:\n${symbols}")
endif()
