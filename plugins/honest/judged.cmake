# Runs the honest kernels twice: as declared all pass; under the strictest class those fail
# whose arithmetic needs their claim, and no others.  Needs PROGRAM, PLUGIN and WORK.

# What stays within the strictest class: other orders of f32 sums, more precise sums, a
# zero point apart (its extra magnitude is far below the room of element-wise sums).
set(harmless zero_point_leaf reversed_elements pairwise f64_sums repacked)
set(must_fail f16_weights bf16_weights flushed_subnormals f16_block_sums f16_sums bf16_sums bf16_sums_of_blocks f16_result bf16_result truncating
    row_activations groups_of_64 offset_groups_of_128 bf16_activations)

# Sets `lines` to the lines of the TAP report of a run that begin with "not ok".
function(run_kernels file expected)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env ${ARGN} ${PROGRAM} run --plugin ${PLUGIN} --run kernel/* -j2 --format tap:${file}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL expected)
    message(FATAL_ERROR "gguf-cts ended ${status}, not ${expected}\n${output}")
  endif()
  file(STRINGS ${file} lines REGEX "^not ok")
  set(lines "${lines}" PARENT_SCOPE)
endfunction()

run_kernels(${WORK}/declared.tap 0 --unset=GCTS_UNDECLARED)
if(lines)
  message(FATAL_ERROR "correct kernels are blamed: ${lines}")
endif()

run_kernels(${WORK}/undeclared.tap 1 GCTS_UNDECLARED=1)
foreach(variant ${must_fail})
  if(NOT lines MATCHES "/${variant}/")
    message(FATAL_ERROR "${variant} passes without its accuracy class")
  endif()
endforeach()
foreach(variant ${harmless})
  if(lines MATCHES "/${variant}/")
    message(FATAL_ERROR "${variant} fails under the strictest class: ${lines}")
  endif()
endforeach()
