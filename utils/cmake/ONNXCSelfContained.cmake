#===- ONNXCSelfContained.cmake - Programs that need only libc and libm -----===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# `ninja onnxc-self-contained` links the objects of the ordinary programs once
# more, with LLVM, MLIR, lld and protobuf inside, and without debug symbols:
#
#   build/self-contained/lib/libonnxc.so   the compiler
#   build/self-contained/bin/              onnx-compile, which calls it, and onnx-run,
#                                          their names ending in -self-contained
#
# `ninja onnxc-static` makes build/self-contained/lib/libonnxc.a, the compiler as
# a static library: one object that defines the functions of onnxc/Compile.h and
# whose other symbols are local, so that a program may link LLVM of its own.
#
# `ninja onnxc-package` makes onnx-compile-VERSION-SYSTEM.tar.gz and .deb of
# them and of the rest of what is installed, with CPack.
#===------------------------------------------------------------------------===#

# What links as ${shared}, and as ${static} in targets with the property
# ONNXC_SELF_CONTAINED.
function(onnxc_add_alternative target shared static)
  foreach(kind shared static)
    add_library(${target}-${kind} INTERFACE)
    target_link_libraries(${target}-${kind} INTERFACE ${${kind}})
  endforeach()
  add_library(${target} INTERFACE)
  set(chosen $<BOOL:$<TARGET_PROPERTY:ONNXC_SELF_CONTAINED>>)
  target_link_libraries(${target} INTERFACE
    $<IF:${chosen},${target}-static,${target}-shared>)
endfunction()

# The targets of LLVM that the compiler makes code for (lib/Target/Target.cpp).
set(ONNXC_LLVM_TARGETS AArch64 ARM NVPTX RISCV X86)
file(GLOB _archives ${ONNXC_LLVM_DIR}/lib/libMLIR*.a
                    ${ONNXC_LLVM_DIR}/lib/libLLVM*.a)
onnxc_add_alternative(ONNXCLLVM "MLIR;LLVM" "${_archives}")
onnxc_add_alternative(ONNXCCompression "z;zstd" "libz.a;libzstd.a")

function(_onnxc_make_self_contained target)
  set_target_properties(${target} PROPERTIES
    EXCLUDE_FROM_ALL ON ONNXC_SELF_CONTAINED ON LINKER_LANGUAGE CXX
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/self-contained/bin
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/self-contained/lib
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN/../lib")
  target_link_libraries(${target} PRIVATE ${ARGN} ONNXCLLVM)
  target_link_options(${target} PRIVATE
    -static-libgcc -static-libstdc++ -Wl,--gc-sections -Wl,--strip-all)
endfunction()

# The functions of the C API, for linkers that need names of roots.
function(_onnxc_find_exports header result)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
               CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REGEX MATCHALL "om(Compiler|Model)[A-Za-z]+\\(" names "${text}")
  list(REMOVE_DUPLICATES names)
  list(TRANSFORM names REPLACE "\\(" "")
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# Only GNU ld removes sections that nothing uses, and groups of sections, from
# an object: a local group would be taken for one of the program's with its name.
function(_onnxc_add_static_library)
  set(library ${PROJECT_BINARY_DIR}/self-contained/lib/libonnxc.a)
  set(object ${library}.o)
  set(target onnxc-static-object)
  _onnxc_find_exports(${PROJECT_SOURCE_DIR}/include/onnxc/Compile.h names)
  add_executable(${target}
    $<TARGET_OBJECTS:ONNXCCompile> $<TARGET_OBJECTS:ONNXCUnusedLLVM>)
  set_target_properties(${target} PROPERTIES
    EXCLUDE_FROM_ALL ON ONNXC_SELF_CONTAINED ON LINKER_LANGUAGE CXX
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/self-contained/lib)
  target_link_libraries(${target} PRIVATE ONNXCCheck ONNXCExplain ONNXCLLVM)
  target_link_options(${target} PRIVATE
    -r -nostdlib -fuse-ld=bfd -Wl,--gc-sections -Wl,--force-group-allocation
    -Wl,--start-group # to the end: archives of LLVM need each other
    "-Wl,-u,$<JOIN:${names},$<COMMA>-u$<COMMA>>")
  list(TRANSFORM names PREPEND --keep-global-symbol=)
  add_custom_command(OUTPUT ${library}
    COMMAND ${ONNXC_LLVM_DIR}/bin/llvm-objcopy --strip-unneeded ${names}
            $<TARGET_FILE:${target}> ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${library}
    COMMAND ${ONNXC_LLVM_DIR}/bin/llvm-ar rcD ${library} ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${object}
    DEPENDS ${target} VERBATIM)
  add_custom_target(onnxc-static DEPENDS ${library})
  install(FILES ${library} DESTINATION lib COMPONENT static OPTIONAL)
endfunction()

# Requires the target onnxc of ONNXCInstall.cmake, whose version this has.
function(onnxc_add_self_contained_programs)
  if(NOT EXISTS ${ONNXC_PROTOBUF_ARCHIVE})
    message(STATUS "No self-contained programs: ${ONNXC_PROTOBUF_ARCHIVE} is "
                   "missing")
    add_custom_target(onnxc-self-contained)
    add_custom_target(onnxc-static)
    return()
  endif()
  set(script ${PROJECT_SOURCE_DIR}/lib/Compile/libonnxc.map)
  add_library(onnxc-self-contained-lib SHARED
    $<TARGET_OBJECTS:ONNXCCompile> $<TARGET_OBJECTS:ONNXCUnusedLLVM>)
  _onnxc_make_self_contained(onnxc-self-contained-lib ONNXCCheck ONNXCExplain)
  target_link_options(onnxc-self-contained-lib PRIVATE
                      -Wl,--version-script=${script})
  set_target_properties(onnxc-self-contained-lib PROPERTIES
    OUTPUT_NAME onnxc LINK_DEPENDS ${script}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

  add_executable(onnx-compile-self-contained $<TARGET_OBJECTS:onnx-compile>)
  _onnxc_make_self_contained(onnx-compile-self-contained
                             onnxc-self-contained-lib ONNXCValues)
  add_executable(onnx-run-self-contained $<TARGET_OBJECTS:onnx-run>)
  # The table of nodes is compressed.
  _onnxc_make_self_contained(onnx-run-self-contained ONNXCValues dl ONNXCCompression)
  add_custom_target(onnxc-self-contained
    DEPENDS onnxc-self-contained-lib onnx-compile-self-contained
            onnx-run-self-contained ONNXCRuntime onnxc-manuals)
  install(TARGETS onnxc-self-contained-lib LIBRARY DESTINATION lib
          COMPONENT self-contained EXCLUDE_FROM_ALL)
  # Two programs of one name would be one target for ninja.
  foreach(program onnx-compile onnx-run)
    install(PROGRAMS $<TARGET_FILE:${program}-self-contained>
            DESTINATION bin RENAME ${program}
            COMPONENT self-contained EXCLUDE_FROM_ALL)
  endforeach()
  _onnxc_add_static_library()
  _onnxc_add_package()
endfunction()

# Packages without the programs that need LLVM's libraries. Compressed by gzip:
# xz takes a minute.
function(_onnxc_add_package)
  set(CPACK_GENERATOR TGZ DEB)
  set(CPACK_COMPONENTS_ALL compiler self-contained)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_PACKAGE_NAME onnx-compile)
  set(CPACK_PACKAGE_VENDOR "the authors of onnx-compile")
  set(CPACK_PACKAGE_CONTACT ${CPACK_PACKAGE_VENDOR})
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
      "Ahead-of-time compiler of ONNX models")
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
  set(CPACK_PACKAGE_FILE_NAME
      onnx-compile-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
  # The libraries of LLVM and protobuf are those of Debian 12.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")
  set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
  set(CPACK_VERBATIM_VARIABLES ON)
  include(CPack)
  add_custom_target(onnxc-package
    COMMAND ${CMAKE_CPACK_COMMAND} --config
            ${PROJECT_BINARY_DIR}/CPackConfig.cmake
    DEPENDS onnxc-self-contained VERBATIM USES_TERMINAL)
endfunction()
