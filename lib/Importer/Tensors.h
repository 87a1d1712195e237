//===- Tensors.h - Tensors of models as attributes -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_TENSORS_H
#define ONNXC_LIB_IMPORTER_TENSORS_H

#include "ImportState.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace onnxc::importer {

/// The tensor as dense elements if it is small, otherwise as a blob that
/// points into the file if the bytes lie there. On failure `why` is the reason,
/// and nothing is reported.
mlir::FailureOr<mlir::TypedAttr> importTensor(ImportState &state,
                                              const ::onnx::TensorProto &proto,
                                              std::string &why);

/// The dense tensor that a sparse one stands for.
mlir::FailureOr<mlir::TypedAttr>
importSparseTensor(ImportState &state, const ::onnx::SparseTensorProto &proto,
                   std::string &why);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_TENSORS_H
