//===- OpRanks.h - Ranks of operands and results ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One table has the properties of the operators that concern ranks: the ranks
// of operands that schemas leave unchecked, and how the ranks of results follow
// from them.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_OPRANKS_H
#define ONNXC_DIALECT_ONNX_IR_OPRANKS_H

#include "mlir/IR/Operation.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace onnxc::onnx {

/// The constraint of an operator on the rank of an operand.
struct OperandRank {
  /// Any number of dimensions.
  static constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

  enum Form : uint8_t {
    Any,
    /// One number; flattened to it where the rank is unknown.
    Scalar,
    /// A list; flattened to it where the rank is unknown.
    List,
    /// Broadcast to operand 0, and of no larger rank.
    Broadcast,
    /// A scale or zero point: the operator is elementwise if it is one number.
    Scale,
    /// The rank may stay unknown.
    Unknown,
  };

  int64_t min = 0;
  int64_t max = unbounded;
  /// The rank is that of the operand in slot `like` plus `more`, unless -1.
  int like = -1;
  int64_t more = 0;
  Form form = Any;
  /// The elements are axes.
  bool isAxes = false;
};

/// The properties of one operator.
struct OpRanks {
  enum Flags : uint16_t {
    None = 0,
    /// An element of a result depends only on the elements at its position,
    /// after broadcasting.
    Elementwise = 1,
    /// All results have the rank of operand 0.
    LikeFirst = 2,
    /// The first result has the rank of operand 0.
    FirstLikeFirst = 4,
    /// One element is made of those along axes.
    Reduction = 8,
    /// The attribute `axis` is an axis of operand 0, the first one unless set.
    Axis = 16,
    /// Numbers of the run may decide the rank of the result.
    Varies = 32,
    /// The ranks of all operands may stay unknown.
    AnyRank = 64,
    /// The attribute `axis` is an axis of operand 0, the last one unless set.
    LastAxis = 128,
    /// Dimensions before and after the axes may be merged.
    AlongAxes = 256,
  };

  uint16_t flags = None;
  /// The ranks of operands by slot of the schema.
  llvm::ArrayRef<OperandRank> operands;

  /// The row of `op`; empty for an operator that has no row.
  static OpRanks of(mlir::Operation *op);
  /// The names of all operators that have a row.
  static llvm::SmallVector<llvm::StringRef> getNames();
};

/// Returns true if the rank of the tensor is not known.
bool isUnranked(mlir::Value value);

/// The operands in slot `slot` of the schema: several of a variadic one.
llvm::MutableArrayRef<mlir::OpOperand> operandsInSlot(mlir::Operation *op,
                                                      unsigned slot);
/// The first of them, null if there is none.
mlir::OpOperand *operandInSlot(mlir::Operation *op, unsigned slot);

/// Returns true if an element of a result depends only on the elements at its
/// position, after broadcasting; with scales only if these are scalars.
bool isElementwise(mlir::Operation *op);
/// Returns true for an elementwise operator all other operands of which are
/// scalars, so that results have the shape of operand 0.
bool isElementwiseUnary(mlir::Operation *op);

/// Returns true for an operator that makes one element of those along axes,
/// which an operand lists; not ArgMax and ArgMin, whose axis is an attribute.
bool isReduction(mlir::Operation *op);

/// The number of results, from the first, that have the rank of operand 0.
unsigned countLikeFirst(mlir::Operation *op);

/// Returns true for the condition of the next iteration of a Loop, one bool.
bool isNextCondition(mlir::OpOperand &operand);

/// Returns true where the rank of an operand need not be known: the operation
/// moves the tensor or reads nothing but its shape.
bool takesUnknownRank(mlir::OpOperand &operand);

/// Returns true if the rank of the only result may be decided by numbers of the
/// run: by how many axes or sizes there are. The lowering trusts the type.
bool mayVaryInRank(mlir::Operation *op);

/// The number of dimensions that the first `countLikeFirst` results, or the
/// only one, have more than operand 0, if that rank and the number of axes
/// decide. `lengthOf` gives the number of elements of a list, if it is known.
std::optional<int64_t>
rankChange(mlir::Operation *op,
           llvm::function_ref<std::optional<int64_t>(mlir::Value)> lengthOf);

/// An integer attribute of an operation of the dialect, if it is set.
std::optional<int64_t> integerAttr(mlir::Operation *op, llvm::StringRef name);

/// The axes that are known: of an attribute or a constant operand.
llvm::SmallVector<int64_t> knownAxes(mlir::Operation *op);

/// Returns true for an operand of QLinearConcat that is joined; false for
/// scales and zero points.
bool isJoinedData(mlir::OpOperand &operand);

/// Describes the first error in the ranks of the operands, as far as `typeOf`
/// returns them, that the schemas leave unchecked.
std::optional<std::string>
checkRanks(mlir::Operation *op,
           llvm::function_ref<mlir::Type(mlir::Value)> typeOf);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_OPRANKS_H
