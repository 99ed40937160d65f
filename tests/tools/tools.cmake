# Golden tests of the command-line tool: tests/tools/<x>.golden lists commands and what they print.
file(GLOB TOOL_CASES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.golden)
foreach(case ${TOOL_CASES})
  get_filename_component(name ${case} NAME_WE)
  add_test(NAME tool-${name} COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh $<TARGET_FILE:tessera_tool>
                                     ${PROJECT_SOURCE_DIR}/examples/sample.h5 ${case})
  set_tests_properties(tool-${name} PROPERTIES LABELS tool)
endforeach()

# Maps of chunks, read by the example that uses no library for HDF5.
add_executable(tool-sparse ${CMAKE_CURRENT_LIST_DIR}/sparse.c)
target_link_libraries(tool-sparse PRIVATE tessera)
add_test(NAME tool-map COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/map.py $<TARGET_FILE:tessera_tool>
                               ${PROJECT_SOURCE_DIR}/examples/read_map.py $<TARGET_FILE:tool-sparse>)
set_tests_properties(tool-map PROPERTIES LABELS tool TIMEOUT 300)

# `tessera watch` beside a writer.
add_executable(tool-growing ${CMAKE_CURRENT_LIST_DIR}/growing.c)
target_link_libraries(tool-growing PRIVATE tessera)
add_test(NAME tool-watching COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/watch.py $<TARGET_FILE:tessera_tool>
                                    $<TARGET_FILE:tool-growing>)
set_tests_properties(tool-watching PROPERTIES LABELS tool TIMEOUT 300)

# `tessera demo`, and that its checks notice what is changed.
add_executable(tool-alter ${CMAKE_CURRENT_LIST_DIR}/alter.c)
target_link_libraries(tool-alter PRIVATE tessera)
add_test(NAME tool-demo COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/demo.py $<TARGET_FILE:tessera_tool>
                                $<TARGET_FILE:tool-alter>)
# Man pages and completion beside the help.
add_test(NAME tool-help COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/help.py $<TARGET_FILE:tessera_tool>
                                ${PROJECT_SOURCE_DIR})
set_tests_properties(tool-demo tool-help PROPERTIES LABELS tool TIMEOUT 300)

# `tessera run` and `tessera doctor`, on programs that are made for it.
if(TEST_DROPIN)
  add_test(NAME tool-run-doctor COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/run_doctor.py $<TARGET_FILE:tessera_tool>)
  set_tests_properties(tool-run-doctor PROPERTIES LABELS tool TIMEOUT 300)
endif()
