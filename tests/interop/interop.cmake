# Stock releases below build/roots in the place of the system's own: a short form, or all (TESSERA_ALL=1).
find_program(NUMPY_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
set(RELEASES ${NUMPY_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/interop/releases.py)
set(RELEASES_TIMEOUT 14400)

# The corpus is made by stock libhdf5 once per build tree; every test that reads it waits for it.
add_test(NAME corpus COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/interop/make_corpus.sh ${CORPUS})
set_tests_properties(corpus PROPERTIES FIXTURES_SETUP corpus TIMEOUT 600 RUN_SERIAL TRUE)

if(NOT TESSERA_SANITIZE STREQUAL "thread")
  add_executable(interop-canon-tessera ${CMAKE_CURRENT_SOURCE_DIR}/interop/canon.c)
  target_link_libraries(interop-canon-tessera PRIVATE tessera)
  target_compile_options(interop-canon-tessera PRIVATE -Wno-error)
  add_executable(interop-canon-stock ${CMAKE_CURRENT_SOURCE_DIR}/interop/canon.c)
  target_link_libraries(interop-canon-stock PRIVATE stock_hdf5)
  target_compile_options(interop-canon-stock PRIVATE -fno-sanitize=all)
  target_link_options(interop-canon-stock PRIVATE -fno-sanitize=all)
  add_test(NAME interop COMMAND ${CMAKE_COMMAND} -E env STOCK_CANON=$<TARGET_FILE:interop-canon-stock>
           ${CMAKE_CURRENT_SOURCE_DIR}/interop/run.sh $<TARGET_FILE:interop-canon-tessera> ${CORPUS})
  set_tests_properties(interop PROPERTIES FIXTURES_REQUIRED corpus TIMEOUT 900 RUN_SERIAL TRUE)

  # Files of libhdf5 1.12 to 2.0, kept with what is in them, and Tessera's, for whom 2.0 must be fetched.
  add_test(NAME interop-newer COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/interop/newer.py check $<TARGET_FILE:interop-canon-tessera>)
  set_tests_properties(interop-newer PROPERTIES LABELS interop TIMEOUT 300)
  add_executable(interop-newer-tessera ${CMAKE_CURRENT_SOURCE_DIR}/interop/newer.c)
  target_link_libraries(interop-newer-tessera PRIVATE tessera)
  add_test(NAME interop-newer-written COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/interop/newer.py written
           $<TARGET_FILE:interop-newer-tessera> $<TARGET_FILE:interop-canon-tessera> ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(interop-newer-written PROPERTIES LABELS interop TIMEOUT 900 SKIP_RETURN_CODE 77)

  # Programs of both libraries that take turns on one file.
  file(GLOB TURNS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/interop/turns_*.c)
  foreach(source ${TURNS})
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE "turns_" "" name ${name})
    add_executable(turns-${name}-tessera ${source})
    target_link_libraries(turns-${name}-tessera PRIVATE tessera)
    target_compile_definitions(turns-${name}-tessera PRIVATE H5_USE_18_API)
    add_executable(turns-${name}-stock ${source})
    target_link_libraries(turns-${name}-stock PRIVATE stock_hdf5)
    target_compile_options(turns-${name}-stock PRIVATE -Wno-error -fno-sanitize=all)
    target_link_options(turns-${name}-stock PRIVATE -fno-sanitize=all)
    add_test(NAME turns-${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/interop/turns.sh
             $<TARGET_FILE:turns-${name}-stock> $<TARGET_FILE:turns-${name}-tessera>)
    set_tests_properties(turns-${name} PROPERTIES LABELS interop TIMEOUT 600)
    add_test(NAME releases-turns-${name} COMMAND ${RELEASES} turns ${source} $<TARGET_FILE:turns-${name}-tessera>)
    list(APPEND RELEASES_TESTS releases-turns-${name})
  endforeach()
  add_test(NAME releases-read COMMAND ${RELEASES} read $<TARGET_FILE:interop-canon-tessera>)
  add_test(NAME releases-newer COMMAND ${RELEASES} newer $<TARGET_FILE:interop-canon-tessera> $<TARGET_FILE:interop-newer-tessera>)
  add_test(NAME releases-random COMMAND ${RELEASES} random $<TARGET_FILE:random-ops-tessera>)
  set_tests_properties(releases-read releases-newer releases-random ${RELEASES_TESTS} PROPERTIES LABELS interop TIMEOUT ${RELEASES_TIMEOUT} SKIP_RETURN_CODE 77)
endif()

if(NOT TESSERA_SANITIZE STREQUAL "thread")
  add_executable(interop-drivers-tessera ${CMAKE_CURRENT_SOURCE_DIR}/interop/drivers.c)
  target_link_libraries(interop-drivers-tessera PRIVATE tessera)
  add_executable(interop-drivers-stock ${CMAKE_CURRENT_SOURCE_DIR}/interop/drivers.c)
  target_link_libraries(interop-drivers-stock PRIVATE stock_hdf5)
  target_compile_options(interop-drivers-stock PRIVATE -fno-sanitize=all)
  target_link_options(interop-drivers-stock PRIVATE -fno-sanitize=all)
  add_test(NAME interop-drivers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/interop/drivers.sh
           $<TARGET_FILE:interop-drivers-stock> $<TARGET_FILE:interop-drivers-tessera>)
  set_tests_properties(interop-drivers PROPERTIES LABELS interop TIMEOUT 300)

  add_executable(interop-swmr-tessera ${CMAKE_CURRENT_SOURCE_DIR}/interop/swmr_rules.c)
  target_link_libraries(interop-swmr-tessera PRIVATE tessera)
  add_executable(interop-swmr-stock ${CMAKE_CURRENT_SOURCE_DIR}/interop/swmr_rules.c)
  target_link_libraries(interop-swmr-stock PRIVATE stock_hdf5)
  target_compile_options(interop-swmr-stock PRIVATE -fno-sanitize=all)
  target_link_options(interop-swmr-stock PRIVATE -fno-sanitize=all)
  add_test(NAME interop-swmr-rules COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/interop/swmr_rules.py
           $<TARGET_FILE:interop-swmr-stock> $<TARGET_FILE:interop-swmr-tessera>)
  set_tests_properties(interop-swmr-rules PROPERTIES LABELS interop TIMEOUT 120)
endif()

if(TEST_DROPIN)
  foreach(side tessera stock)
    add_executable(interop-edit-${side} ${CMAKE_CURRENT_SOURCE_DIR}/interop/edit.c)
  endforeach()
  target_link_libraries(interop-edit-tessera PRIVATE tessera)
  target_link_libraries(interop-edit-stock PRIVATE stock_hdf5)
  target_compile_options(interop-edit-stock PRIVATE -Wno-error -fno-sanitize=all)
  target_link_options(interop-edit-stock PRIVATE -fno-sanitize=all)
  add_test(NAME interop-written COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/interop/written.sh $<TARGET_FILE_DIR:dropin>
           $<TARGET_FILE:interop-canon-stock> $<TARGET_FILE:interop-canon-tessera>
           $<TARGET_FILE:interop-edit-stock> $<TARGET_FILE:interop-edit-tessera> ${CORPUS}
           ${CMAKE_CURRENT_BINARY_DIR}/written)
  set_tests_properties(interop-written PROPERTIES LABELS interop FIXTURES_REQUIRED corpus FIXTURES_SETUP written TIMEOUT 900 RUN_SERIAL TRUE)
  add_test(NAME releases-written COMMAND ${RELEASES} written $<TARGET_FILE:interop-canon-tessera> $<TARGET_FILE:interop-edit-tessera>
           ${CORPUS} ${CMAKE_CURRENT_BINARY_DIR}/written)
  set_tests_properties(releases-written PROPERTIES LABELS interop FIXTURES_REQUIRED "corpus;written" TIMEOUT ${RELEASES_TIMEOUT}
                       SKIP_RETURN_CODE 77)
endif()

if(NOT TESSERA_SANITIZE STREQUAL "thread")
  add_executable(interop-copies-tessera ${CMAKE_CURRENT_SOURCE_DIR}/interop/copies.c)
  target_link_libraries(interop-copies-tessera PRIVATE tessera)
  add_executable(interop-copies-stock ${CMAKE_CURRENT_SOURCE_DIR}/interop/copies.c)
  target_link_libraries(interop-copies-stock PRIVATE stock_hdf5)
  target_compile_options(interop-copies-stock PRIVATE -Wno-error -fno-sanitize=all)
  target_link_options(interop-copies-stock PRIVATE -fno-sanitize=all)
  add_test(NAME interop-copies COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/interop/copies.sh
           $<TARGET_FILE:interop-copies-stock> $<TARGET_FILE:interop-copies-tessera>
           $<TARGET_FILE:interop-canon-stock> ${CORPUS})
  set_tests_properties(interop-copies PROPERTIES LABELS interop FIXTURES_REQUIRED corpus TIMEOUT 300)
endif()
