//===- TypeInference.h - Result types from the ONNX schemas ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs the inference functions of the onnx library on operations of the onnx
// dialect. This header is free of protobuf and of exceptions: both stay
// inside lib/Schema.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SCHEMA_TYPEINFERENCE_H
#define ONNXC_SCHEMA_TYPEINFERENCE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace onnxc::schema {

/// A dimension, or an element of a small integer tensor: a known number, a
/// named unknown (equal names are equal numbers), or nothing known.
struct SymbolicInt {
  std::optional<int64_t> constant;
  std::string symbol;
};

/// Facts about values beyond their types, given by the caller. The default has
/// nothing; the dimension analysis passes its expressions.
class ValueFacts {
public:
  virtual ~ValueFacts() = default;

  /// The type to reason with, at least as sharp as the value's own.
  virtual mlir::Type type(mlir::Value value) const { return value.getType(); }

  /// Name of dynamic dimension `dim` of `value`; empty when it has none.
  virtual std::string dimSymbol(mlir::Value value, unsigned dim) const {
    return {};
  }

  /// Elements of an integer tensor of rank 0 or 1 that is no constant.
  /// Returns false when nothing is known of them.
  virtual bool contents(mlir::Value value,
                        llvm::SmallVectorImpl<SymbolicInt> &elements) const {
    return false;
  }

  /// Returns true if inference may read the elements of constants.
  virtual bool hasConstants() const { return true; }
};

/// The types of other facts without ranks, sizes and elements. An operation
/// that is rejected with those, but not with these, has operands of wrong
/// shapes, or constants that are no shapes, axes and the like.
class ElementFacts final : public ValueFacts {
public:
  explicit ElementFacts(const ValueFacts &facts) : facts(facts) {}

  mlir::Type type(mlir::Value value) const override;
  bool hasConstants() const override { return false; }

private:
  const ValueFacts &facts;
};

/// The inferred facts about one result.
struct InferredValue {
  /// NoneType when not even the element type is known.
  mlir::Type type;
  /// The names of the dimensions of a ranked tensor, empty where none was
  /// found.
  llvm::SmallVector<std::string, 4> dimSymbols;
};

/// Types of all results of `op`, from its operands' types, small constant
/// operands and attributes; the present result types are not used. An operand
/// of NoneType counts as present but of unknown type. If, Loop, Scan and
/// SequenceMap get NoneType results: the caller infers their bodies.
///
/// Fails, with `emitError` called once, if the schema's function rejects the
/// operation. Where neither a function nor a schema exists, type variables
/// shared with operands give `tensor<*xT>`, otherwise NoneType.
mlir::FailureOr<llvm::SmallVector<InferredValue>>
inferResults(mlir::Operation *op, const ValueFacts &facts,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Infers the types of all results without facts. Errors are reported by
/// `op->emitOpError()`.
mlir::FailureOr<llvm::SmallVector<mlir::Type>>
inferResultTypes(mlir::Operation *op);

/// ONNX's number (TensorProto::DataType) of an element type, as the attribute
/// `to` of Cast has it; 0 if it is no ONNX element type.
int32_t dataTypeNumber(mlir::Type elementType);

} // namespace onnxc::schema

#endif // ONNXC_SCHEMA_TYPEINFERENCE_H
