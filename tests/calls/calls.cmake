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
# Beside later releases, where those are at hand: what they added; what 1.10 has, too, may be as there. The library for 1.14 is the one
# that takes its place, for 2.x the one that takes nobody's.
set(CALLS_310 ${CALLS_LIBRARY})
if(TARGET dropin_310)
  set(CALLS_310 $<TARGET_FILE:dropin_310>)
endif()
set(CALLS_LATER COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/calls/run.py)
set(CALLS_KINDS --fail crash hang data file return output callback)
add_test(NAME calls-1.14 ${CALLS_LATER} ${CALLS_310} --release 1.14 --seeds 1-30 ${CALLS_KINDS})
add_test(NAME calls-2.2 ${CALLS_LATER} $<TARGET_FILE:tessera> --release 2.2 --seeds 1-30 ${CALLS_KINDS})
set_tests_properties(calls-1.14 calls-2.2 PROPERTIES LABELS calls TIMEOUT 600 SKIP_RETURN_CODE 77)
# Programs, and what is compared of them, are for the names and rules of 1.10.
if(STOCK_VERSION GREATER_EQUAL 11400)
  set_tests_properties(calls-scripts calls-random calls-alone calls-themselves PROPERTIES DISABLED TRUE)
endif()
set_tests_properties(calls-themselves calls-scripts calls-random calls-alone PROPERTIES LABELS calls TIMEOUT 600)
