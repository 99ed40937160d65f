# Crashes: every prefix of the writes of a run, and processes that are killed. crash-start is the workload with stock
# libhdf5, which begins files and reads what was recovered.
add_executable(crash-start crash/start.c crash/workload.c crash/dump.c)
target_link_libraries(crash-start PRIVATE PkgConfig::STOCK_HDF5)
target_compile_options(crash-start PRIVATE -fno-sanitize=all)
target_link_options(crash-start PRIVATE -fno-sanitize=all)

foreach(name replay kill)
  add_executable(crash-${name} crash/test_${name}.c crash/workload.c crash/dump.c crash/model.c)
  target_include_directories(crash-${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(crash-${name} PRIVATE test_support tessera_static PkgConfig::CMOCKA)
  add_dependencies(crash-${name} crash-start tessera_tool)
  add_test(NAME crash-${name} COMMAND crash-${name})
  set_tests_properties(crash-${name} PROPERTIES LABELS crash TIMEOUT 600
                       ENVIRONMENT "CRASH_START=$<TARGET_FILE:crash-start>;CRASH_TESSERA=$<TARGET_FILE:tessera_tool>")
endforeach()
