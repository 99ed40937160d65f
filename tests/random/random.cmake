# Two libraries take turns on one file, with random scripts and a model of what it must hold. A seed is one file; seeds
# modulo four have other versions of the format.
file(GLOB RANDOM_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/random/*.c)
add_executable(random-ops-tessera ${RANDOM_SOURCES})
target_link_libraries(random-ops-tessera PRIVATE tessera)
target_compile_definitions(random-ops-tessera PRIVATE H5_USE_18_API)
add_executable(random-ops-stock ${RANDOM_SOURCES})
target_link_libraries(random-ops-stock PRIVATE stock_hdf5)
target_compile_options(random-ops-stock PRIVATE -Wno-error -fno-sanitize=all)
target_link_options(random-ops-stock PRIVATE -fno-sanitize=all)
foreach(seeds 1-5 6-10 11-15 16-20)
  add_test(NAME random-${seeds} COMMAND ${NUMPY_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/random/run.py
           $<TARGET_FILE:random-ops-stock> $<TARGET_FILE:random-ops-tessera> --seeds ${seeds}
           --keep ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(random-${seeds} PROPERTIES LABELS interop TIMEOUT 900)
endforeach()
file(GLOB RANDOM_SCRIPTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/random/scripts/*.script)
add_test(NAME random-scripts COMMAND ${NUMPY_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/random/run.py
         $<TARGET_FILE:random-ops-stock> $<TARGET_FILE:random-ops-tessera> --replay ${RANDOM_SCRIPTS})
set_tests_properties(random-scripts PROPERTIES LABELS interop TIMEOUT 300)
