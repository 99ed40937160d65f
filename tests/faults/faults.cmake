# tests/faults/<x>.c is a list of scenarios in which everything that can fail does. FAULTS=all in the environment tries
# every single allocation and call, not a sample.
add_library(faults_harness OBJECT ${CMAKE_CURRENT_LIST_DIR}/harness.c ${CMAKE_CURRENT_LIST_DIR}/dump.c)
target_link_libraries(faults_harness PUBLIC test_support)
foreach(name files groups attributes datasets values)
  add_executable(faults-${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
  target_link_libraries(faults-${name} PRIVATE faults_harness)
  add_test(NAME faults-${name} COMMAND faults-${name})
  set_tests_properties(faults-${name} PROPERTIES LABELS faults FIXTURES_REQUIRED corpus TIMEOUT 3600
                       ENVIRONMENT "TESSERA_CORPUS=${CORPUS}")
endforeach()
