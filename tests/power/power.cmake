# Power failures: what may be left of the writes since the last sync (POWER_IMAGES=n for more than a sample).
add_executable(power-images power/test_power.c power/disk.c crash/run.c crash/workload.c crash/dump.c crash/model.c)
target_include_directories(power-images PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(power-images PRIVATE test_support tessera_static PkgConfig::CMOCKA)
add_dependencies(power-images crash-start)
add_test(NAME power-images COMMAND power-images)
set_tests_properties(power-images PROPERTIES LABELS power TIMEOUT 600 ENVIRONMENT "CRASH_START=$<TARGET_FILE:crash-start>")

# The same below the file system: an ext4 on a loop device, copied at each flush. Only where one can be mounted.
add_executable(power-rows power/rows.c)
target_link_libraries(power-rows PRIVATE tessera)
add_test(NAME power-loop COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/power/loop.py $<TARGET_FILE:power-rows>)
set_tests_properties(power-loop PROPERTIES LABELS power TIMEOUT 300 SKIP_RETURN_CODE 77)
