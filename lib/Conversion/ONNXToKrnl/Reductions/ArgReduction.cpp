//===- ArgReduction.cpp - Where the extreme elements are --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// ArgMax and ArgMin find the extreme of a row, then where it is, each a plain
// reduction; MaxPool, whose windows are small, carries both side by side.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Convolutions/Windows.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

Value orCondition(ScalarBuilder &s, Value x, Value y) {
  return s.math<arith::OrIOp>(x, y);
}
Value andCondition(ScalarBuilder &s, Value x, Value y) {
  return s.math<arith::AndIOp>(x, y);
}
Value notCondition(ScalarBuilder &s, Value x) {
  return s.math<arith::XOrIOp>(
      x, arith::ConstantIntOp::create(s.builder(), s.getLoc(), 1, 1));
}

/// Emits an i1 that is true if x is larger than `best`. A NaN is larger than
/// all numbers.
Value isLarger(ScalarBuilder &s, Value x, Value best) {
  Value larger = s.lt(best, x);
  if (!s.isFloat())
    return larger;
  Value isNew = andCondition(s, s.isNaN(x), notCondition(s, s.isNaN(best)));
  return orCondition(s, larger, isNew);
}

/// The largest or smallest of `in` along `axis`, for each element of `out`.
template <bool smallest>
Value extremes(KernelBuilder &kernel, Location loc, Type element,
               const KernelBuilder::Access &in,
               const KernelBuilder::Access &out, AffineExpr axis) {
  ScalarBuilder outside(kernel.inside(), loc, element);
  Value start =
      kernel.fill(smallest ? outside.highest() : outside.lowest(),
                  {kernel.temporaryLike(out.tensor, outside.type()), out.at});
  return kernel.generic({in}, {start, out.at}, {axis},
                        [&](OpBuilder &nb, Location l, ValueRange v) {
                          ScalarBuilder s(nb, l, element);
                          Value value = s.widen(v[0]);
                          return smallest ? s.min(v[1], value)
                                          : s.max(v[1], value);
                        });
}

/// An axis without elements has no index, unless there is no result element.
void checkNotEmpty(OpBuilder &b, Location loc, Value length,
                   ValueRange outSizes) {
  std::optional<int64_t> known = getConstantIntValue(length);
  if (known && *known > 0)
    return;
  Value asked =
      minIndex(b, loc, indexConstant(b, loc, 1), productOf(b, loc, outSizes));
  checkAtMost(b, loc, asked, length,
              "the axis is empty, so that no element is an extreme");
}

template <bool smallest, typename OnnxOp>
Value build(OpBuilder &b, OnnxOp op, Value x, int64_t axis) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(x.getType());
  Type element = getElementTypeOrSelf(op.getData().getType());
  KernelBuilder kernel(b, loc, op->getName().stripDialect());
  Value in = kernel.input(x);
  SmallVector<AffineExpr> all = kernel.loopsOf(type), outAt = all;
  outAt[axis] = kernel.zero();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  Value length = std::exchange(sizes[axis], indexConstant(b, loc, 1));
  shape[axis] = 1;
  checkNotEmpty(b, loc, length, sizes);
  auto outType = RankedTensorType::get(shape, b.getI64Type());
  Value out = kernel.output(outType, sizes);
  KernelBuilder::Access best{extremes<smallest>(kernel, loc, element, {in, all},
                                                {out, outAt}, all[axis]),
                             outAt};
  bool last = op.getSelectLastIndex();
  Value none = kernel.constant(
      b.getI64IntegerAttr(last ? -1 : std::numeric_limits<int64_t>::max()));
  Value start = kernel.fill(none, {out, outAt});
  Value found =
      kernel.generic({{in, all}, best}, {start, outAt}, {all[axis]},
                     [&](OpBuilder &nb, Location l, ValueRange v) -> Value {
                       ScalarBuilder s(nb, l, element);
                       Value value = s.widen(v[0]);
                       Value hit = s.eq(value, v[1]);
                       // A NaN beats everything, so that the extreme is one
                       // too.
                       if (s.isFloat())
                         hit = orCondition(s, hit, s.isNaN(value));
                       Value here = s.math<arith::IndexCastOp>(
                           nb.getI64Type(), kernel.index(nb, l, all[axis]));
                       Value candidate = s.select(hit, here, none);
                       return last ? s.math<arith::MaxSIOp>(v[2], candidate)
                                   : s.math<arith::MinSIOp>(v[2], candidate);
                     });
  return kernel.finish({found}).front();
}

Value drop(OpBuilder &b, Location loc, Value y, int64_t axis) {
  auto type = cast<RankedTensorType>(y.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes = sizesOf(b, loc, y);
  shape.erase(shape.begin() + axis);
  sizes.erase(sizes.begin() + axis);
  return reshapeTo(b, loc, y,
                   RankedTensorType::get(shape, type.getElementType()), sizes);
}

template <typename OnnxOp, bool smallest>
Lowered lowerArg(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                 ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getData();
  auto type = cast<RankedTensorType>(x.getType());
  FailureOr<int64_t> axis = axisOf(rewriter, op, op.getAxis(), type.getRank());
  if (failed(axis))
    return failure();
  Value y = build<smallest>(rewriter, op, x, *axis);
  if (op.getKeepdims() != 1)
    y = drop(rewriter, op.getLoc(), y, *axis);
  return y;
}

/// Indices are those of the whole tensor without borders, its spatial
/// dimensions in row-major or column-major order.
class IndexedPool {
public:
  IndexedPool(OpBuilder &b, onnx::MaxPoolOp op, Value x, const Windows &windows,
              Value padded)
      : b(b), loc(op.getLoc()), op(op), x(x), padded(padded), windows(windows),
        kernel(b, loc, "MaxPool"),
        element(getElementTypeOrSelf(op.getX().getType())) {}

  SmallVector<Value> build();

private:
  /// The element's index and whether it is none of the border.
  std::pair<Value, Value> position(ScalarBuilder &s);

  OpBuilder &b;
  Location loc;
  onnx::MaxPoolOp op;
  Value x, padded;
  const Windows &windows;
  KernelBuilder kernel;
  Type element;
  SmallVector<AffineExpr> outAt, window;
  SmallVector<Value> inSizes, before;
};

std::pair<Value, Value> IndexedPool::position(ScalarBuilder &s) {
  OpBuilder &nb = s.builder();
  Location l = s.getLoc();
  auto at = [&](AffineExpr loop) { return kernel.index(nb, l, loop); };
  Value index =
      addIndex(nb, l, mulIndex(nb, l, at(outAt[0]), inSizes[1]), at(outAt[1]));
  Value ok = arith::ConstantIntOp::create(nb, l, 1, 1);
  SmallVector<Value> positions;
  for (auto [d, k] : llvm::enumerate(window)) {
    Value o = mulIndex(nb, l, at(outAt[d + 2]),
                       indexConstant(nb, l, windows.strides[d]));
    Value step =
        mulIndex(nb, l, at(k), indexConstant(nb, l, windows.dilations[d]));
    positions.push_back(subIndex(nb, l, addIndex(nb, l, o, step), before[d]));
    // Unsigned: also false for negative positions.
    Value isIn = s.math<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                       positions.back(), inSizes[d + 2]);
    ok = andCondition(s, ok, isIn);
  }
  Value image = indexConstant(nb, l, 0), area = indexConstant(nb, l, 1);
  bool columns = op.getStorageOrder() == 1;
  for (int64_t i = 0, e = positions.size(); i < e; ++i) {
    int64_t d = columns ? i : e - 1 - i;
    image = addIndex(nb, l, image, mulIndex(nb, l, positions[d], area));
    area = mulIndex(nb, l, area, inSizes[d + 2]);
  }
  index = addIndex(nb, l, mulIndex(nb, l, index, area), image);
  return {s.math<arith::IndexCastOp>(nb.getI64Type(), index), ok};
}

SmallVector<Value> IndexedPool::build() {
  auto inType = cast<RankedTensorType>(padded.getType());
  SmallVector<Value> sizes{sizeOf(b, loc, x, 0), sizeOf(b, loc, x, 1)};
  sizes.append(windows.outSizes);
  RankedTensorType type = typeOfSizes(sizes, inType.getElementType());
  auto indexType = RankedTensorType::get(type.getShape(), b.getI64Type());
  for (Value size : sizesOf(b, loc, x))
    inSizes.push_back(kernel.scalar(size));
  for (Value pad : windows.padBefore)
    before.push_back(kernel.scalar(pad));

  SmallVector<AffineExpr> inAt;
  outAt = kernel.loopsOf(type);
  inAt.assign(outAt.begin(), outAt.begin() + 2);
  for (auto [d, size] : llvm::enumerate(op.getKernelShape())) {
    window.push_back(kernel.loop("k" + std::to_string(d), size));
    inAt.push_back(outAt[d + 2] * windows.strides[d] +
                   window.back() * windows.dilations[d]);
  }
  Value in = kernel.input(padded);
  Value out = kernel.output(type, sizes);
  Value indices = kernel.output(indexType, sizes);
  ScalarBuilder outside(kernel.inside(), loc, element);
  Value best = kernel.fill(outside.narrow(outside.lowest()), {out, outAt});
  Value none =
      kernel.fill(kernel.constant(b.getI64IntegerAttr(-1)), {indices, outAt});
  SmallVector<Value> found = kernel.generic(
      {{in, inAt}}, {{best, outAt}, {none, outAt}}, window,
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, element);
        auto [index, ok] = position(s);
        Value isFirst = s.math<arith::CmpIOp>(
            arith::CmpIPredicate::slt, v[2],
            arith::ConstantOp::create(nb, l, nb.getI64IntegerAttr(0)));
        Value better = isLarger(s, s.widen(v[0]), s.widen(v[1]));
        better = andCondition(s, ok, orCondition(s, better, isFirst));
        return SmallVector<Value>{s.select(better, v[0], v[1]),
                                  s.select(better, index, v[2])};
      });
  return kernel.finish(found);
}

Lowered lowerIndexedMaxPool(onnx::MaxPoolOp op,
                            onnx::MaxPoolOp::Adaptor adaptor,
                            ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX();
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() < 3)
    return rewriter.notifyMatchFailure(op, "operand has no spatial dims");
  if (op->getNumResults() != 2)
    return rewriter.notifyMatchFailure(op, "nobody asks for indices");
  SmallVector<Value> kernelSizes;
  for (int64_t size : op.getKernelShape())
    kernelSizes.push_back(indexConstant(rewriter, loc, size));
  Windows windows = Windows::get(rewriter, loc, x, kernelSizes, op.getStrides(),
                                 op.getDilations(), op.getPads(),
                                 op.getAutoPad(), op.getCeilMode());
  ScalarBuilder s(rewriter, loc, getElementTypeOrSelf(op.getX().getType()));
  Value padded = windows.pad(rewriter, loc, x, s.narrow(s.lowest()));
  return IndexedPool(rewriter, op, x, windows, padded).build();
}

} // namespace

void populateONNXToKrnlArgReductionPatterns(TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerArg<onnx::ArgMaxOp, false>,
               lowerArg<onnx::ArgMinOp, true>, lowerIndexedMaxPool);
}

} // namespace onnxc
