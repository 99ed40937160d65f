# The library: every .c under src/, and the functions of the public headers that are not done yet, each of which
# reports so on the error stack.
file(GLOB_RECURSE TESSERA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
set(TESSERA_DROPIN_ONLY ${PROJECT_SOURCE_DIR}/src/api/dropin_connectors.c ${PROJECT_SOURCE_DIR}/src/api/dropin_tools.c)
list(REMOVE_ITEM TESSERA_SOURCES ${TESSERA_DROPIN_ONLY})
file(GLOB TESSERA_API_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/api/*.c)
file(GLOB TESSERA_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)

set(TESSERA_UNSUPPORTED ${CMAKE_CURRENT_BINARY_DIR}/gen/unsupported.c)
add_custom_command(
  OUTPUT ${TESSERA_UNSUPPORTED}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/gen
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/dev/functions.py --stubs ${TESSERA_UNSUPPORTED}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/dev/functions.py ${TESSERA_HEADERS} ${TESSERA_API_SOURCES}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

set_source_files_properties(${PROJECT_SOURCE_DIR}/src/api/H5.c PROPERTIES COMPILE_DEFINITIONS TESSERA_VERSION="${PROJECT_VERSION}")
add_library(tessera_objects OBJECT ${TESSERA_SOURCES} ${TESSERA_UNSUPPORTED})
target_include_directories(tessera_objects PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(tessera_objects PRIVATE TS_LIBRARY)
# Error records name source files: where they lay on the building machine means nothing to a user.
target_compile_options(tessera_objects PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/src/=
                       -fmacro-prefix-map=${CMAKE_CURRENT_BINARY_DIR}/gen/=)
target_link_libraries(tessera_objects PUBLIC PkgConfig::DEPS ${SZ_LIBRARY} ${LZF_LIBRARY} Threads::Threads m ${CMAKE_DL_LIBS})

add_library(tessera SHARED)
add_library(tessera_static STATIC)
foreach(lib tessera tessera_static)
  target_link_libraries(${lib} PRIVATE tessera_objects)
  target_include_directories(${lib} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tessera>)
endforeach()
set_target_properties(tessera_static PROPERTIES OUTPUT_NAME tessera)
set_target_properties(tessera PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)

install(TARGETS tessera EXPORT tessera-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES $<TARGET_FILE:tessera_static> DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${TESSERA_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera)
install(EXPORT tessera-targets NAMESPACE tessera:: FILE tesseraConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tesseraConfigVersion.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
# Relative to where the file lies: the prefix is chosen when installing.
file(RELATIVE_PATH PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/tessera.pc.in tessera.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
