//===- Packing.cpp - Layout of packed operands ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mlir;

namespace onnxc::krnl {

/// The op that reads a packed operand, and its reading map.
static std::pair<unsigned, AffineMap>
readerOf(KernelOp kernel, const LoopNest &nest, unsigned operand) {
  Value image = kernel.getBody().getArgument(operand);
  for (auto [number, body] : llvm::enumerate(nest.ops())) {
    auto op = cast<linalg::LinalgOp>(body.op);
    for (OpOperand &use : op->getOpOperands())
      if (use.get() == image)
        return {number, op.getMatchingIndexingMap(&use)};
  }
  llvm_unreachable("the step was checked to name an operand that is read");
}

FailureOr<PackedOperand> packedOperand(KernelOp kernel, const LoopNest &nest,
                                       const Pack &pack) {
  auto type = cast<RankedTensorType>(kernel.getOperand(pack.operand).getType());
  auto [number, map] = readerOf(kernel, nest, pack.operand);
  const BodyOp &op = nest.op(number);
  PackedOperand result;
  result.operand = pack.operand;

  // The dimension of the operand that a loop walks along, or -1.
  auto dimOf = [&](unsigned loop) -> int64_t {
    for (auto [d, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (nest.stemsFrom(loop, op.axes[dim.getPosition()]))
          return d;
    return -1;
  };
  for (const LoopUse &use : op.loops)
    if (dimOf(use.loop) >= 0 && !llvm::is_contained(pack.loops, use.loop))
      result.loops.push_back(use.loop);
  result.loops.append(pack.loops.begin(), pack.loops.end());

  SmallVector<int64_t> dims, sizes, strides;
  for (unsigned number : result.loops) {
    int64_t dim = dimOf(number), stride = 1;
    if (nest.loop(number).isDynamic() || type.isDynamicDim(dim))
      return kernel.emitOpError("cannot pack operand ")
             << pack.operand << ": the extent of loop '"
             << nest.loop(number).name << "' is not known";
    for (unsigned n = number; nest.loop(n).kind != Loop::Kind::Axis;
         n = nest.loop(n).parents[0])
      if (nest.loop(n).kind == Loop::Kind::BlockOuter)
        stride *= nest.loop(n).blockSize;
    dims.push_back(dim);
    sizes.push_back(nest.loop(number).extent);
    strides.push_back(stride);
  }
  result.layout =
      PackedLayoutAttr::get(kernel.getContext(), dims, sizes, strides);
  result.type = RankedTensorType::get(sizes, type.getElementType());
  return result;
}

} // namespace onnxc::krnl
