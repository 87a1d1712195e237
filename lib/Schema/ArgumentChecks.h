//===- ArgumentChecks.h - What schemas do not check ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_SCHEMA_ARGUMENTCHECKS_H
#define ONNXC_LIB_SCHEMA_ARGUMENTCHECKS_H

#include "onnxc/Schema/TypeInference.h"

#include "onnx/defs/schema.h"

namespace onnxc::schema {

/// The formal parameter of slot `index`; the last one repeats if variadic. Null
/// if there is none.
const ::onnx::OpSchema::FormalParameter *
formalOf(const std::vector<::onnx::OpSchema::FormalParameter> &formals,
         size_t index);

/// The error in attributes, and in the lengths of lists, that the schema's
/// function would not find, or not survive. `operands` has a value for each
/// slot, null where it is absent.
std::optional<std::string> checkArguments(mlir::Operation *op,
                                          const ::onnx::OpSchema &schema,
                                          llvm::ArrayRef<mlir::Value> operands,
                                          const ValueFacts &facts);

} // namespace onnxc::schema

#endif // ONNXC_LIB_SCHEMA_ARGUMENTCHECKS_H
