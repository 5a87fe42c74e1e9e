# The known-answer documents of the tensor types: gcts_vectors makes them,
# write_vectors writes them, and a test compares the committed ones.
add_library(gcts_vectors STATIC vectors.cc vector_tests.cc)
target_link_libraries(gcts_vectors PUBLIC gcts_reference)

add_executable(write_vectors write_vectors.cc)
target_link_libraries(write_vectors PRIVATE gcts_vectors)

if(GCTS_BUILD_TESTS)
  gcts_add_test(vectors vectors_test.cc)
  target_link_libraries(vectors_test PRIVATE gcts_vectors nlohmann_json::nlohmann_json)
  target_compile_definitions(vectors_test PRIVATE GCTS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

  # Compares what differently compiled codecs compute.
  add_executable(codec_digest ${PROJECT_SOURCE_DIR}/reference/build_tests/codec_digest.cc)
  target_link_libraries(codec_digest PRIVATE gcts_vectors)
endif()
