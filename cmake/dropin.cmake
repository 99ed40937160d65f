# The library that takes the place of Debian's libhdf5_serial.so.103: the same code under that name and its symbol
# versions (tools/dev/dropin_map.py). Only the sources that say which release this is differ.
set(DROPIN_OWN src/api/H5.c src/api/H5E.c src/api/H5Finfo.c src/api/H5Pdcpl.c src/api/H5Pfapl.c src/dataset/copy.c
    src/dataset/create.c src/plist/fapl.c)
set(DROPIN_FLAGS -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/src/= -fmacro-prefix-map=${CMAKE_CURRENT_BINARY_DIR}/gen/=)
if(TESSERA_SANITIZE)
  # A program that was not built with sanitizers cannot load a library that was.
  set(DROPIN_SOURCES ${TESSERA_SOURCES} ${TESSERA_UNSUPPORTED})
  list(APPEND DROPIN_FLAGS -fno-sanitize=all)
  set(DROPIN_SHARED "")
else()
  set(DROPIN_SOURCES ${DROPIN_OWN})
  list(JOIN DROPIN_OWN "|" owned)
  set(DROPIN_SHARED "$<FILTER:$<TARGET_OBJECTS:tessera_objects>,EXCLUDE,/(${owned}).o>")
endif()

add_library(dropin SHARED ${DROPIN_SOURCES} ${TESSERA_DROPIN_ONLY} ${DROPIN_SHARED})
target_include_directories(dropin PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(dropin PRIVATE TS_LIBRARY TS_DROPIN)
target_compile_options(dropin PRIVATE ${DROPIN_FLAGS})
target_link_libraries(dropin PRIVATE PkgConfig::DEPS ${SZ_LIBRARY} ${LZF_LIBRARY} Threads::Threads m ${CMAKE_DL_LIBS})
target_link_options(dropin PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/dropin.map -fno-sanitize=all)
set_target_properties(dropin PROPERTIES OUTPUT_NAME hdf5_serial VERSION 103.3.0 SOVERSION 103
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/dropin
                      LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/dropin.map)
# Apart from the other libraries: only `tessera run` and those who ask for it shall find it.
install(TARGETS dropin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tessera NAMELINK_SKIP)
# What h5py has no words for, on this library: docs/python.md.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/python
        FILES_MATCHING PATTERN "*.py")
