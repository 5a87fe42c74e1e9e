# gcts_add_plugin(<name> <sources>...)
#
# Builds a plugin for gguf-cts, <build>/plugins/<name>.so: a loadable module that
# exports gcts_plugin_entry and hides every other symbol.
function(gcts_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE GgufCts::plugin_sdk)
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  # Static libraries that a plugin links bring symbols compiled without the
  # presets above; they stay inside too.
  if(NOT WIN32 AND NOT APPLE)
    target_link_options(${name} PRIVATE LINKER:--exclude-libs,ALL)
  endif()
endfunction()
