//===- WgmmaOps.cpp - Products of matrices of a warpgroup -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/WarpgroupOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "onnxc/Dialect/Krnl/IR/WarpgroupOps.cpp.inc"

namespace onnxc::krnl {

/// Sums of a thread for each eight columns, and for the most of them.
static constexpr int64_t tileSums = MatrixSums::copies * MatrixSums::copies,
                         maxSums = MatrixSums::maxColumnTiles * tileSums;
/// Bytes of a unit of addresses in a descriptor, and the first ones that it has
/// no bits for.
static constexpr int64_t unitBytes = 16, maxBytes = 1 << 18;

LogicalResult MatrixDescriptorOp::verify() {
  Type element = cast<MemRefType>(getMemory().getType()).getElementType();
  if (!MatrixElement::of(element))
    return emitOpError("expects f16, bf16, f32 or bytes, but got ") << element;
  if (int64_t bytes = getSwizzle(); bytes != 32 && bytes != 64 && bytes != 128)
    return emitOpError("expects lines of 32, 64 or 128 bytes, but got ")
           << bytes;
  for (int64_t bytes : {getLeading(), getStride()})
    if (bytes < 0 || bytes >= maxBytes || bytes % unitBytes != 0)
      return emitOpError("expects distances that are multiples of 16 bytes "
                         "below 256 KiB, but got ")
             << bytes;
  return success();
}

/// Fails if no instruction has so many sums of a thread.
static LogicalResult verifySums(Operation *op, VectorType type) {
  int64_t sums = type.getNumElements();
  if (sums % tileSums != 0 || sums < tileSums || sums > maxSums)
    return op->emitOpError("expects 4, 8, ... 128 sums of a thread, but got ")
           << sums;
  return success();
}

LogicalResult WgmmaRowsOp::verify() {
  return verifySums(*this, cast<VectorType>(getAcc().getType()));
}

LogicalResult WgmmaOp::verify() {
  int64_t sums = getAcc().getType().getNumElements();
  if (failed(verifySums(*this, cast<VectorType>(getAcc().getType()))))
    return failure();
  Type element = getElement();
  const MatrixElement *form = MatrixElement::of(element);
  if (!form)
    return emitOpError("multiplies f16, bf16, f32 or bytes, but got ")
           << element;
  if (getAcc().getType().getElementType().isInteger() != element.isInteger())
    return emitOpError("adds up ") << (element.isInteger() ? "i32" : "f32");
  if (!form->hasColumnTiles(sums / tileSums))
    return emitOpError("has no ") << sums / tileSums * MatrixSums::columns
                                  << " columns of " << element;
  if (!form->liesAcross && (getLhsTransposed() || getRhsTransposed()))
    return emitOpError("transposes elements of 16 bits only");
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  if (getInFlight() > 0 && !getSums().empty())
    return emitOpError("expects no sums where groups stay in flight");
  return success();
}

LogicalResult WgmmaWaitOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            ValueRange operands, DictionaryAttr,
                                            OpaqueProperties, RegionRange,
                                            SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

} // namespace onnxc::krnl
