/* How a public symbol is marked. The library is built with hidden visibility: only what is marked leaves it. */
#ifndef H5API_ADPT_H
#define H5API_ADPT_H

#if defined(__GNUC__) || defined(__clang__)
#define H5_DLL extern __attribute__((visibility("default")))
#else
#define H5_DLL extern
#endif
#define H5_DLLVAR H5_DLL

/* The other libraries of the family (C++, high level, Fortran, tools) mark theirs with these names. */
#define H5TEST_DLL H5_DLL
#define H5TEST_DLLVAR H5_DLLVAR
#define H5TOOLS_DLL H5_DLL
#define H5TOOLS_DLLVAR H5_DLLVAR
#define H5_HLDLL H5_DLL
#define H5_HLDLLVAR H5_DLLVAR
#define H5_FCDLL H5_DLL
#define H5_FCDLLVAR H5_DLLVAR
#define H5_FCTESTDLL H5_DLL
#define H5_FCTESTDLLVAR H5_DLLVAR
#define HDF5_HL_F90CSTUBDLL H5_DLL
#define HDF5_HL_F90CSTUBDLLVAR H5_DLLVAR

/* A C++ class cannot be declared extern. */
#if defined(__GNUC__) || defined(__clang__)
#define H5_DLLCPP __attribute__((visibility("default")))
#else
#define H5_DLLCPP
#endif
#define H5_DLLCPPVAR extern H5_DLLCPP
#define H5_HLCPPDLL H5_DLLCPP
#define H5_HLCPPDLLVAR H5_DLLCPPVAR

#endif
