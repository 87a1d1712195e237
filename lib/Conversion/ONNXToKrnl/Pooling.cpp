//===- Pooling.cpp - Pooling over windows and whole images ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Windows.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// A pool reduces prepare(x) with merge from neutral, then finishes; `count`
/// is the number of elements of the window.
struct Pool {
  Value (*neutral)(ScalarBuilder &s);
  Value (*prepare)(ScalarBuilder &s, Value x, double p);
  Value (*merge)(ScalarBuilder &s, Value total, Value x);
  Value (*finish)(ScalarBuilder &s, Value total, Value count, double p);
};

Value zero(ScalarBuilder &s) { return s.constant(0); }
Value lowest(ScalarBuilder &s) { return s.lowest(); }
Value sum(ScalarBuilder &s, Value x, Value y) { return s.add(x, y); }
Value largest(ScalarBuilder &s, Value x, Value y) { return s.max(x, y); }
Value power(ScalarBuilder &s, Value x, double p) {
  x = s.abs(x);
  if (p == 1)
    return x;
  return p == 2 ? s.mul(x, x) : s.math<math::PowFOp>(x, s.constant(p));
}
Value root(ScalarBuilder &s, Value x, Value, double p) {
  if (p == 1)
    return x;
  return p == 2 ? s.sqrt(x) : s.math<math::PowFOp>(x, s.constant(1 / p));
}
Value average(ScalarBuilder &s, Value x, Value n, double) {
  return s.div(x, n);
}

const Pool maxPool{lowest, nullptr, largest, nullptr};
const Pool averagePool{zero, nullptr, sum, average};
const Pool lpPool{zero, power, sum, root};

class PoolKernel {
public:
  PoolKernel(OpBuilder &b, Operation *op, const Pool &pool, double p)
      : b(b), loc(op->getLoc()), pool(pool), p(p),
        element(getElementTypeOrSelf(op->getOperand(0).getType())),
        kernel(b, loc, op->getName().stripDialect()) {}

  /// `count` gives the number of elements that the window at an output
  /// position averages over; null where the pool does not ask.
  Value build(Value x, ArrayRef<int64_t> sizes, const Windows &windows,
              function_ref<Value(OpBuilder &, Location, KernelBuilder &,
                                 ArrayRef<AffineExpr>)>
                  count);

private:
  OpBuilder &b;
  Location loc;
  const Pool &pool;
  double p;
  Type element;
  KernelBuilder kernel;
};

Value PoolKernel::build(
    Value x, ArrayRef<int64_t> sizes, const Windows &windows,
    function_ref<Value(OpBuilder &, Location, KernelBuilder &,
                       ArrayRef<AffineExpr>)>
        count) {
  auto inType = cast<RankedTensorType>(x.getType());
  SmallVector<Value> outSizes{sizeOf(b, loc, x, 0), sizeOf(b, loc, x, 1)};
  outSizes.append(windows.outSizes);
  SmallVector<int64_t> unknown(inType.getRank(), ShapedType::kDynamic);
  RankedTensorType outType = refineType(
      RankedTensorType::get(unknown, inType.getElementType()), outSizes);

  Value in = kernel.input(x);
  SmallVector<AffineExpr> inAt, outAt, reduced;
  for (int64_t d = 0; d < 2; ++d) {
    outAt.push_back(kernel.loop(d == 0 ? "n" : "c", outType.getDimSize(d)));
    inAt.push_back(outAt.back());
  }
  for (auto [d, size] : llvm::enumerate(sizes))
    outAt.push_back(
        kernel.loop("o" + std::to_string(d), outType.getDimSize(d + 2)));
  for (auto [d, size] : llvm::enumerate(sizes)) {
    AffineExpr k = kernel.loop("k" + std::to_string(d), size);
    reduced.push_back(k);
    inAt.push_back(outAt[d + 2] * windows.strides[d] +
                   k * windows.dilations[d]);
  }
  Type compute = ScalarBuilder::computeType(element);
  Value out = kernel.output(outType, dynamicSizes(outType, outSizes));
  bool separate = pool.finish || compute != outType.getElementType();
  Value total = out;
  if (separate)
    total = kernel.temporaryLike(out, compute);
  ScalarBuilder outside(kernel.inside(), loc, element);
  total = kernel.fill(pool.neutral(outside), {total, outAt});
  total = kernel.generic(
      {{in, inAt}}, {total, outAt}, reduced,
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, element);
        Value value = s.widen(v[0]);
        return pool.merge(s, v[1],
                          pool.prepare ? pool.prepare(s, value, p) : value);
      });
  if (separate)
    total = kernel.generic(
        {{total, outAt}}, {out, outAt}, {},
        [&](OpBuilder &nb, Location l, ValueRange v) {
          ScalarBuilder s(nb, l, element);
          Value n = count ? count(nb, l, kernel, outAt) : Value();
          return s.narrow(pool.finish ? pool.finish(s, v[0], n, p) : v[0]);
        });
  return kernel.finish({total}).front();
}

/// How many positions of the window along each dimension lie in
/// [0, size + border): product over the dimensions, in the compute type.
Value countInside(OpBuilder &b, Location l, KernelBuilder &kernel,
                  ArrayRef<AffineExpr> outAt, ArrayRef<int64_t> sizes,
                  const Windows &windows, ArrayRef<Value> low,
                  ArrayRef<Value> high, Type compute) {
  auto constant = [&](int64_t v) { return indexConstant(b, l, v); };
  Value count = constant(1);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    // Positions o * stride + k * dilation in the padded tensor that are at
    // least low and less than high.
    int64_t dilation = windows.dilations[d];
    Value first = mulIndex(b, l, kernel.index(b, l, outAt[d + 2]),
                           constant(windows.strides[d]));
    Value skipped = maxIndex(
        b, l,
        ceilDivIndex(b, l, subIndex(b, l, low[d], first), constant(dilation)),
        constant(0));
    Value end = minIndex(
        b, l,
        ceilDivIndex(b, l, subIndex(b, l, high[d], first), constant(dilation)),
        constant(size));
    count = mulIndex(b, l, count, subIndex(b, l, end, skipped));
  }
  // As wide as most elements, so that vectors need not be halved; a window of
  // more would not fit the memory.
  Value asInt = arith::IndexCastOp::create(b, l, b.getI32Type(), count);
  return arith::SIToFPOp::create(b, l, compute, asInt);
}

template <typename OnnxOp>
double exponentOf(OnnxOp op) {
  if constexpr (requires { op.getP(); })
    return op.getP();
  return 0;
}

template <typename OnnxOp>
struct WindowPoolLowering : public OpConversionPattern<OnnxOp> {
  WindowPoolLowering(TypeConverter &converter, MLIRContext *context,
                     const Pool &pool)
      : OpConversionPattern<OnnxOp>(converter, context), pool(pool) {}

  LogicalResult
  matchAndRewrite(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperands()[0];
    auto type = dyn_cast<RankedTensorType>(x.getType());
    if (!type || type.getRank() < 3)
      return rewriter.notifyMatchFailure(op, "operand has no spatial dims");
    if (op->getNumResults() > 1)
      return rewriter.notifyMatchFailure(op, "indices are wanted too");
    ArrayRef<int64_t> sizes = op.getKernelShape();
    SmallVector<Value> kernelSizes;
    for (int64_t size : sizes)
      kernelSizes.push_back(indexConstant(rewriter, loc, size));
    Windows windows = Windows::get(
        rewriter, loc, x, kernelSizes, op.getStrides(), op.getDilations(),
        op.getPads(), op.getAutoPad(), op.getCeilMode());
    // The region that counts, in coordinates of the padded tensor.
    SmallVector<Value> low, high;
    bool borders = false;
    if constexpr (requires { op.getCountIncludePad(); })
      borders = op.getCountIncludePad();
    std::optional<ArrayRef<int64_t>> pads = op.getPads();
    for (unsigned d = 0; d < sizes.size(); ++d) {
      Value size = sizeOf(rewriter, loc, x, d + 2);
      Value end = addIndex(rewriter, loc, windows.padBefore[d], size);
      // With ceil_mode the last window reaches beyond the asked-for border,
      // and what it finds there never counts.
      Value after = op.getAutoPad() == "NOTSET"
                        ? indexConstant(rewriter, loc,
                                        pads ? (*pads)[d + sizes.size()] : 0)
                        : windows.padAfter[d];
      low.push_back(borders ? indexConstant(rewriter, loc, 0)
                            : windows.padBefore[d]);
      high.push_back(borders ? addIndex(rewriter, loc, end, after) : end);
    }
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    Type compute = ScalarBuilder::computeType(element);
    Value fill = paddingValue(rewriter, loc, element);
    x = windows.pad(rewriter, loc, x, fill);
    PoolKernel kernel(rewriter, op, pool, exponentOf(op));
    auto count = [&](OpBuilder &b, Location l, KernelBuilder &k,
                     ArrayRef<AffineExpr> outAt) {
      SmallVector<Value> lowInside, highInside;
      for (auto [from, to] :
           {std::pair{&low, &lowInside}, std::pair{&high, &highInside}})
        for (Value v : *from)
          to->push_back(getConstantIntValue(v)
                            ? indexConstant(b, l, *getConstantIntValue(v))
                            : k.input(v));
      return countInside(b, l, k, outAt, sizes, windows, lowInside, highInside,
                         compute);
    };
    Value y = &pool == &averagePool ? kernel.build(x, sizes, windows, count)
                                    : kernel.build(x, sizes, windows, nullptr);
    replaceWithCasts(rewriter, *this->getTypeConverter(), op, y);
    return success();
  }

private:
  Value paddingValue(OpBuilder &b, Location loc, Type element) const {
    ScalarBuilder s(b, loc, element);
    return s.narrow(pool.neutral(s));
  }

  const Pool &pool;
};

} // namespace

void populateONNXToKrnlPoolingPatterns(TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<WindowPoolLowering<onnx::AveragePoolOp>>(converter, context,
                                                        averagePool);
  patterns.add<WindowPoolLowering<onnx::LpPoolOp>>(converter, context, lpPool);
  patterns.add<WindowPoolLowering<onnx::MaxPoolOp>>(converter, context,
                                                    maxPool);
}

} // namespace onnxc
