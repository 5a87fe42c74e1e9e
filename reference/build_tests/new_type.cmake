# A tensor type is a row and a file: a row alone does not link, and the file is all that
# it lacks.
#
#   cmake -DCOMPILER=<c++> -DROOT=<source tree> -DLIBRARY=<libgcts_reference.a> -DLINK=<link options>
#         -DWORK=<folder> -P new_type.cmake
#
# Puts a copy of the table with one more row before the real one on the include path,
# and compiles the table's own source anew; then gives the type the codec of q4_0.

set(overlay ${WORK}/overlay/reference)
file(MAKE_DIRECTORY ${overlay}/codecs)
file(READ ${ROOT}/reference/tensor_types.inc table)
string(REGEX MATCHALL "TENSOR_TYPE\\(" rows "${table}")
list(LENGTH rows id)  # ids are indices
file(WRITE ${overlay}/tensor_types.inc "${table}TENSOR_TYPE(${id}, added_type, 32, 18, current)\n")
file(WRITE ${WORK}/main.cc [[
#include "reference/codec.h"
#include "reference/tensor_type.h"
int main() {
  const auto last = static_cast<uint32_t>(gcts::tensor_types().size() - 1);
  const gcts::TensorType* type = gcts::find_tensor_type("added_type");
  if (type == nullptr || type != gcts::find_tensor_type(last) || type->block_bytes != 18) return 1;
  const std::byte block[18] = {};
  float values[32];
  type->codec->dequantize(block, values, 32);
  return type->codec->validate(block).what == nullptr && values[0] == 0 ? 0 : 1;
}
]])

set(compile ${COMPILER} -std=c++20 -ffp-contract=off -I${WORK}/overlay -I${ROOT})
function(link_with result output)
  execute_process(
    COMMAND ${compile} ${WORK}/main.cc ${ROOT}/reference/tensor_type.cc ${ARGN} ${LIBRARY} ${LINK} -o ${WORK}/program
    OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE status)
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

link_with(status output)
if(status EQUAL 0)
  message(FATAL_ERROR "a row without a codec links")
endif()
if(NOT output MATCHES "undefined reference to [`']gcts::codec::added_type" AND NOT output MATCHES "undefined symbol: gcts::codec::added_type")
  message(FATAL_ERROR "linking fails for another reason:\n${output}")
endif()

file(READ ${ROOT}/reference/codecs/q4_0.cc codec)
string(REPLACE "codec::q4_0" "codec::added_type" codec "${codec}")
file(WRITE ${overlay}/codecs/added_type.cc "${codec}")
link_with(status output ${overlay}/codecs/added_type.cc)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "a row and a file do not suffice:\n${output}")
endif()
execute_process(COMMAND ${WORK}/program RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the new type does not work: ${status}")
endif()
