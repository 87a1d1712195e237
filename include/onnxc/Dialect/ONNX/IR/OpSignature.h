//===- OpSignature.h - Table of operator signatures ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// ODS has neither type variables that are one type throughout an operation nor
// bounds on the number of values of a variadic operand. One verifier over a
// generated table checks this for all operations; one builder uses it to turn
// absent operands into segment sizes.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_OPSIGNATURE_H
#define ONNXC_DIALECT_ONNX_IR_OPSIGNATURE_H

#include "mlir/IR/OpDefinition.h"

namespace onnxc::onnx {

/// A set of types: for each kind of container a mask over the numbers of
/// element types. Bit k of a map mask is value type k % 4 (float, double,
/// int64, string) under key type k / 4 (int64, string).
struct TypeSet {
  uint32_t tensor, seq, opt, optSeq, map, seqMap;

  /// Returns true if the set has the type, or the type is not known yet.
  bool contains(mlir::Type type) const;
};

enum class ParameterKind : uint8_t { Single, Optional, Variadic };

/// One input or output of an operator.
struct OpParameter {
  llvm::StringLiteral name;
  /// The type variable, empty if the type is fixed in the schema.
  llvm::StringLiteral typeVariable;
  uint16_t typeSet;
  ParameterKind kind;
  /// The minimum number of values, if variadic.
  uint8_t minCount;
  /// Whether the values of a variadic parameter are all of one type.
  bool isHomogeneous;

  const TypeSet &getTypes() const;
};

/// One operator.
struct OpSignature {
  llvm::StringLiteral name;
  uint16_t sinceVersion;
  uint16_t firstParameter;
  uint8_t numInputs;
  uint8_t numOutputs;
  uint8_t numGraphs;

  llvm::ArrayRef<OpParameter> getInputs() const;
  llvm::ArrayRef<OpParameter> getOutputs() const;

  /// The row of the operation called `name` ("onnx.Conv"), or null.
  static const OpSignature *find(llvm::StringRef name);

  /// All rows, sorted by name.
  static llvm::ArrayRef<OpSignature> getAll();
};

/// How many of the `count` operands of `op` (its results if `results`) each
/// parameter takes; fails if that cannot be.
llvm::FailureOr<llvm::SmallVector<int32_t>> getSegmentSizes(mlir::Operation *op,
                                                            bool results);

/// The name of an operand in messages: "input 'axes'", or "value 2 of input
/// 'inputs'" where a variadic input has several. Without a schema, "operand
/// #1".
std::string inputName(mlir::OpOperand &operand);

/// Checks numbers and types of operands and results, and terminators.
llvm::LogicalResult verifySignature(mlir::Operation *op);

/// Fills `state` from values by schema position: null where one is absent,
/// nothing needed at the end. A variadic parameter takes all that is left
/// (it comes last in every schema).
void buildBySignature(mlir::OperationState &state, mlir::TypeRange resultTypes,
                      mlir::ValueRange operands,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes);

/// Fills `state` with the arguments; it has its properties already.
void buildAsGiven(mlir::OperationState &state, mlir::TypeRange resultTypes,
                  mlir::ValueRange operands,
                  llvm::ArrayRef<mlir::NamedAttribute> discardable);

/// The trait of every operation that has a row in the table.
template <typename ConcreteType>
class HasSignature
    : public mlir::OpTrait::TraitBase<ConcreteType, HasSignature> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifySignature(op);
  }
};

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_OPSIGNATURE_H
