//===- LoopParts.cpp - Ops over parts of a loop -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/LoopParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

RankedTensorType LoopParts::typeOf(Type type, int64_t parts) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(place == Place::First ? shape.begin() : shape.end(), parts);
  return RankedTensorType::get(shape, tensor.getElementType());
}

Subscripts LoopParts::ofPart(Subscripts access, AffineExpr part) const {
  access.insert(place == Place::First ? access.begin() : access.end(),
                Subscript{part});
  return access;
}

SmallVector<StringRef> LoopParts::parallelAxes(ComputeOp op) const {
  SmallVector<StringRef> axes = op.getAxes();
  axes.truncate(op.getNumParallelLoops());
  axes.insert(place == Place::First ? axes.begin() : axes.end(), part);
  return axes;
}

/// The divided loop among those of the op; the number of its parallel loops
/// where it has none.
static unsigned dividedDim(ComputeOp op, StringRef loop) {
  SmallVector<StringRef> axes = op.getAxes();
  auto *found = llvm::find(axes, loop);
  return found == axes.end() ? op.getNumParallelLoops() : found - axes.begin();
}

unsigned LoopParts::dimIn(ComputeOp op) const {
  return place == Place::First ? 0 : dividedDim(op, loop);
}

Subscripts LoopParts::accessOf(ComputeOp op, OpOperand &operand,
                               bool hasParts) const {
  MLIRContext *context = op.getContext();
  unsigned first = dimIn(op), others = takesTurns() ? 2 : 1,
           divided = dividedDim(op, loop);
  AffineExpr number = getAffineDimExpr(first, context);
  SmallVector<AffineExpr> dims;
  for (unsigned dim : llvm::seq<unsigned>(op.getAxes().size()))
    dims.push_back(getAffineDimExpr(dim < first ? dim : dim + others, context));
  if (divided < dims.size()) {
    dims[divided] = number * size + dims[divided];
    if (takesTurns())
      dims[divided] =
          getAffineDimExpr(first + 1, context) * turnSize + dims[divided];
  }
  Subscripts access = op.getSubscripts(operand);
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  for (auto [position, at] : llvm::enumerate(access)) {
    if (isRagged && at.index.isFunctionOfDim(divided))
      at.range = std::pair(int64_t(0), type.getDimSize(position));
    at.index = at.index.replaceDims(dims);
  }
  return hasParts ? ofPart(std::move(access), number) : access;
}

Value LoopParts::iteration(OpBuilder &b, Location loc) const {
  Value at = IndexOp::create(b, loc, loop);
  auto add = [&](StringRef name, int64_t each) {
    Value step = arith::ConstantIndexOp::create(b, loc, each);
    Value before =
        arith::MulIOp::create(b, loc, IndexOp::create(b, loc, name), step);
    at = arith::AddIOp::create(b, loc, before, at);
  };
  add(part, size);
  if (takesTurns())
    add(turn, turnSize);
  return at;
}

ComputeOp LoopParts::clone(RewriterBase &rewriter, ComputeOp op, Value to,
                           const IRMapping &mapping,
                           function_ref<bool(OpOperand &)> hasParts) const {
  SmallVector<StringRef> axes = op.getAxes();
  unsigned first = dimIn(op), parallel = op.getNumParallelLoops() + 1;
  if (takesTurns() && llvm::is_contained(axes, loop)) {
    axes.insert(axes.begin() + first, turn);
    parallel += first < op.getNumParallelLoops();
  }
  axes.insert(axes.begin() + first, part);
  SmallVector<Value> inputs;
  SmallVector<Subscripts> accesses;
  for (OpOperand *input : op.getDpsInputOperands()) {
    inputs.push_back(mapping.lookupOrDefault(input->get()));
    accesses.push_back(accessOf(op, *input, hasParts(*input)));
  }
  OpOperand &init = *op.getDpsInitOperand(0);
  accesses.push_back(accessOf(op, init, hasParts(init)));
  auto made = ComputeOp::create(rewriter, op.getLoc(), inputs, to, accesses,
                                axes, parallel, op.getNameAttr());
  IRMapping inside = mapping;
  op.getPayload().cloneInto(&made.getPayload(), inside);
  for (auto index :
       llvm::make_early_inc_range(made.getBody()->getOps<IndexOp>()))
    if (index.getLoop() == loop) {
      OpBuilder b(index);
      rewriter.replaceOp(index, iteration(b, index.getLoc()));
    }
  return made;
}

ComputeOp LoopParts::start(OpBuilder &b, Location loc, ComputeOp op,
                           TypedAttr neutral, Value to) const {
  SmallVector<StringRef> axes = parallelAxes(op);
  Value value = arith::ConstantOp::create(b, loc, neutral);
  return ComputeOp::create(b, loc, ValueRange(), to,
                           {accessOf(op, *op.getDpsInitOperand(0), true)}, axes,
                           axes.size(), StringAttr(),
                           [&](OpBuilder &b, Location loc, ValueRange) {
                             linalg::YieldOp::create(b, loc, value);
                           });
}

Value applyCombiner(OpBuilder &b, Location loc, Operation *combiner, Value sum,
                    Value term) {
  OperationState state(loc, combiner->getName(), {sum, term},
                       combiner->getResultTypes(), combiner->getAttrs());
  return b.create(state)->getResult(0);
}

} // namespace onnxc
