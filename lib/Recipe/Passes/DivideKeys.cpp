//===- DivideKeys.cpp - Parts of keys of any number -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   loops [n = %n]  s[n] = q * k[n] + mask[n]
// -> loops [n0 = (%n + 255) / 256, n1 = 256]
//      s[n0, n1] = q * k[n0 * 256 + n1 in 0 to ?] + mask[min(.., %n - 1)]
//      s[n0, n1] = n0 * 256 + n1 < %n ? s[n0, n1] : -infinity
//
// Products read zeros after the last key, which copies to shared memory write.
// Other ops read the last key there, so that vectors of keys may cross the end.
//
//===----------------------------------------------------------------------===//

#include "Passes/DivideKeys.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

namespace {
/// The loops that the one over the keys became, and how many keys there are.
struct KeyLoops {
  std::string part, key;
  int64_t size;
  Value keys;
};
} // namespace

/// The number of the key.
static Value keyAt(OpBuilder &b, Location loc, const KeyLoops &loops) {
  Value size = arith::ConstantIndexOp::create(b, loc, loops.size);
  Value first =
      arith::MulIOp::create(b, loc, IndexOp::create(b, loc, loops.part), size);
  return arith::AddIOp::create(b, loc, first,
                               IndexOp::create(b, loc, loops.key));
}

/// The number of the last key where it is after that.
static Value nearestKeyAt(OpBuilder &b, Location loc, const KeyLoops &loops) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value last = arith::SubIOp::create(b, loc, loops.keys, one);
  return arith::MinSIOp::create(b, loc, keyAt(b, loc, loops), last);
}

/// The payload reads the operand, the nearest key of which is in its range.
static bool readNearest(ComputeOp op, unsigned input, const KeyLoops &loops) {
  OpOperand &operand = *op.getDpsInputOperand(input);
  SmallVector<StringRef> axes = op.getAxes();
  OpBuilder b = OpBuilder::atBlockBegin(op.getBlock());
  Location loc = op.getLoc();
  SmallVector<Value> indices;
  for (const Subscript &at : op.getSubscripts(operand)) {
    auto loop = dyn_cast<AffineDimExpr>(at.index);
    auto number = dyn_cast<AffineConstantExpr>(at.index);
    if (at.range)
      indices.push_back(nearestKeyAt(b, loc, loops));
    else if (loop)
      indices.push_back(IndexOp::create(b, loc, axes[loop.getPosition()]));
    else if (number)
      indices.push_back(
          arith::ConstantIndexOp::create(b, loc, number.getValue()));
    else
      return false;
  }
  Value element = tensor::ExtractOp::create(b, loc, operand.get(), indices);
  op.getBody()->getArgument(input).replaceAllUsesWith(element);
  eraseInput(op, input);
  return true;
}

/// The scores of keys, and -infinity after the last one.
static void hideBeyond(RewriterBase &rewriter, ComputeOp scores,
                       const KeyLoops &loops) {
  rewriter.setInsertionPointAfter(scores);
  Value result = scores->getResult(0);
  SmallVector<StringRef> axes = scores.getAxes();
  unsigned parallel = scores.getNumParallelLoops();
  auto payload = [&](OpBuilder &b, Location loc, ValueRange args) {
    auto type = cast<FloatType>(args.front().getType());
    Value none = arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), true)));
    Value isKey = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        keyAt(b, loc, loops), loops.keys);
    linalg::YieldOp::create(
        b, loc,
        arith::SelectOp::create(b, loc, isKey, args.front(), none).getResult());
  };
  auto made = ComputeOp::create(
      rewriter, scores.getLoc(), ValueRange(), result,
      scores.getSubscripts(*scores.getDpsInitOperand(0)),
      ArrayRef(axes).take_front(parallel), parallel, StringAttr(), payload);
  rewriter.replaceAllUsesExcept(result, made->getResult(0), made);
}

bool divideKeys(RewriterBase &rewriter, KernelOp kernel, StringRef loop,
                int64_t size, ComputeOp scores,
                SmallVectorImpl<std::string> &names) {
  Value keys = divideLoop(rewriter, kernel, loop, size, names);
  if (!keys)
    return false;
  KeyLoops loops{names[0], names[1], size, keys};
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (reductionKindOf(op) != ReductionKind::Contraction)
      for (unsigned input : llvm::reverse(llvm::seq(op.getNumDpsInputs())))
        if (Access(*op.getDpsInputOperand(input)).hasRanges() &&
            !readNearest(op, input, loops))
          return false;
  hideBeyond(rewriter, scores, loops);
  return true;
}

} // namespace onnxc
