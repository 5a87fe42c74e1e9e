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
  # Presets do not reach static libraries that a plugin links, nor instances of the
  # standard library's templates; the linker keeps those inside.
  if(UNIX AND NOT APPLE)
    set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/GgufCtsPlugin.map)
    target_link_options(${name} PRIVATE LINKER:--version-script=${map})
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()
