# Crashes: every prefix of the writes of a run, and processes that are killed. crash-start is the workload with stock
# libhdf5, which begins files and reads what was recovered; crash-looker looks at files with it, and changes them.
foreach(name start looker)
  add_executable(crash-${name} crash/${name}.c crash/workload.c crash/dump.c)
  target_link_libraries(crash-${name} PRIVATE stock_hdf5)
  target_compile_options(crash-${name} PRIVATE -fno-sanitize=all)
  target_link_options(crash-${name} PRIVATE -fno-sanitize=all)
endforeach()

foreach(name replay kill stock)
  add_executable(crash-${name} crash/test_${name}.c crash/workload.c crash/dump.c crash/model.c
                 $<$<NOT:$<STREQUAL:${name},kill>>:crash/run.c>)
  target_include_directories(crash-${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(crash-${name} PRIVATE test_support tessera_static PkgConfig::CMOCKA)
  add_dependencies(crash-${name} crash-start crash-looker tessera_tool)
  add_test(NAME crash-${name} COMMAND crash-${name})
  set_tests_properties(crash-${name} PROPERTIES LABELS crash TIMEOUT 600
                       ENVIRONMENT "CRASH_START=$<TARGET_FILE:crash-start>;CRASH_LOOKER=$<TARGET_FILE:crash-looker>;CRASH_TESSERA=$<TARGET_FILE:tessera_tool>")
endforeach()
