//===- Broadcasting.cpp - Multidirectional broadcasting ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/Broadcasting.h"

#include "Builders/HostValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Unlikely.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

static RankedTensorType typeOf(Value v) {
  return cast<RankedTensorType>(v.getType());
}

/// Dimension of `type` that lines up with dimension `d` of a result of rank
/// `rank`, or -1.
static int64_t alignedDim(RankedTensorType type, int64_t d, int64_t rank) {
  return d - (rank - type.getRank());
}

Value broadcastSize(OpBuilder &b, Location loc, ValueRange sizes) {
  Value size;
  SmallVector<Value> unknown;
  for (Value v : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(v);
    if (!constant)
      unknown.push_back(v);
    else if (!size && *constant != 1)
      size = v;
  }
  Value one = indexConstant(b, loc, 1);
  for (Value v : unknown) {
    if (size && !getConstantIntValue(size)) {
      Value isOne =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, one);
      size = arith::SelectOp::create(b, loc, isOne, v, size);
    }
    size = size ? size : v;
  }
  for (Value v : unknown)
    checkBroadcasts(b, loc, v, size, "sizes of the operands do not broadcast");
  return size ? size : one;
}

void checkBroadcasts(OpBuilder &b, Location loc, Value size, Value wanted,
                     StringRef message) {
  if (isEqualConstantIntOrValue(size, wanted) || isConstantIntValue(size, 1))
    return;
  auto equals = [&](Value to) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, to);
  };
  Value fits = arith::OrIOp::create(b, loc, equals(wanted),
                                    equals(indexConstant(b, loc, 1)));
  krnl::CheckOp::create(b, loc, fits, message, ValueRange{size, wanted});
}

/// Size of the result along `d`, and a check of each operand against it.
static Value resultSize(OpBuilder &b, Location loc, ValueRange operands,
                        int64_t d, int64_t rank) {
  SmallVector<Value> sizes;
  for (Value operand : operands) {
    int64_t dim = alignedDim(typeOf(operand), d, rank);
    if (dim >= 0 && typeOf(operand).getDimSize(dim) != 1)
      sizes.push_back(sizeOf(b, loc, operand, dim));
  }
  return broadcastSize(b, loc, sizes);
}

/// out[i, j, ...] = operand[min(i, size - 1), ...]: for sizes 1 and n alike.
static Value expand(OpBuilder &b, Location loc, Value operand,
                    RankedTensorType type, ValueRange sizes) {
  KernelBuilder kernel(b, loc, "expand");
  SmallVector<AffineExpr> loops = kernel.loopsOf(type);
  Value in = kernel.input(operand);
  Value out = kernel.output(type, sizes);
  Value last = arith::ConstantIndexOp::create(kernel.inside(), loc, 1);
  SmallVector<Value> limits;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value size = tensor::DimOp::create(kernel.inside(), loc, in, d);
    limits.push_back(arith::SubIOp::create(kernel.inside(), loc, size, last));
  }
  Value result = kernel.generic(
      {}, {out, loops}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        SmallVector<Value> at;
        for (auto [d, loop] : llvm::enumerate(loops))
          at.push_back(arith::MinSIOp::create(nb, l, kernel.index(nb, l, loop),
                                              limits[d]));
        return tensor::ExtractOp::create(nb, l, in, at).getResult();
      });
  return kernel.finish({result}).front();
}

Value expandTo(OpBuilder &b, Location loc, Value operand,
               ArrayRef<Value> wanted) {
  RankedTensorType type = typeOf(operand);
  Value same;
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes = sizesOf(b, loc, operand);
  for (auto [dim, size] : llvm::enumerate(wanted)) {
    if (!size || !type.isDynamicDim(dim))
      continue;
    // The only operand that can be larger than 1 here decides the size.
    if (sizes[dim].getDefiningOp() == size.getDefiningOp() ||
        isEqualConstantIntOrValue(sizes[dim], size))
      continue;
    shape[dim] = getConstantIntValue(size).value_or(ShapedType::kDynamic);
    Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        sizes[dim], size);
    same =
        same ? arith::AndIOp::create(b, loc, same, equal).getResult() : equal;
    sizes[dim] = size;
  }
  if (!same)
    return operand;
  auto expanded = RankedTensorType::get(shape, type.getElementType());
  auto branch = scf::IfOp::create(
      b, loc, same,
      [&](OpBuilder &nb, Location l) {
        Value cast = operand;
        if (operand.getType() != expanded)
          cast = tensor::CastOp::create(nb, l, expanded, operand);
        scf::YieldOp::create(nb, l, cast);
      },
      [&](OpBuilder &nb, Location l) {
        scf::YieldOp::create(nb, l, expand(nb, l, operand, expanded, sizes));
      });
  branch->setAttr(krnl::unlikelyAttrName, b.getUnitAttr());
  return branch.getResult(0);
}

BroadcastOperands broadcastOperands(OpBuilder &b, Location loc,
                                    ValueRange operands, int64_t kept) {
  int64_t rank = 0;
  for (Value operand : operands)
    rank = std::max(rank, typeOf(operand).getRank());
  BroadcastOperands result;
  for (int64_t d = 0; d < rank - kept; ++d) {
    result.sizes.push_back(resultSize(b, loc, operands, d, rank));
    auto constant = getConstantIntValue(result.sizes.back());
    result.shape.push_back(constant ? *constant : ShapedType::kDynamic);
  }
  for (Value operand : operands) {
    SmallVector<Value> wanted(typeOf(operand).getRank());
    for (int64_t d = 0; d < rank - kept; ++d)
      if (int64_t dim = alignedDim(typeOf(operand), d, rank); dim >= 0)
        wanted[dim] = result.sizes[d];
    result.values.push_back(expandTo(b, loc, operand, wanted));
  }
  return result;
}

KernelBuilder::Access broadcastAccess(KernelBuilder &kernel, Value operand,
                                      ArrayRef<AffineExpr> loops) {
  KernelBuilder::Access access{kernel.input(operand), {}};
  RankedTensorType type = typeOf(operand);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    AffineExpr loop = loops[loops.size() - type.getRank() + dim];
    bool repeats = type.getDimSize(dim) == 1 && kernel.extentOf(loop) != 1;
    access.at.push_back(repeats ? kernel.zero() : loop);
  }
  return access;
}

} // namespace onnxc
