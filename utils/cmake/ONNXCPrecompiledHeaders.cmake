#===- ONNXCPrecompiledHeaders.cmake - mlir.pch, and onnx.pch on top of it --===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Two chained precompiled headers: `mlir` holds MLIR alone and is built once;
# `onnx` adds the generated ONNX dialect, so that a change to a .td file does
# not compile MLIR's headers again. CMake's own precompiled headers cannot be
# chained, so these are custom commands.
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

# _onnxc_add_pch(name [base]): build/pch/<name>.pch from utils/pch/<name>.h.
function(_onnxc_add_pch name)
  set(output ${ONNXC_PCH_DIR}/${name}.pch)
  set(header ${ONNXC_PCH_SOURCE_DIR}/${name}.h)
  set(base_flags)
  set(base)
  if(ARGN)
    set(base ${ONNXC_PCH_DIR}/${ARGN}.pch)
    set(base_flags -include-pch ${base})
  endif()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${ONNXC_PCH_DIR}
    COMMAND ${PROJECT_SOURCE_DIR}/utils/pch/make-pch
            ${output} ${CMAKE_CXX_COMPILER} ${base_flags}
            ${CMAKE_CXX_FLAGS_RELEASE} -std=c++20 -fPIC ${ONNXC_CXX_FLAGS}
            -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
            -I${PROJECT_SOURCE_DIR}/include -I${ONNXC_GENERATED_INCLUDE_DIR}
            -I${PROJECT_SOURCE_DIR}/runtime/include
            -isystem ${ONNXC_LLVM_DIR}/include
            -x c++-header ${header}
    DEPENDS ${header} ${base} ${PROJECT_SOURCE_DIR}/utils/pch/make-pch
    DEPFILE ${output}.d
    COMMENT "Precompiling ${name}.h" VERBATIM)
  add_custom_target(onnxc-pch-${name} DEPENDS ${output})
endfunction()

if(ONNXC_PCH)
  _onnxc_add_pch(mlir)
  _onnxc_add_pch(onnx mlir)
endif()

# Lets all sources of a target start from a precompiled header.
function(onnxc_use_pch target name)
  if(NOT name MATCHES "^(mlir|onnx|none)$")
    message(FATAL_ERROR "${target}: PCH is mlir, onnx or none, not '${name}'")
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

# The onnx header includes generated ones: they come first.
function(onnxc_finish_pch)
  if(ONNXC_PCH)
    add_dependencies(onnxc-pch-onnx onnxc-headers)
  endif()
endfunction()
