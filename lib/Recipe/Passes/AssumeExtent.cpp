//===- AssumeExtent.cpp - Kernels with an assumed extent --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/AssumeExtent.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// The dimensions of tensors of the body that a loop covers.
using CoveredDims = llvm::MapVector<Value, SmallVector<unsigned>>;

/// Returns false where an index depends on the loop otherwise.
static bool collectDims(KernelOp kernel, StringRef loop, CoveredDims &dims) {
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      SmallVector<unsigned> covered;
      for (auto [position, at] : llvm::enumerate(op.getSubscripts(operand)))
        if (at.index.isFunctionOfDim(dimOf(op, loop))) {
          if (!at.getLoop())
            return false;
          covered.push_back(position);
        }
      if (covered.empty())
        continue;
      dims[operand.get()] = covered;
      if (op.isDpsInit(&operand))
        dims[op.getTiedOpResult(&operand)] = covered;
    }
  return true;
}

static RankedTensorType withSizes(Value tensor, ArrayRef<unsigned> dims,
                                  int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned dim : dims)
    shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

/// The value of the host in the type; a fresh destination is made in it.
static Value withType(OpBuilder &b, Location loc, Value outside,
                      RankedTensorType type) {
  if (auto fresh = outside.getDefiningOp<tensor::EmptyOp>()) {
    SmallVector<OpFoldResult> sizes = fresh.getMixedSizes();
    for (auto [size, known] : llvm::zip_equal(sizes, type.getShape()))
      if (!ShapedType::isDynamic(known))
        size = b.getIndexAttr(known);
    return tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  }
  return tensor::CastOp::create(b, loc, type, outside);
}

bool assumeExtent(RewriterBase &rewriter, KernelOp copy, StringRef loop,
                  int64_t extent) {
  unsigned number = *copy.findLoop(loop);
  CoveredDims dims;
  if (!copy.getLoop(number).isDynamic() || !collectDims(copy, loop, dims))
    return false;
  rewriter.setInsertionPointToStart(&copy.getBody().front());
  rewriter.replaceAllUsesWith(
      cast<Value>(copy.getExtentInside(number)),
      arith::ConstantIndexOp::create(rewriter, copy.getLoc(), extent));
  rewriter.setInsertionPoint(copy);
  for (auto &[tensor, covered] : dims) {
    RankedTensorType type = withSizes(tensor, covered, extent);
    auto argument = dyn_cast<BlockArgument>(tensor);
    Value(tensor).setType(type);
    if (!argument)
      continue;
    OpOperand &operand = copy->getOpOperand(argument.getArgNumber());
    operand.set(withType(rewriter, copy.getLoc(), operand.get(), type));
    unsigned result = argument.getArgNumber() - copy.getIns().size();
    if (argument.getArgNumber() >= copy.getIns().size())
      copy->getResult(result).setType(type);
  }
  SmallVector<LoopAttr> loops;
  for (auto known : copy.getLoops().getAsRange<LoopAttr>())
    loops.push_back(known.getName() == loop
                        ? LoopAttr::get(copy.getContext(), loop, extent)
                        : known);
  copy.replaceLoops(loops);
  return true;
}

} // namespace onnxc
