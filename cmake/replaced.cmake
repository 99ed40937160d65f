# Which of Debian's libraries the drop-in library takes the place of, by the number behind its name: libhdf5_serial.so.103 is
# 1.10.8 (Debian 12), libhdf5_serial.so.310 is 1.14.5 (Debian 13). Unless said otherwise that of the system it is built on.
set(REPLACED_103 110 103.3.0 dropin.map)
set(REPLACED_310 114 310.5.0 dropin310.map)

function(find_replaced result)
  file(GLOB installed /usr/lib/*/libhdf5_serial.so.310)
  cmake_host_system_information(RESULT system QUERY DISTRIB_ID DISTRIB_VERSION_ID)
  list(APPEND system "" "")
  list(GET system 0 name)
  list(GET system 1 release)
  if(installed OR (name STREQUAL "debian" AND release VERSION_GREATER_EQUAL 13))
    set(${result} 310 PARENT_SCOPE)
  else()
    set(${result} 103 PARENT_SCOPE)
  endif()
endfunction()

find_replaced(replaced_here)
set(TESSERA_DROPIN ${replaced_here} CACHE STRING "The N of the libhdf5_serial.so.N that the drop-in library takes the place of")
set_property(CACHE TESSERA_DROPIN PROPERTY STRINGS 103 310)
if(NOT DEFINED REPLACED_${TESSERA_DROPIN})
  message(FATAL_ERROR "TESSERA_DROPIN is ${TESSERA_DROPIN}; it can be 103 or 310")
endif()
