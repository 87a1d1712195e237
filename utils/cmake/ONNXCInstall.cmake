#===- ONNXCInstall.cmake - cmake --install ---------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The installed tree can be moved: the tools find the runtime, and the CMake
# package and pkg-config find the rest, relative to themselves. The shared
# libraries of LLVM and protobuf stay where they are.
#
#   bin/             onnx-compile, onnx-run; onnx-opt and other tools
#   include/         the C and C++ headers; those of the dialects and passes
#   lib/libonnxc.so  the compiler as a library (onnxc/Compile.h); libonnxc.a too,
#                    once `ninja onnxc-static` has made it
#   lib/onnxc/       what the compiler links into artefacts
#   lib/cmake/onnx-compile/, lib/pkgconfig/
#   share/man/, share/doc/onnx-compile/, completions for bash and zsh
#
# Components: programs (tools and library), compiler (the rest of what users
# need), development (headers of C++, tools for passes), self-contained (in the
# place of programs) and static (ONNXCSelfContained.cmake).
#===------------------------------------------------------------------------===#

# The C API as a shared library that exports nothing else.
function(_onnxc_add_compiler_library)
  set(script ${PROJECT_SOURCE_DIR}/lib/Compile/libonnxc.map)
  add_library(onnxc SHARED $<TARGET_OBJECTS:ONNXCCompile>)
  target_link_libraries(onnxc PRIVATE ONNXCCheck ONNXCExplain MLIR LLVM)
  target_link_options(onnxc PRIVATE -Wl,--version-script=${script})
  set_target_properties(onnxc PROPERTIES
    LINKER_LANGUAGE CXX LINK_DEPENDS ${script}
    INSTALL_RPATH ${ONNXC_LLVM_DIR}/lib
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  add_dependencies(onnxc ONNXCRuntime)
endfunction()

# Files under `dir` of the sources and of the generated headers.
function(_onnxc_install_headers dir)
  foreach(root ${PROJECT_SOURCE_DIR}/include ${ONNXC_GENERATED_INCLUDE_DIR})
    install(DIRECTORY ${root}/${dir} DESTINATION include COMPONENT development
            FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td"
            PATTERN "CMakeFiles" EXCLUDE)
  endforeach()
endfunction()

function(_onnxc_install_package)
  include(CMakePackageConfigHelpers)
  set(build ${PROJECT_BINARY_DIR}/package)
  set(source ${PROJECT_SOURCE_DIR}/utils/cmake/package)
  set(folder lib/cmake/onnx-compile)
  configure_package_config_file(${source}/onnx-compile-config.cmake.in
    ${build}/onnx-compile-config.cmake INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(${build}/onnx-compile-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${build}/onnx-compile-config.cmake
                ${build}/onnx-compile-config-version.cmake
                ${source}/OnnxCompileAddModel.cmake
          DESTINATION ${folder} COMPONENT compiler)
  foreach(name onnx-compile onnx-compile-runtime)
    configure_file(${source}/${name}.pc.in ${build}/${name}.pc @ONLY)
    install(FILES ${build}/${name}.pc DESTINATION lib/pkgconfig
            COMPONENT compiler)
  endforeach()
endfunction()

# share/man/man1/NAME.1 from what NAME --help prints, and completions that ask
# the program for its options.
function(_onnxc_install_manuals)
  set(pages)
  foreach(tool IN LISTS ARGN)
    set(page ${PROJECT_BINARY_DIR}/package/man1/${tool}.1)
    add_custom_command(
      OUTPUT ${page}
      COMMAND ${ONNXC_VENV_DIR}/bin/python ${PROJECT_SOURCE_DIR}/utils/man-page
              $<TARGET_FILE:${tool}> ${page}
      DEPENDS ${tool} ${PROJECT_SOURCE_DIR}/utils/man-page VERBATIM)
    list(APPEND pages ${page})
  endforeach()
  add_custom_target(onnxc-manuals ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION share/man/man1 COMPONENT compiler)
  set(source ${PROJECT_SOURCE_DIR}/utils/cmake/package)
  install(FILES ${source}/completion.bash RENAME onnx-compile
          DESTINATION share/bash-completion/completions COMPONENT compiler)
  install(FILES ${source}/completion.bash RENAME onnx-run
          DESTINATION share/bash-completion/completions COMPONENT compiler)
  install(FILES ${source}/completion.zsh RENAME _onnx-compile
          DESTINATION share/zsh/site-functions COMPONENT compiler)
endfunction()

function(onnxc_install)
  _onnxc_add_compiler_library()
  install(TARGETS onnxc LIBRARY DESTINATION lib COMPONENT programs)
  set(tools onnx-compile onnx-run)
  set(development_tools onnx-lsp-server onnx-opt onnx-reduce)
  set_target_properties(${tools} ${development_tools} PROPERTIES
    INSTALL_RPATH ${ONNXC_LLVM_DIR}/lib)
  install(TARGETS ${tools} RUNTIME DESTINATION bin COMPONENT programs)
  install(TARGETS ${development_tools} RUNTIME DESTINATION bin
          COMPONENT development)
  install(DIRECTORY ${ONNXC_RUNTIME_LIB_DIR} DESTINATION lib
          COMPONENT compiler)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/
          DESTINATION include COMPONENT compiler
          FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
  install(FILES ${PROJECT_SOURCE_DIR}/include/onnxc/Compile.h
          DESTINATION include/onnxc COMPONENT compiler)
  install(FILES LICENSE NOTICE README.md docs/ReleaseNotes.md
          DESTINATION share/doc/onnx-compile COMPONENT compiler)
  _onnxc_install_headers(onnxc)
  _onnxc_install_manuals(${tools})
  _onnxc_install_package()
endfunction()
