//===- Broadcasting.cpp - Multidirectional broadcasting ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/Broadcasting.h"

#include "Builders/HostValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Unlikely.h"
#include "onnxc/Target/IR/Target.h"

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

/// The op of a kernel that gathers: each element is read at a place that
/// depends on its position in the result alone. Null for other kernels.
static krnl::ComputeOp gatherIn(krnl::KernelOp kernel) {
  if (!kernel || kernel.getOuts().size() != 1 || !kernel.getRecipe().empty())
    return {};
  auto ops = llvm::to_vector(kernel.getBody().getOps<krnl::ComputeOp>());
  if (ops.size() != 1 || ops[0].getNumDpsInputs() != 0)
    return {};
  krnl::ComputeOp op = ops[0];
  krnl::Access out(*op.getDpsInitOperand(0));
  for (unsigned d = 0; d < out.getRank(); ++d)
    if (out.loopAt(d) != d)
      return {};
  Block &payload = *op.getBlock();
  Value element = payload.getTerminator()->getOperand(0);
  bool isCopied = element.getDefiningOp<tensor::ExtractOp>() &&
                  payload.getArgument(0).use_empty();
  return isCopied ? op : krnl::ComputeOp();
}

/// What a kernel gathers, with other sizes: along a dimension of `limits`, its
/// last index, the elements repeat from there on.
static Value gatherWith(OpBuilder &b, Location loc, krnl::ComputeOp gather,
                        RankedTensorType type, ValueRange sizes,
                        ArrayRef<Value> limits) {
  auto kernel = gather->getParentOfType<krnl::KernelOp>();
  KernelBuilder wide(b, loc, kernel.getName());
  IRMapping images;
  SmallVector<AffineExpr> loops;
  for (auto [axis, size] : llvm::zip_equal(gather.getAxes(), sizes))
    loops.push_back(wide.loop(axis, size));
  for (auto [number, input] : llvm::enumerate(kernel.getIns()))
    images.map(kernel.getInArgument(number), wide.input(input));
  unsigned first = kernel.getIns().size() + kernel.getOuts().size();
  for (auto [number, extent] : llvm::enumerate(kernel.getExtents()))
    if (BlockArgument inside = kernel.getBody().getArgument(first + number);
        !inside.use_empty())
      images.map(inside, wide.scalar(extent));
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (&op != gather)
      wide.inside().clone(op, images);
  SmallVector<Value> last = llvm::map_to_vector(
      limits, [&](Value limit) { return limit ? wide.scalar(limit) : limit; });
  Value y = wide.generic(
      {}, {wide.output(type, sizes), loops}, {},
      [&](OpBuilder &nb, Location l, ValueRange) {
        for (Operation &op : gather.getBlock()->without_terminator()) {
          auto index = dyn_cast<krnl::IndexOp>(op);
          if (!index) {
            nb.clone(op, images);
            continue;
          }
          Value at = wide.index(nb, l, loops[index.getDim()]);
          if (Value limit = last[index.getDim()])
            at = arith::MinSIOp::create(nb, l, at, limit);
          images.map(index.getResult(), at);
        }
        return images.lookup(gather.getBlock()->getTerminator()->getOperand(0));
      });
  return wide.finish({y}).front();
}

/// An expansion of a tensor along its dimensions of dynamic size.
struct Expansion {
  /// Whether all sizes are those of the tensor already; null if they are known
  /// to be.
  Value isSame;
  RankedTensorType type;
  SmallVector<Value> sizes;
  /// The last index of the tensor along the dimensions that may be larger.
  SmallVector<Value> limits;
};

static Expansion expansionTo(OpBuilder &b, Location loc, Value operand,
                             ArrayRef<Value> wanted) {
  RankedTensorType type = typeOf(operand);
  Expansion expansion;
  expansion.sizes = sizesOf(b, loc, operand);
  expansion.limits.resize(type.getRank());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(wanted)) {
    Value own = expansion.sizes[dim];
    if (!size || !type.isDynamicDim(dim))
      continue;
    // The only operand that can be larger than 1 here decides the size.
    if (own.getDefiningOp() == size.getDefiningOp() ||
        isEqualConstantIntOrValue(own, size))
      continue;
    shape[dim] = getConstantIntValue(size).value_or(ShapedType::kDynamic);
    Value equal =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own, size);
    expansion.isSame =
        expansion.isSame
            ? arith::AndIOp::create(b, loc, expansion.isSame, equal).getResult()
            : equal;
    expansion.limits[dim] = subIndex(b, loc, own, indexConstant(b, loc, 1));
    expansion.sizes[dim] = size;
  }
  expansion.type = RankedTensorType::get(shape, type.getElementType());
  return expansion;
}

/// out[i, j, ...] = operand[min(i, limit), ...] at `loops`: for sizes 1 and n
/// alike. Of an operand that `isSingle` the last dimension has one element.
static Value expandRows(KernelBuilder &kernel, Location loc, Value in,
                        ArrayRef<Value> limits, ArrayRef<AffineExpr> loops,
                        const KernelBuilder::Access &out, bool isSingle) {
  return kernel.generic(
      {}, out, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        SmallVector<Value> at;
        for (auto [loop, limit] : llvm::zip_equal(loops, limits)) {
          at.push_back(kernel.index(nb, l, loop));
          if (limit)
            at.back() = arith::MinSIOp::create(nb, l, at.back(), limit);
        }
        if (isSingle)
          at.back() = indexConstant(nb, l, 0);
        return tensor::ExtractOp::create(nb, l, in, at).getResult();
      });
}

/// Where the last dimension may have one element, rows are filled with it, or
/// copied: one of both has no iterations. Threads of a device read elements
/// anywhere.
static Value expand(OpBuilder &b, Location loc, Value operand,
                    const Expansion &expansion) {
  KernelBuilder kernel(b, loc, "expand");
  SmallVector<AffineExpr> outer;
  for (auto [d, size] : llvm::enumerate(ArrayRef(expansion.sizes).drop_back()))
    outer.push_back(kernel.loop("d" + std::to_string(d), size));
  Value in = kernel.input(operand), size = expansion.sizes.back();
  SmallVector<Value> limits;
  for (Value limit : expansion.limits)
    limits.push_back(limit ? kernel.scalar(limit) : limit);
  Value out = kernel.output(expansion.type, expansion.sizes);
  auto write = [&](StringRef name, Value extent, bool isSingle) {
    SmallVector<AffineExpr> loops(outer), at(outer);
    loops.push_back(kernel.loop(name, extent));
    at.push_back(extent == size ? loops.back() : kernel.partOf(loops.back()));
    out = expandRows(kernel, loc, in, limits, loops, {out, at}, isSingle);
  };
  Operation *parent = operand.getParentRegion()->getParentOp();
  if (!limits.back() || krnl::TargetAttr::processorOf(parent).isDevice()) {
    write("d" + std::to_string(outer.size()), size, /*isSingle=*/false);
    return kernel.finish({out}).front();
  }
  limits.back() = {};
  Value zero = indexConstant(b, loc, 0);
  Value isSingle = compareIndex(b, loc, arith::CmpIPredicate::eq,
                                expansion.limits.back(), zero);
  write("fill", selectValue(b, loc, isSingle, size, zero), /*isSingle=*/true);
  write("copy", selectValue(b, loc, isSingle, zero, size), /*isSingle=*/false);
  return kernel.finish({out}).front();
}

Value expandTo(OpBuilder &b, Location loc, Value operand,
               ArrayRef<Value> wanted) {
  Expansion expansion = expansionTo(b, loc, operand, wanted);
  if (!expansion.isSame)
    return operand;
  // A tensor that is chosen by a branch is in memory, where elements gathered
  // with repetitions are read by the kernel that wants them. Rows stay whole.
  auto gather = gatherIn(operand.getDefiningOp<krnl::KernelOp>());
  if (gather && !expansion.limits.back())
    return gatherWith(b, loc, gather, expansion.type, expansion.sizes,
                      expansion.limits);
  auto branch = scf::IfOp::create(
      b, loc, expansion.isSame,
      [&](OpBuilder &nb, Location l) {
        Value cast = operand;
        if (operand.getType() != expansion.type)
          cast = tensor::CastOp::create(nb, l, expansion.type, operand);
        scf::YieldOp::create(nb, l, cast);
      },
      [&](OpBuilder &nb, Location l) {
        scf::YieldOp::create(nb, l, expand(nb, l, operand, expansion));
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
