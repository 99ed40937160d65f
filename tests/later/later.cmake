# Programs for what 1.14 and 2.x added: what they print on those was recorded in <x>.out, for machines that do not have them. Where the
# system has one, the program that was built with it runs on the drop-in library, too.
file(GLOB LATER CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
set(LATER_DROPIN "")
if(TEST_DROPIN)
  set(LATER_DROPIN $<TARGET_FILE_DIR:dropin>)
endif()
foreach(source ${LATER})
  get_filename_component(name ${source} NAME_WE)
  add_executable(later-${name} ${source})
  target_link_libraries(later-${name} PRIVATE tessera m Threads::Threads)
  target_compile_options(later-${name} PRIVATE -Wno-unused-parameter)
  if(name MATCHES "_200$")
    target_compile_definitions(later-${name} PRIVATE H5_USE_200_API)
  endif()
  add_test(NAME later-${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/checks/later.py
                                      $<TARGET_FILE:later-${name}> ${source} ${LATER_DROPIN})
  add_dependencies(later-${name} test-plugin-driver)
  set_tests_properties(later-${name} PROPERTIES LABELS later TIMEOUT 300
                       ENVIRONMENT "HDF5_PLUGIN_PATH=$<TARGET_FILE_DIR:test-plugin-driver>")
endforeach()
add_test(NAME stock-headers COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/checks/stock_headers.py
                                    ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_BINARY_DIR}/stock-headers)
set_tests_properties(stock-headers PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
