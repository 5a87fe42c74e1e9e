# Runs COMPILER for the architectures that every published GPU kernel is built for.  NVRTC
# is the system's, or what ./dev peers nvrtc installs under PEERS.
file(GLOB installed ${PEERS}/nvrtc/venv/lib/python3*/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.*)
if(installed AND NOT DEFINED ENV{GCTS_NVRTC})
  list(GET installed 0 library)
  set(ENV{GCTS_NVRTC} ${library})
endif()
execute_process(COMMAND ${COMPILER} sm_80 sm_90 RESULT_VARIABLE status OUTPUT_VARIABLE output)
message("${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "compile_cuda ended ${status}")
endif()
