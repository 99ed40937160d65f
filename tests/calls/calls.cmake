# Random programs in the public API on stock libhdf5 and on the drop-in library. Scripts of what was found before must do the
# same on both; so must random programs, as far as these tests have come: what else differs is told, and fails nothing yet.
set(CALLS_LIBRARY $<TARGET_FILE:dropin>)
if(TESSERA_SANITIZE)
  set(CALLS_LIBRARY $<TARGET_FILE:dropin_sanitized>)
endif()
set(CALLS_RUN ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/calls/run.py ${CALLS_LIBRARY})
file(GLOB CALLS_SCRIPTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/calls/scripts/*.calls)
add_test(NAME calls-scripts COMMAND ${CALLS_RUN} --replay ${CALLS_SCRIPTS})
add_test(NAME calls-random COMMAND ${CALLS_RUN} --seeds 1-60 --fail crash hang data file)
add_test(NAME calls-alone COMMAND ${CALLS_RUN} --seeds 1-150 --alone)
# What differs between stock and itself is the tests' own fault.
add_test(NAME calls-themselves COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/calls/run.py ${STOCK_SONAME}
         --seeds 1-20 --fail data file return output callback class text)
# Programs, and what is compared of them, are for the names and rules of 1.10.
if(STOCK_VERSION GREATER_EQUAL 11400)
  set_tests_properties(calls-scripts calls-random calls-alone calls-themselves PROPERTIES DISABLED TRUE)
endif()
set_tests_properties(calls-themselves calls-scripts calls-random calls-alone PROPERTIES LABELS calls TIMEOUT 600)
