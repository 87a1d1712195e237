#===- OnnxCompileAddModel.cmake - Models as libraries of a build -----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   onnx_compile_add_model(<target> <model.onnx> [STATIC] [HEADER]
#                          [OPTIONS <option of onnx-compile>...]
#                          [DEPENDS <file>...])
#
# Adds a library <target> with the model, compiled when the model, the compiler
# or a file of DEPENDS (external weights, recipes, a library of custom
# operators) is newer. Programs that link it call
#
#   OMTensorList *run_main_graph_<target>(OMTensorList *);
#
# and find the headers of the runtime. A program may link any number of models.
#
# Without STATIC the library is the shared object lib<target>.so, which may also
# be loaded by a session: $<TARGET_FILE:target> names it. With STATIC it is an
# archive, linked into the program together with the runtime.
#
# With HEADER, programs that link it find the header of the model (--emit-header)
# as <target>.h.
#
# The model is compiled for the processor of this machine unless OPTIONS has
# --cpu. <target> becomes part of names in C: letters, digits and '_' only.
#===------------------------------------------------------------------------===#

function(onnx_compile_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "STATIC;HEADER" "" "OPTIONS;DEPENDS")
  if(NOT target MATCHES "^[A-Za-z0-9_]+$")
    message(FATAL_ERROR "onnx_compile_add_model: '${target}' becomes part of "
            "names in C: use letters, digits and '_' only")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "onnx_compile_add_model(${target}): unknown argument "
            "'${ARG_UNPARSED_ARGUMENTS}'; options of the compiler follow "
            "OPTIONS")
  endif()
  get_filename_component(model "${model}" ABSOLUTE)
  if(ARG_STATIC)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.onnx.o)
    set(emit obj)
  else()
    set(output ${CMAKE_CURRENT_BINARY_DIR}/lib${target}.so)
    set(emit lib)
  endif()
  set(header)
  set(move_header)
  if(ARG_HEADER)
    # The compiler writes it beside the output, by the name of that. CMake wants
    # the folder when it configures.
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${target}-include)
    file(MAKE_DIRECTORY ${include})
    set(header ${include}/${target}.h)
    string(REGEX REPLACE "[.][^.]*$" ".h" written ${output})
    set(move_header COMMAND ${CMAKE_COMMAND} -E rename ${written} ${header})
    list(APPEND ARG_OPTIONS --emit-header)
  endif()
  add_custom_command(
    OUTPUT ${output} ${header}
    COMMAND onnx-compile::compiler ${model} -o ${output} --emit=${emit}
            --tag=${target} ${ARG_OPTIONS}
    ${move_header}
    DEPENDS ${model} onnx-compile::compiler ${ARG_DEPENDS}
    COMMENT "Compiling the model ${target}" VERBATIM)

  if(ARG_STATIC)
    set_source_files_properties(${output} PROPERTIES
      EXTERNAL_OBJECT TRUE GENERATED TRUE)
    add_library(${target} STATIC ${output} ${header})
    # An archive has no sources that name one.
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(C IN_LIST languages)
      set(language C)
    elseif(CXX IN_LIST languages)
      set(language CXX)
    else()
      message(FATAL_ERROR "onnx_compile_add_model(${target}): an archive needs "
              "the language C or CXX in this project")
    endif()
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
    target_link_libraries(${target} INTERFACE onnx-compile::runtime)
    if(ARG_HEADER)
      target_include_directories(${target} INTERFACE ${include})
    endif()
    return()
  endif()
  add_custom_target(${target}-compile ALL DEPENDS ${output} ${header})
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${output} IMPORTED_NO_SONAME TRUE)
  target_link_libraries(${target} INTERFACE onnx-compile::session)
  if(ARG_HEADER)
    target_include_directories(${target} INTERFACE ${include})
  endif()
  add_dependencies(${target} ${target}-compile)
endfunction()
