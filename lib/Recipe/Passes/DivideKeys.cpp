//===- DivideKeys.cpp - Parts of keys of any number -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   loops [n = %n]  s[n] = q * k[n] + mask[n]
// -> loops [n0 = (%n + 255) / 256, n1 = 256]
//      s[n0, n1] = q * k[n0 * 256 + n1 in 0 to ?]
//                    + mask[n0 * 256 + n1 in 0 to ?]
//      s[n0, n1] = n0 * 256 + n1 < %n ? s[n0, n1] : -infinity
//
//===----------------------------------------------------------------------===//

#include "Passes/DivideKeys.h"

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

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
  hideBeyond(rewriter, scores, loops);
  return true;
}

} // namespace onnxc
