//===- KernelShape.cpp - What recipes need to know of a kernel -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"

#include "onnxc/Dialect/Krnl/IR/PartialAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

AffineExpr wholeIndex(AffineExpr index) {
  auto part = dyn_cast<AffineBinaryOpExpr>(index);
  if (!part || part.getKind() != AffineExprKind::Mod)
    return index;
  auto bound = dyn_cast<AffineConstantExpr>(part.getRHS());
  return bound && bound.getValue() == beyondAnyLoop ? part.getLHS() : index;
}

SmallVector<std::string> reducedLoops(linalg::LinalgOp op) {
  SmallVector<std::string> loops;
  for (auto [axis, kind] :
       llvm::zip_equal(KernelOp::getAxes(op), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops.push_back(axis.str());
  return loops;
}

unsigned widestBits(linalg::LinalgOp op, bool withAddresses) {
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
      if (withAddresses || !isa<IndexType>(type))
        widen(type);
  return widest;
}

bool isWalk(linalg::LinalgOp op) {
  Block *payload = op.getBlock();
  if (payload->getOps<tensor::ExtractOp>().empty())
    return false;
  auto depends = [&](unsigned dim) {
    for (OpOperand &operand : op->getOpOperands())
      if (!op.getMatchingBlockArgument(&operand).use_empty() &&
          op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim))
        return true;
    return llvm::any_of(
        payload->getOps<linalg::IndexOp>(),
        [&](linalg::IndexOp index) { return index.getDim() == dim; });
  };
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && !depends(dim))
      return true;
  return false;
}

namespace {
/// How an index changes from one iteration of a loop to the next.
enum class Stride { None, Even, Other };
} // namespace

/// For each value of the payload: how it changes along iterator `dim`. What is
/// not in the map is made outside, once.
static DenseMap<Value, Stride> stridesAlong(linalg::LinalgOp op, unsigned dim) {
  DenseMap<Value, Stride> strides;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim))
      strides[op.getMatchingBlockArgument(&operand)] = Stride::Other;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    Stride most = Stride::None;
    unsigned moving = 0;
    for (Value operand : inner.getOperands()) {
      Stride stride = strides.lookup(operand);
      most = std::max(most, stride);
      moving += stride != Stride::None;
    }
    if (auto loop = dyn_cast<linalg::IndexOp>(inner))
      most = loop.getDim() == dim ? Stride::Even : Stride::None;
    else if (most == Stride::Even &&
             !isa<arith::AddIOp, arith::SubIOp>(inner) &&
             !(isa<arith::MulIOp>(inner) && moving < 2))
      most = Stride::Other;
    for (Value result : inner.getResults())
      strides[result] = most;
  }
  return strides;
}

bool readsInLine(linalg::LinalgOp op, StringRef loop) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  unsigned dim = llvm::find(axes, loop) - axes.begin();
  DenseMap<Value, Stride> strides = stridesAlong(op, dim);
  for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>()) {
    OperandRange indices = extract.getIndices();
    for (auto [place, index] : llvm::enumerate(indices)) {
      Stride stride = strides.lookup(index);
      bool last = place + 1 == indices.size();
      if (stride == Stride::Other || (stride == Stride::Even && !last))
        return false;
    }
  }
  return true;
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
