# Golden tests of the command-line tool: tests/tools/<x>.golden lists commands and what they print.
file(GLOB TOOL_CASES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.golden)
foreach(case ${TOOL_CASES})
  get_filename_component(name ${case} NAME_WE)
  add_test(NAME tool-${name} COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh $<TARGET_FILE:tessera_tool>
                                     ${PROJECT_SOURCE_DIR}/examples/sample.h5 ${case})
  set_tests_properties(tool-${name} PROPERTIES LABELS tool)
endforeach()
