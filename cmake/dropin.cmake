# The library that takes the place of Debian's libhdf5_serial.so.N (replaced.cmake): the same code under that name and its
# symbol versions (tools/dev/dropin_map.py). Only the sources that say which release this is differ.
set(DROPIN_OWN src/api/H5.c src/api/H5A.c src/api/H5Dchunk.c src/id/error_object.c src/api/H5FD.c src/api/H5FDfile.c src/api/H5Finfo.c
    src/api/H5I.c src/api/H5Pdcpl.c src/api/H5Pfapl.c src/api/H5T.c src/api/default_driver.c src/api/outer_records.c
    src/dataset/copy.c src/dataset/create.c src/driver/user.c src/file/file.c src/group/follow.c src/object/object_write.c
    src/container/page_buffer.c src/plist/fapl.c)
set(DROPIN_FLAGS -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/src/= -fmacro-prefix-map=${CMAKE_CURRENT_BINARY_DIR}/gen/=)
list(JOIN DROPIN_OWN "|" owned)
set(DROPIN_SHARED "$<FILTER:$<TARGET_OBJECTS:tessera_objects>,EXCLUDE,/(${owned}).o>")

# The library for libhdf5_serial.so.NUMBER in the folder `folder`, of these sources and objects.
function(add_dropin number target folder)
  list(GET REPLACED_${number} 0 abi)
  list(GET REPLACED_${number} 1 version)
  list(GET REPLACED_${number} 2 map)
  add_library(${target} SHARED ${ARGN} ${TESSERA_DROPIN_ONLY})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE TS_LIBRARY TS_DROPIN=${abi})
  target_compile_options(${target} PRIVATE ${DROPIN_FLAGS})
  target_link_libraries(${target} PRIVATE PkgConfig::DEPS ${SZ_LIBRARY} ${LZF_LIBRARY} Threads::Threads m ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/${map})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME hdf5_serial VERSION ${version} SOVERSION ${number}
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder}
                        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/${map})
endfunction()

if(TESSERA_SANITIZE)
  # A program that was not built with sanitizers cannot load a library that was, unless it loads their runtime first.
  add_dropin(${TESSERA_DROPIN} dropin dropin ${TESSERA_SOURCES} ${TESSERA_UNSUPPORTED})
  # As it is released: tests/checks/frames counts what is on the stack of this one.
  target_compile_options(dropin PRIVATE -fno-sanitize=all -O3)
  target_link_options(dropin PRIVATE -fno-sanitize=all)
  add_dropin(${TESSERA_DROPIN} dropin_sanitized dropin-sanitized ${DROPIN_OWN} ${DROPIN_SHARED})
else()
  add_dropin(${TESSERA_DROPIN} dropin dropin ${DROPIN_OWN} ${DROPIN_SHARED})
endif()
# Tests compare with 1.14 on any system.
if(TESSERA_TESTS AND NOT TESSERA_DROPIN EQUAL 310)
  add_dropin(310 dropin_310 dropin-310 ${DROPIN_OWN} ${DROPIN_SHARED})
endif()
# Apart from the other libraries: only `tessera run` and those who ask for it shall find it.
install(TARGETS dropin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tessera NAMELINK_SKIP)
# What h5py has no words for, on this library: docs/python.md.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/python
        FILES_MATCHING PATTERN "*.py")
