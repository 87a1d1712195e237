#===- AddONNXC.cmake - One wrapper per kind of target ----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   add_onnxc_library(ONNXCName a.cpp ... [PCH name] [EXCEPTIONS]
#                     [DEPENDS targets] [LINK_LIBS libs])
#   add_onnxc_tool(onnx-name main.cpp ... [same options])      -> build/bin
#   add_onnxc_unittest(NameTests a.cpp ... [same options])     -> build/test/Unit
#   add_onnxc_fuzzer(name-fuzzer a.cpp ... [same options])     -> build/test/Fuzz
#   add_onnxc_tablegen(Target file.td -gen-x Out.inc ... [DEPENDS targets])
#                     for passes also writes a page to build/docs
#   add_onnxc_subdirectories(dir ...)   every folder below with a CMakeLists.txt
#
# Paths of generated files: build/include, the same tree as include/.
#===------------------------------------------------------------------------===#

set(ONNXC_GENERATED_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
include(ONNXCSanitizers)
include(ONNXCPrecompiledHeaders)

# Adds every folder below the given ones that has a CMakeLists.txt, except where
# a folder in between has one too: that one adds its own children.
function(add_onnxc_subdirectories)
  foreach(root IN LISTS ARGN)
    set(root ${CMAKE_CURRENT_SOURCE_DIR}/${root})
    if(EXISTS ${root}/CMakeLists.txt)
      add_subdirectory(${root})
      continue()
    endif()
    file(GLOB_RECURSE lists CONFIGURE_DEPENDS ${root}/*/CMakeLists.txt)
    list(TRANSFORM lists REPLACE "/CMakeLists.txt$" "" OUTPUT_VARIABLE dirs)
    list(SORT dirs) # a folder before those in it
    set(taken)
    foreach(dir IN LISTS dirs)
      set(covered FALSE)
      foreach(parent IN LISTS taken)
        cmake_path(IS_PREFIX parent ${dir} covered)
        if(covered)
          break()
        endif()
      endforeach()
      if(NOT covered)
        list(APPEND taken ${dir})
        add_subdirectory(${dir})
      endif()
    endforeach()
  endforeach()
endfunction()

# Splits the wrappers' arguments: sources and the options all of them share.
macro(_onnxc_parse)
  cmake_parse_arguments(ARG "EXCEPTIONS" "PCH" "DEPENDS;LINK_LIBS" ${ARGN})
  set(ARG_SOURCES)
  foreach(_source IN LISTS ARG_UNPARSED_ARGUMENTS)
    if(IS_ABSOLUTE ${_source} OR EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${_source})
      list(APPEND ARG_SOURCES ${_source})
    else()
      message(SEND_ERROR "${CMAKE_CURRENT_LIST_FILE} names ${_source}, "
                         "which does not exist")
    endif()
  endforeach()
endmacro()

# Applies flags, precompiled header and dependencies to an added target.
function(_onnxc_configure target)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/runtime/include
    ${ONNXC_GENERATED_INCLUDE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  if(ARG_EXCEPTIONS)
    target_compile_options(${target} PRIVATE ${ONNXC_EXCEPTION_FLAGS})
    set(default_pch none)
  else()
    target_compile_options(${target} PRIVATE ${ONNXC_CXX_FLAGS})
    set(default_pch mlir)
  endif()
  # -fPIC for programs too (CMake would say -fPIE): the precompiled headers are.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  if(NOT ARG_PCH)
    set(ARG_PCH ${default_pch})
  endif()
  onnxc_use_pch(${target} ${ARG_PCH})
  target_link_libraries(${target} PUBLIC ${ARG_LINK_LIBS})
  foreach(dependency IN LISTS ARG_DEPENDS)
    set_property(GLOBAL APPEND PROPERTY ONNXC_DEPENDS ${target} ${dependency})
  endforeach()
  if(NOT ARG_PCH MATCHES "^(none|schema|support)$")
    set_property(GLOBAL APPEND PROPERTY ONNXC_HEADER_USERS ${target})
  endif()
endfunction()

function(add_onnxc_library target)
  _onnxc_parse(${ARGN})
  add_library(${target} STATIC ${ARG_SOURCES})
  _onnxc_configure(${target})
endfunction()

function(add_onnxc_tool target)
  _onnxc_parse(${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  _onnxc_configure(${target})
  onnxc_sanitize_program(${target})
  target_link_libraries(${target} PRIVATE MLIR LLVM)
  set_property(GLOBAL APPEND PROPERTY ONNXC_TOOLS ${target})
endfunction()

function(add_onnxc_unittest target)
  _onnxc_parse(${ARGN})
  add_executable(${target} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  _onnxc_configure(${target})
  onnxc_sanitize_program(${target})
  target_link_libraries(${target} PRIVATE gtest gmock gtest_main MLIR LLVM)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/Unit)
  set_property(GLOBAL APPEND PROPERTY ONNXC_UNIT_TESTS ${target})
endfunction()

# Only where ONNXC_SANITIZE is on.
function(add_onnxc_fuzzer target)
  _onnxc_parse(${ARGN})
  add_executable(${target} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  _onnxc_configure(${target})
  onnxc_sanitize_program(${target} fuzzer)
  target_link_libraries(${target} PRIVATE MLIR LLVM)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/Fuzz)
  set_property(GLOBAL APPEND PROPERTY ONNXC_FUZZERS ${target})
endfunction()

# Where the .td file is: beside the caller, under include/, at the place of
# include/onnxc/ that mirrors the caller's lib/ folder, or generated.
function(_onnxc_find_td out td)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR
             BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/lib OUTPUT_VARIABLE mirror)
  foreach(candidate
          ${td} ${CMAKE_CURRENT_SOURCE_DIR}/${td}
          ${PROJECT_SOURCE_DIR}/include/${td}
          ${PROJECT_SOURCE_DIR}/include/onnxc/${mirror}/${td})
    if(IS_ABSOLUTE ${candidate} AND EXISTS ${candidate})
      set(${out} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(NOT IS_ABSOLUTE ${td})
    set(td ${ONNXC_GENERATED_INCLUDE_DIR}/${td})
  endif()
  set(${out} ${td} PARENT_SCOPE)
endfunction()

# The folder of build/include that mirrors the folder of the .td file.
function(_onnxc_td_output_dir out td)
  get_filename_component(dir ${td} DIRECTORY)
  foreach(base ${PROJECT_SOURCE_DIR}/include ${ONNXC_GENERATED_INCLUDE_DIR})
    cmake_path(IS_PREFIX base ${dir} inside)
    if(inside)
      cmake_path(RELATIVE_PATH dir BASE_DIRECTORY ${base})
      set(${out} ${ONNXC_GENERATED_INCLUDE_DIR}/${dir} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  cmake_path(RELATIVE_PATH dir BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/lib)
  set(${out} ${ONNXC_GENERATED_INCLUDE_DIR}/onnxc/${dir} PARENT_SCOPE)
endfunction()

# Appends to the words of a tablegen call what writes the documentation's page:
# build/docs/Passes/A/B.md for the passes of include/onnxc/A/B/Passes.td.
function(_onnxc_add_page list td)
  if("-gen-pass-decls" IN_LIST ${list})
    get_filename_component(dir ${td} DIRECTORY)
    cmake_path(RELATIVE_PATH dir
               BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/include/onnxc)
    set(page Passes/${dir}.md)
    set(flags -gen-pass-doc)
  else()
    return()
  endif()
  set(page ${PROJECT_BINARY_DIR}/docs/${page})
  get_filename_component(dir ${page} DIRECTORY)
  file(MAKE_DIRECTORY ${dir})
  set(${list} ${${list}} ${flags} ${page} PARENT_SCOPE)
endfunction()

function(add_onnxc_tablegen target td)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  _onnxc_find_td(td ${td})
  _onnxc_td_output_dir(output_dir ${td})
  set(flags)
  set(outputs)
  set(words ${ARG_UNPARSED_ARGUMENTS})
  _onnxc_add_page(words ${td})
  foreach(word IN LISTS words)
    if(word MATCHES "^-")
      list(APPEND flags ${word})
      continue()
    endif()
    set(output ${word})
    if(NOT IS_ABSOLUTE ${output})
      set(output ${output_dir}/${output})
    endif()
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${ONNXC_LLVM_DIR}/bin/mlir-tblgen ${flags}
              -I ${PROJECT_SOURCE_DIR}/include -I ${ONNXC_GENERATED_INCLUDE_DIR}
              -I ${ONNXC_LLVM_DIR}/include --write-if-changed
              -d ${output}.d -o ${output} ${td}
      DEPENDS ${td} ${ARG_DEPENDS}
      DEPFILE ${output}.d
      COMMENT "TableGen ${word}" VERBATIM)
    list(APPEND outputs ${output})
    set(flags)
  endforeach()
  add_custom_target(${target} DEPENDS ${outputs})
  set_property(GLOBAL APPEND PROPERTY ONNXC_TABLEGEN_TARGETS ${target})
endfunction()

# Called once, last: what needs to know all targets.
function(onnxc_finish)
  get_property(pairs GLOBAL PROPERTY ONNXC_DEPENDS)
  while(pairs)
    list(POP_FRONT pairs target dependency)
    if(TARGET ${dependency})
      add_dependencies(${target} ${dependency})
    else()
      message(SEND_ERROR "${target} depends on ${dependency}, which no "
                      "CMakeLists.txt adds")
    endif()
  endwhile()
  # Generated headers come first, so that no library has to list those of the
  # libraries it uses. What the generator itself is built from uses PCH schema.
  get_property(generated GLOBAL PROPERTY ONNXC_TABLEGEN_TARGETS)
  add_custom_target(onnxc-headers)
  if(generated)
    add_dependencies(onnxc-headers ${generated})
  endif()
  get_property(users GLOBAL PROPERTY ONNXC_HEADER_USERS)
  foreach(target IN LISTS users)
    add_dependencies(${target} onnxc-headers)
  endforeach()
  onnxc_finish_pch()
endfunction()
