# gcts_add_own_plugin(<name> <sources>...): a plugin of the tree, target
# gcts_plugin_<name>, file plugins/<name>.so.
include(${CMAKE_CURRENT_LIST_DIR}/GgufCtsPlugin.cmake)
function(gcts_add_own_plugin name)
  gcts_add_plugin(gcts_plugin_${name} ${ARGN})
  set_target_properties(gcts_plugin_${name} PROPERTIES OUTPUT_NAME ${name})
endfunction()
