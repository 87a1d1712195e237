//===- ProtoTypes.h - Declared types of models -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_PROTOTYPES_H
#define ONNXC_LIB_IMPORTER_PROTOTYPES_H

#include "ImportState.h"

namespace onnxc::importer {

/// The type that `proto` declares, with the dimensions that the options name
/// put in; NoneType if it declares none. With `withSizes` false all sizes are
/// dynamic, as for results of nodes. On failure `why` is the reason.
mlir::FailureOr<mlir::Type> importType(ImportState &state,
                                       const ::onnx::TypeProto &proto,
                                       bool withSizes, std::string &why);

/// Names of the dimensions of a tensor, empty where it has none, or an empty
/// vector if there is no shape. Dimensions that the options give a size lose
/// their name.
llvm::SmallVector<std::string> dimNames(const ImportState &state,
                                        const ::onnx::TypeProto &proto);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_PROTOTYPES_H
