# Every program of examples/ runs and prints what it says it does; csr.h stores and loads matrices of Matrix Market files.
file(GLOB EXAMPLES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
foreach(source ${EXAMPLES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example-${name} ${source})
  target_link_libraries(example-${name} PRIVATE tessera)
  if(NOT name MATCHES "^swmr_")
    add_test(NAME example-${name} COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh ${source} $<TARGET_FILE:example-${name}>)
  endif()
endforeach()
add_test(NAME example-swmr COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh
                                   ${PROJECT_SOURCE_DIR}/examples/swmr_reader.c $<TARGET_FILE:example-swmr_reader>
                                   ${PROJECT_SOURCE_DIR}/examples/swmr_writer.c $<TARGET_FILE:example-swmr_writer>)
add_test(NAME example-makefile COMMAND ${CMAKE_CURRENT_LIST_DIR}/makefile.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}
                                       "${SANITIZER_FLAGS}")

add_executable(example-matrices ${CMAKE_CURRENT_LIST_DIR}/matrices.c)
target_include_directories(example-matrices PRIVATE ${PROJECT_SOURCE_DIR}/examples)
target_link_libraries(example-matrices PRIVATE tessera m)
file(GLOB MATRICES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/data/*.mtx)
add_test(NAME example-matrices COMMAND example-matrices ${MATRICES})
if(TEST_DROPIN)
  add_test(NAME example-matrices-scipy COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/scipy_reads.py
                                               $<TARGET_FILE:example-matrices> $<TARGET_FILE_DIR:dropin> ${MATRICES})
  set_tests_properties(example-matrices-scipy PROPERTIES SKIP_RETURN_CODE 77)
endif()
