# Threads on the datasets of one file, against arrays in memory.
add_executable(model-threads ${CMAKE_CURRENT_SOURCE_DIR}/model/model.c)
target_link_libraries(model-threads PRIVATE tessera Threads::Threads)
add_dependencies(thread-tests model-threads)
set(MODEL_OPS 150)
set(MODEL_CHECK "")
if(NOT TESSERA_SANITIZE STREQUAL "thread")
  find_program(NUMPY_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
  set(MODEL_OPS 400)
  set(MODEL_CHECK ${NUMPY_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/model/check.py)
endif()
foreach(seeds 1-10 11-20)
  add_test(NAME model-${seeds} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/model/run.sh $<TARGET_FILE:model-threads> ${seeds} ${MODEL_OPS}
           ${MODEL_CHECK})
  set_tests_properties(model-${seeds} PROPERTIES LABELS "model;threads" TIMEOUT 300)
endforeach()

# Structured datasets of every kind; on threads of their own under ThreadSanitizer, and otherwise so that a seed repeats.
add_executable(model-sparse ${CMAKE_CURRENT_SOURCE_DIR}/model/sparse.c)
target_link_libraries(model-sparse PRIVATE tessera Threads::Threads)
add_dependencies(thread-tests model-sparse)
set(SPARSE_OPS 300 --threads 1)
if(TESSERA_SANITIZE STREQUAL "thread")
  set(SPARSE_OPS 120 --threads 4)
endif()
add_test(NAME model-sparse COMMAND model-sparse --seeds 1-30 --ops ${SPARSE_OPS})
set_tests_properties(model-sparse PROPERTIES LABELS "model;threads" TIMEOUT 300)

# Virtual datasets over sparse and dense ones.
add_executable(model-virtual ${CMAKE_CURRENT_SOURCE_DIR}/model/virtual.c)
target_link_libraries(model-virtual PRIVATE tessera)
add_test(NAME model-virtual COMMAND model-virtual --seeds 1-60 --ops 200)
set_tests_properties(model-virtual PROPERTIES LABELS "model" TIMEOUT 300)
