#===- ONNXCPlatforms.cmake - Machines that runtimes are built for ----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The runtime of the machine of the build is in lib/onnxc, that of another one in
# a folder there with the name of its architecture: lib/onnxc/aarch64. It needs
# the headers of its C library only; the compiler links with lld and stubs.
#
#   ONNXC_PLATFORMS             the other machines whose headers are installed
#   ONNXC_PLATFORM_FLAGS_<one>  what makes clang compile C and C++ for it
#===------------------------------------------------------------------------===#

set(ONNXC_PLATFORMS)
foreach(platform aarch64 riscv64 x86_64)
  set(_headers /usr/${platform}-linux-gnu/include)
  if(platform STREQUAL CMAKE_SYSTEM_PROCESSOR)
    continue()
  endif()
  if(NOT EXISTS ${_headers}/stdio.h)
    message(STATUS "No runtime for ${platform}: ${_headers} is missing")
    continue()
  endif()
  list(APPEND ONNXC_PLATFORMS ${platform})
  # Headers of the C++ library and of optional libraries are those of the build:
  # nothing of them is linked, and they do not differ among 64-bit machines.
  set(_flags --target=${platform}-linux-gnu -nostdinc++)
  foreach(_dir IN LISTS CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    if(_dir MATCHES "/c\\+\\+/")
      list(APPEND _flags "SHELL:-isystem ${_dir}")
    endif()
  endforeach()
  list(APPEND _flags "SHELL:-isystem ${_headers}")
  foreach(_dir IN LISTS CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    if(_dir MATCHES "^/usr/include")
      list(APPEND _flags "SHELL:-idirafter ${_dir}")
    endif()
  endforeach()
  set(ONNXC_PLATFORM_FLAGS_${platform} ${_flags})
endforeach()
