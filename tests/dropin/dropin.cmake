# Programs that know nothing of Tessera, on the drop-in library: tests/dropin/check_<client>.py runs one of them, here in its
# short form; `make test-dropin` runs the whole of each.
file(GLOB CLIENTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/check_*.py)
foreach(check ${CLIENTS})
  get_filename_component(name ${check} NAME_WE)
  string(REPLACE "check_" "dropin-" name ${name})
  add_test(NAME ${name} COMMAND /usr/bin/python3 -B ${check} $<TARGET_FILE_DIR:dropin> ${CORPUS})
  set_tests_properties(${name} PROPERTIES LABELS dropin FIXTURES_REQUIRED corpus SKIP_RETURN_CODE 77 TIMEOUT 600)
endforeach()
# What has another layout or other numbers there than in our own headers, by programs that were built with stock's.
foreach(name driver_user id_table)
  add_test(NAME dropin-twin-${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/checks/twin_dropin.sh $<TARGET_FILE:twin-${name}-stock>
                                            $<TARGET_FILE_DIR:dropin>)
  set_tests_properties(dropin-twin-${name} PROPERTIES LABELS dropin TIMEOUT 300)
endforeach()
