//===- HostValues.h - Scalars and sizes of the host program -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Host values for all operator families: sizes of tensors, the
// run-time size of a result, elements of small structural inputs (axes,
// shapes, pads), and results of exactly the type that the graph expects.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_HOSTVALUES_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_HOSTVALUES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"

namespace onnxc {

/// Size of a dimension as an index: a constant where the type has it.
mlir::Value sizeOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                   int64_t dim);
/// All sizes of a tensor.
llvm::SmallVector<mlir::Value> sizesOf(mlir::OpBuilder &b, mlir::Location loc,
                                       mlir::Value tensor);
/// The sizes of `sizes` (one for each dimension) that are dynamic in `type`:
/// the operands of tensor.empty.
llvm::SmallVector<mlir::Value> dynamicSizes(mlir::RankedTensorType type,
                                            mlir::ValueRange sizes);
/// The type with the constants among `sizes` filled in.
mlir::RankedTensorType refineType(mlir::RankedTensorType type,
                                  mlir::ValueRange sizes);

/// `tensor` with the size of a dimension filled in where `size` is known and
/// dynamic in its type. That they agree has been checked.
mlir::Value withSize(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                     int64_t dim, int64_t size);

mlir::Value indexConstant(mlir::OpBuilder &b, mlir::Location loc,
                          int64_t value);
/// The type of integers that positions of a payload are computed in: of 32 bits
/// where all of `sizes` are known and below 2^30, so that the sum of two has a
/// number, else of 64. A vector has twice as many of the former, as many as of
/// f32.
mlir::IntegerType positionType(mlir::OpBuilder &b,
                               llvm::ArrayRef<int64_t> sizes);
/// An operation of IndexBuilder on values.
template <mlir::OpFoldResult (IndexBuilder::*operation)(mlir::OpFoldResult,
                                                        mlir::OpFoldResult)>
mlir::Value onIndices(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                      mlir::Value y) {
  IndexBuilder index(b, loc);
  return index.value((index.*operation)(x, y));
}
inline constexpr auto addIndex = onIndices<&IndexBuilder::add>;
inline constexpr auto subIndex = onIndices<&IndexBuilder::sub>;
inline constexpr auto mulIndex = onIndices<&IndexBuilder::mul>;
inline constexpr auto floorDivIndex = onIndices<&IndexBuilder::floorDiv>;
inline constexpr auto ceilDivIndex = onIndices<&IndexBuilder::ceilDiv>;
inline constexpr auto minIndex = onIndices<&IndexBuilder::min>;
inline constexpr auto maxIndex = onIndices<&IndexBuilder::max>;

/// Comparison of indices and choice of values, folded where that is known.
mlir::Value compareIndex(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::arith::CmpIPredicate predicate, mlir::Value x,
                         mlir::Value y);
mlir::Value selectValue(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value condition, mlir::Value x, mlir::Value y);

/// The product of sizes: 1 of none.
mlir::Value productOf(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::ValueRange sizes);

/// The message of a run in which sizes of operands contradict each other.
inline constexpr llvm::StringLiteral sizesDisagreeText =
    "sizes of the operands do not fit together";

/// Ends the run with `message` unless two sizes agree; nothing where they are
/// known to.
void checkEqualSizes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                     mlir::Value y, llvm::StringRef message);
/// Ends the run with `message` unless x <= y; nothing where that is known.
void checkAtMost(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                 mlir::Value y, llvm::StringRef message);

/// No number that is read as a size, a pad or a length is larger: sums of such
/// numbers and of the sizes of tensors do not overflow.
inline constexpr int64_t maxGivenSize = int64_t(1) << 40;

/// Ends the run unless `size`, read or computed from data, is from 0 to
/// maxGivenSize; nothing where that is known. The message begins with `what`,
/// the name of the operator.
void checkGivenSize(mlir::OpBuilder &b, mlir::Location loc, mlir::Value size,
                    llvm::StringRef what);
/// Ends the run unless a tensor can have these sizes: none is negative, and
/// krnl.buffer_bytes of them is within bounds.
void checkTensorSizes(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::ValueRange sizes, mlir::Type element,
                      llvm::StringRef what);
/// The product of two sizes of which one was read from data, both checked
/// before; ends the run if no tensor can be as long.
mlir::Value mulGivenSizes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                          mlir::Value y, llvm::StringRef what);

/// An integer scalar as an index.
mlir::Value toIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value i);

/// Elements of a list of axes or sizes; a scalar is a list of one.
mlir::Value lengthOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value list);

/// Element `i` of a 0- or 1-dimensional tensor, read on the host; integer
/// elements come as index.
mlir::Value elementAsIndex(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value tensor, int64_t i);
/// Element `i` of a 1-dimensional tensor as an index; `other` if the tensor is
/// shorter.
mlir::Value elementOr(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value tensor, mlir::Value i, mlir::Value other);
/// Ends the run with `message` unless a 1-dimensional tensor has that length.
void checkLength(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                 int64_t length, llvm::StringRef message);
/// Ends the run with `message` unless each element of a 0- or 1-dimensional
/// tensor names another dimension of `rank`, counted from either end.
void checkAxes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value axes,
               int64_t rank, llvm::StringRef message);
/// For each of `rank` dimensions whether `axes` name it, counted from either
/// end; nothing if one does not name a dimension, or two name the same.
std::optional<llvm::SmallVector<bool>> namedAxes(llvm::ArrayRef<int64_t> axes,
                                                 int64_t rank);
/// The only element of a tensor of one element, read on the host as it is.
mlir::Value onlyElement(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value tensor);

/// A tensor that sizes contradict, which ends the run with `message`, or the
/// compilation if each run would get here: of branches that the run chooses
/// from some may be impossible for these operands.
mlir::Value neverMade(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::RankedTensorType type,
                      llvm::StringRef message = sizesDisagreeText);
/// The results of an operation that sizes contradict.
llvm::SmallVector<mlir::Value>
neverMade(mlir::OpBuilder &b, mlir::Operation *op, llvm::StringRef message);

/// Replaces `op`, casting each value to the krnlType() of the op's result (same
/// rank, other static dimensions).
void replaceWithCasts(mlir::ConversionPatternRewriter &rewriter,
                      mlir::Operation *op, mlir::ValueRange values);

/// A tensor viewed with another shape of the same number of elements.
mlir::Value reshapeTo(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value tensor, mlir::RankedTensorType type,
                      mlir::ValueRange sizes);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_HOSTVALUES_H
