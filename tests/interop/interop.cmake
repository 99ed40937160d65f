# The corpus is made by stock libhdf5 once per build tree; every test that reads it waits for it.
add_test(NAME corpus COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/interop/make_corpus.sh ${CORPUS})
set_tests_properties(corpus PROPERTIES FIXTURES_SETUP corpus TIMEOUT 600 RUN_SERIAL TRUE)

if(NOT TESSERA_SANITIZE STREQUAL "thread")
  add_executable(interop-canon-tessera ${CMAKE_CURRENT_SOURCE_DIR}/interop/canon.c)
  target_link_libraries(interop-canon-tessera PRIVATE tessera)
  target_compile_options(interop-canon-tessera PRIVATE -Wno-error)
  add_executable(interop-canon-stock ${CMAKE_CURRENT_SOURCE_DIR}/interop/canon.c)
  target_link_libraries(interop-canon-stock PRIVATE PkgConfig::STOCK_HDF5)
  target_compile_options(interop-canon-stock PRIVATE -fno-sanitize=all)
  target_link_options(interop-canon-stock PRIVATE -fno-sanitize=all)
  add_test(NAME interop COMMAND ${CMAKE_COMMAND} -E env STOCK_CANON=$<TARGET_FILE:interop-canon-stock>
           ${CMAKE_CURRENT_SOURCE_DIR}/interop/run.sh $<TARGET_FILE:interop-canon-tessera> ${CORPUS})
  set_tests_properties(interop PROPERTIES FIXTURES_REQUIRED corpus TIMEOUT 900 RUN_SERIAL TRUE)
endif()
