#===- ONNXCPrecompiledHeaders.cmake - MLIR and dialects, precompiled -------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Chained precompiled headers, so that a change to a .td file does not compile
# MLIR's headers again. CMake's own cannot be chained: these are custom commands.
#
#   support               LLVM's data structures and support library
#   mlir                  and MLIR
#   mlir -> onnx          and the onnx dialect
#   mlir -> krnl          and the krnl dialect
#   mlir -> onnx -> lowering    both dialects
#   schema                the onnx library alone
#   schema -> model       and MLIR with the onnx dialect
#
# Targets with EXCEPTIONS take schema or model, all others the first five.
#
# Beside each .pch lies a .sum with a hash of the preprocessed text. ccache
# uses it in place of the .pch, which holds absolute paths: a fresh checkout
# elsewhere hits the same cache entries. (Assertions name files relative to the
# project, or the text would differ too.)
#===------------------------------------------------------------------------===#

set(ONNXC_WARNING_FLAGS -Wall -Wextra -Wno-unused-parameter -Werror)
set(ONNXC_CXX_FLAGS
    ${ONNXC_WARNING_FLAGS} -fno-exceptions -fno-rtti ${ONNXC_SANITIZE_FLAGS})
set(ONNXC_EXCEPTION_FLAGS
    ${ONNXC_WARNING_FLAGS} -fexceptions -frtti ${ONNXC_SANITIZE_FLAGS})

set(ONNXC_PCH_DIR ${PROJECT_BINARY_DIR}/pch)
set(ONNXC_PCH_SOURCE_DIR ${PROJECT_SOURCE_DIR}/utils/pch)

# _onnxc_add_pch(name header [base] [EXCEPTIONS]): build/pch/<name>.pch from
# utils/pch/<header>.
function(_onnxc_add_pch name header)
  cmake_parse_arguments(ARG "EXCEPTIONS" "" "" ${ARGN})
  set(output ${ONNXC_PCH_DIR}/${name}.pch)
  set(header ${ONNXC_PCH_SOURCE_DIR}/${header})
  set(flags ${ONNXC_CXX_FLAGS})
  if(ARG_EXCEPTIONS)
    set(flags ${ONNXC_EXCEPTION_FLAGS} ${ONNXC_ONNX_LIBRARY_FLAGS})
  endif()
  set(base)
  if(ARG_UNPARSED_ARGUMENTS)
    set(base ${ONNXC_PCH_DIR}/${ARG_UNPARSED_ARGUMENTS}.pch)
    list(PREPEND flags -include-pch ${base})
  endif()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${ONNXC_PCH_DIR}
    COMMAND ${PROJECT_SOURCE_DIR}/utils/pch/make-pch
            ${output} ${CMAKE_CXX_COMPILER} ${flags}
            ${CMAKE_CXX_FLAGS_RELEASE} -std=c++20 -fPIC
            -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
            -I${PROJECT_SOURCE_DIR}/include -I${ONNXC_GENERATED_INCLUDE_DIR}
            -I${PROJECT_SOURCE_DIR}/runtime/include
            -isystem ${ONNXC_LLVM_DIR}/include
            -x c++-header ${header}
    DEPENDS ${header} ${base} ${PROJECT_SOURCE_DIR}/utils/pch/make-pch
    DEPFILE ${output}.d
    COMMENT "Precompiling ${name}" VERBATIM)
  add_custom_target(onnxc-pch-${name} DEPENDS ${output})
endfunction()

# What users of the target ONNXCOnnxProto are compiled with.
set(ONNXC_ONNX_LIBRARY_FLAGS -DONNX_ML=1 -DONNX_NAMESPACE=onnx
    -isystem ${ONNXC_THIRD_PARTY_DIR}/onnx-install/include)

if(ONNXC_PCH)
  _onnxc_add_pch(support support.h)
  _onnxc_add_pch(mlir mlir.h)
  _onnxc_add_pch(onnx onnx.h mlir)
  _onnxc_add_pch(krnl krnl.h mlir)
  _onnxc_add_pch(lowering krnl.h onnx)
  _onnxc_add_pch(schema schema.h EXCEPTIONS)
  _onnxc_add_pch(model model.h schema EXCEPTIONS)
endif()

# Lets all sources of a target start from a precompiled header.
function(onnxc_use_pch target name)
  if(NOT name MATCHES "^(support|mlir|onnx|krnl|lowering|schema|model|none)$")
    message(FATAL_ERROR "${target}: there is no precompiled header '${name}'")
  endif()
  if(name STREQUAL none OR NOT ONNXC_PCH)
    return()
  endif()
  set(pch ${ONNXC_PCH_DIR}/${name}.pch)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${pch}>
    $<$<COMPILE_LANGUAGE:CXX>:-fpch-instantiate-templates>)
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${pch})
endfunction()

# Headers of dialects include generated ones: they come first.
function(onnxc_finish_pch)
  if(ONNXC_PCH)
    foreach(name IN ITEMS onnx krnl lowering model)
      add_dependencies(onnxc-pch-${name} onnxc-headers)
    endforeach()
  endif()
endfunction()
