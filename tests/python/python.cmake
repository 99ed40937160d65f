# python/tessera on the drop-in library: tests/python/test_<x>.py, of unittest.
file(GLOB PYTHON_TESTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
foreach(test ${PYTHON_TESTS})
  get_filename_component(name ${test} NAME_WE)
  string(REPLACE "test_" "python-" name ${name})
  add_test(NAME ${name} COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/run.py $<TARGET_FILE_DIR:dropin> ${test})
  set_tests_properties(${name} PROPERTIES LABELS dropin SKIP_RETURN_CODE 77 TIMEOUT 300)
endforeach()
