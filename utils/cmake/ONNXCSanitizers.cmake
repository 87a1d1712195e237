#===- ONNXCSanitizers.cmake - Flags of an instrumented build ---------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# With ONNXC_SANITIZE, what add_onnxc_library, _tool, _unittest and _fuzzer add
# is instrumented. The runtime inside artefacts is not: artefacts name no symbol
# of a sanitizer. Its unit tests and RuntimeFuzzer instrument it instead.
#
# vptr needs RTTI, which LLVM is built without; function compares types across
# libMLIR.so, which has no such records.
#===------------------------------------------------------------------------===#

set(ONNXC_SANITIZE_FLAGS)
if(ONNXC_SANITIZE)
  set(ONNXC_SANITIZE_FLAGS
      -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=vptr,function
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
endif()

# onnxc_sanitize_program(target [fuzzer]): the runtime libraries of the
# sanitizers, and with `fuzzer` the main function of libFuzzer.
function(onnxc_sanitize_program target)
  if(NOT ONNXC_SANITIZE)
    return()
  endif()
  target_sources(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/utils/sanitize/DefaultOptions.c)
  target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  if("fuzzer" IN_LIST ARGN)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()
