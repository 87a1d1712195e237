//===- Strings.h - Tensors of strings, and calls on them --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A string element is a pointer to characters (!krnl.str). Kernels move such
// elements like any other; operations on the characters are krnl.call ops into
// runtime/lib/calls.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_TEXT_STRINGS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_TEXT_STRINGS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

bool isString(mlir::Type onnxType);

/// The texts of an attribute of strings; none if it is absent.
llvm::SmallVector<llvm::StringRef>
textsOf(std::optional<mlir::ArrayAttr> attribute);

/// Calls a function of the runtime that has one tensor as its result.
mlir::Value callTensor(mlir::OpBuilder &b, mlir::Location loc,
                       llvm::StringRef callee, mlir::RankedTensorType type,
                       mlir::ValueRange operands,
                       llvm::ArrayRef<int64_t> params = {});

/// A table of strings as calls read it (runtime/lib/calls/StringTable.h), with
/// a hash table if strings are to be looked up in it.
mlir::Value stringTable(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::ArrayRef<llvm::StringRef> texts, bool isSearched);

/// A tensor of constant strings.
mlir::Value stringConstant(mlir::OpBuilder &b, mlir::Location loc,
                           llvm::ArrayRef<llvm::StringRef> texts,
                           llvm::ArrayRef<int64_t> shape);

/// For each string of `x` the position of the first of `keys` that equals it,
/// as i64; their number where none does.
mlir::Value stringIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        llvm::ArrayRef<llvm::StringRef> keys);

/// The elements of a tensor of numbers cast from one ONNX type to another.
mlir::Value castNumbers(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        mlir::Type from, mlir::Type to);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_TEXT_STRINGS_H
