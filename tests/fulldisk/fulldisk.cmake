# fill.c is built with each library; run.py compares what they and the Python clients on them say when a file cannot be written.
foreach(side stock tessera)
  add_executable(fulldisk-${side} ${CMAKE_CURRENT_LIST_DIR}/fill.c ${CMAKE_CURRENT_LIST_DIR}/contents.c
                                  ${CMAKE_CURRENT_LIST_DIR}/failing_driver.c)
endforeach()
target_link_libraries(fulldisk-stock PRIVATE stock_hdf5)
target_compile_options(fulldisk-stock PRIVATE -fno-sanitize=all)
target_link_options(fulldisk-stock PRIVATE -fno-sanitize=all)
target_link_libraries(fulldisk-tessera PRIVATE tessera)
target_compile_definitions(fulldisk-tessera PRIVATE TESSERA H5_USE_18_API)
add_test(NAME fulldisk COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/run.py $<TARGET_FILE:fulldisk-stock>
                               $<TARGET_FILE:fulldisk-tessera> $<TARGET_FILE_DIR:dropin>)
set_tests_properties(fulldisk PROPERTIES LABELS faults TIMEOUT 300)
