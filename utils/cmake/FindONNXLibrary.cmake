#===- FindONNXLibrary.cmake - Target ONNXCOnnxProto ------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The onnx C++ library (schemas, checker, type inference) and its protobuf
# classes, built once by utils/setup.sh as static libraries; and protobuf as a
# static library for self-contained programs, where it is there.
#===------------------------------------------------------------------------===#

set(ONNXC_ONNX_PREFIX ${ONNXC_THIRD_PARTY_DIR}/onnx-install)
if(NOT EXISTS ${ONNXC_ONNX_PREFIX}/lib/libonnx.a)
  message(WARNING "The onnx C++ library is not at ${ONNXC_ONNX_PREFIX}; "
                  "run utils/setup.sh")
endif()

set(ONNXC_PROTOBUF_ARCHIVE
    ${ONNXC_THIRD_PARTY_DIR}/protobuf-install/lib/libprotobuf.a
    CACHE FILEPATH "Protobuf as position independent code")
onnxc_add_alternative(ONNXCProtobuf protobuf ${ONNXC_PROTOBUF_ARCHIVE})

add_library(ONNXCOnnxProto INTERFACE IMPORTED GLOBAL)
target_include_directories(ONNXCOnnxProto SYSTEM INTERFACE
                           ${ONNXC_ONNX_PREFIX}/include)
target_compile_definitions(ONNXCOnnxProto INTERFACE
                           ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(ONNXCOnnxProto INTERFACE
                      ${ONNXC_ONNX_PREFIX}/lib/libonnx.a
                      ${ONNXC_ONNX_PREFIX}/lib/libonnx_proto.a
                      ONNXCProtobuf)
