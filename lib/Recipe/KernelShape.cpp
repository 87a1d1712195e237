//===- KernelShape.cpp - What recipes need to know of a kernel -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

int64_t extentOf(KernelOp kernel, StringRef loop, int64_t unknown) {
  LoopAttr attribute = kernel.getLoop(*kernel.findLoop(loop));
  return attribute.isDynamic() ? unknown : attribute.getExtent();
}

bool isStatic(KernelOp kernel, StringRef loop) {
  return !kernel.getLoop(*kernel.findLoop(loop)).isDynamic();
}

SmallVector<std::string> loopNames(KernelOp kernel) {
  SmallVector<std::string> names;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    names.push_back(loop.getName().str());
  return names;
}

SmallVector<std::string> accessLoops(linalg::LinalgOp op, OpOperand &operand) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  SmallVector<std::string> loops;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    loops.push_back(dim ? axes[dim.getPosition()].str() : "");
  }
  return loops;
}

SmallVector<std::string> reducedLoops(linalg::LinalgOp op) {
  SmallVector<std::string> loops;
  for (auto [axis, kind] :
       llvm::zip_equal(KernelOp::getAxes(op), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops.push_back(axis.str());
  return loops;
}

unsigned widestBits(linalg::LinalgOp op) {
  unsigned widest = 8;
  auto widen = [&](Type type) {
    unsigned bits = isa<IndexType>(type)  ? 64
                    : type.isIntOrFloat() ? type.getIntOrFloatBitWidth()
                                          : 0;
    widest = bits == 0 || widest == 0 || bits > 64 ? 0 : std::max(widest, bits);
  };
  for (BlockArgument argument : op.getBlock()->getArguments())
    widen(argument.getType());
  for (Operation &inner : op.getBlock()->without_terminator())
    for (Type type : inner.getResultTypes())
      widen(type);
  return widest;
}

int64_t trafficBytes(KernelOp kernel, int64_t unknown) {
  int64_t bytes = 0;
  for (Value operand : kernel->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.getElementType().isIntOrFloat())
      continue;
    int64_t elements = 1;
    for (int64_t size : type.getShape())
      elements *= ShapedType::isDynamic(size) ? unknown : size;
    bytes += elements * std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
  }
  return bytes;
}

} // namespace onnxc
