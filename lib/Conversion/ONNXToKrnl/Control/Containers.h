//===- Containers.h - Objects of the runtime --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Sequences, optionals, maps and tensors of unknown rank are objects of the
// runtime (!krnl.obj). Operations on them are calls into runtime/lib/calls.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_CONTAINERS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_CONTAINERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

/// The number of a tensor's element type in the onnx dialect, by which calls
/// interpret elements of one byte; 0 for values of other types.
int64_t elementNumber(mlir::Type onnxType);

/// A call whose result is an object. It takes over the operands at `takes`.
mlir::Value callObject(mlir::OpBuilder &b, mlir::Location loc,
                       llvm::StringRef callee, mlir::ValueRange operands,
                       llvm::ArrayRef<int64_t> params = {},
                       llvm::ArrayRef<int64_t> takes = {});
/// A value of no elements: a tensor whose dynamic sizes are 0, else an empty
/// sequence.
mlir::Value emptyValue(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);
/// A call that gives an element of an object, as a value of type `converted`,
/// which is the converted `onnxType`. The first of its params is the number of
/// the element type, `params` follow.
mlir::Value callElement(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::StringRef callee, mlir::ValueRange operands,
                        mlir::Type onnxType, mlir::Type converted,
                        llvm::ArrayRef<int64_t> params = {});

/// `value`, in the graph of type `from`, as a value of type `converted`, in the
/// graph of type `to`, where those differ in shape, in being optional, or in
/// whether the rank is known. Properties that depend on data are checked at run
/// time; the message lists the `choices` if there are other ranks, or lengths,
/// than that of `to`.
mlir::Value convertValue(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, mlir::Type from, mlir::Type to,
                         mlir::Type converted,
                         llvm::ArrayRef<int64_t> choices = {});

/// The only element of a tensor, read on the host. The run ends with `message`
/// if there is another number of elements.
mlir::Value checkedElement(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value tensor, llvm::StringRef message);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_CONTAINERS_H
