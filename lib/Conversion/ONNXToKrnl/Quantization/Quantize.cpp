//===- Quantize.cpp - To and from quantised numbers -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   q = saturate(round(x / scale) + zero point)      x = (q - zero point) *
//   scale
//
// Scale and zero point are one for the tensor, one for each index of an axis,
// or one for each block of adjacent elements along it. Where blocks are whole a
// dimension of the axis is one of blocks and one of the elements in them, and a
// loop over the elements of a block has one scale.
//===----------------------------------------------------------------------===//

#include "Builders/Broadcasting.h"
#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Quantization/Quantization.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

Value quantizeScalar(ScalarBuilder &real, Value ratio, Value zeroPoint,
                     Type element, Rounding rounding) {
  OpBuilder &b = real.builder();
  ScalarBuilder to(b, real.getLoc(), element);
  if (to.isFloat())
    return to.narrow(zeroPoint ? real.add(ratio, zeroPoint) : ratio, rounding);
  unsigned width = element.getIntOrFloatBitWidth();
  double lowest = to.isUnsigned() ? 0 : -std::ldexp(1.0, width - 1);
  double highest = std::ldexp(1.0, to.isUnsigned() ? width : width - 1) - 1;
  Value low = real.constant(lowest), high = real.constant(highest);
  if (zeroPoint) {
    low = real.sub(low, zeroPoint);
    high = real.sub(high, zeroPoint);
  }
  // The bounds are whole, so what is between them stays there when it is
  // rounded. In this order NaN becomes the lowest.
  Value y = real.select(real.lt(low, ratio), ratio, low);
  y = real.select(real.lt(y, high), y, high);
  ScalarBuilder whole(b, real.getLoc(), b.getI32Type());
  y = real.castTo(real.math<math::RoundEvenOp>(y), b.getI32Type());
  if (zeroPoint)
    y = whole.add(y, real.castTo(zeroPoint, b.getI32Type()));
  return to.narrow(whole.castTo(y, element));
}

bool isKnownZero(Value zeroPoint) {
  auto constant = zeroPoint.getDefiningOp<krnl::ConstantOp>();
  auto dense =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  return dense && dense.isSplat() && dense.getSplatValue<APInt>().isZero();
}

namespace {

/// A scale or zero point as the kernel over all elements reads it.
struct Parameter {
  Parameter() = default;
  /// `x` is quantised; `block` is 0 where there are no blocks.
  Parameter(KernelBuilder &kernel, Value parameter, Type element,
            RankedTensorType x, ArrayRef<AffineExpr> loops, int64_t axis,
            int64_t block)
      : element(element), axis(axis), block(block) {
    auto type = cast<RankedTensorType>(parameter.getType());
    tensor = kernel.input(parameter);
    if (type.getRank() == 1)
      direct =
          type.getDimSize(0) == 1 ||
          (type.getDimSize(0) == x.getDimSize(axis) && !type.isDynamicDim(0));
    else
      direct = type.getRank() == 0;
    if (direct && type.getRank() == 1)
      at.push_back(type.getDimSize(0) == 1 ? kernel.zero() : loops[axis]);
    if (!direct)
      for (int64_t d = 0; d < type.getRank(); ++d)
        limits.push_back(limit(kernel.inside(), parameter.getLoc(), d));
  }

  /// One for each iteration of these loops.
  Parameter(KernelBuilder &kernel, Value parameter, Type element,
            ArrayRef<AffineExpr> loops)
      : tensor(kernel.input(parameter)), element(element), direct(true),
        at(loops) {}

  explicit operator bool() const { return tensor != nullptr; }

  /// The compute type's value at the element whose kernel is being built;
  /// `read` is the element of the access.
  Value get(KernelBuilder &kernel, OpBuilder &b, Location loc,
            ArrayRef<AffineExpr> loops, Value read) const {
    if (!direct)
      read = extract(kernel, b, loc, loops);
    return ScalarBuilder(b, loc, element).widen(read);
  }

  Value tensor;
  Type element;
  /// Read through `at`, by the structured op itself.
  bool direct = false;
  SmallVector<AffineExpr> at;

private:
  /// The last index of a dimension.
  Value limit(OpBuilder &b, Location loc, int64_t d) const {
    Value size = tensor::DimOp::create(b, loc, tensor, d);
    return arith::SubIOp::create(b, loc, size,
                                 arith::ConstantIndexOp::create(b, loc, 1));
  }

  Value extract(KernelBuilder &kernel, OpBuilder &b, Location loc,
                ArrayRef<AffineExpr> loops) const {
    SmallVector<Value> indices;
    for (auto [d, last] : llvm::enumerate(limits)) {
      int64_t dim = limits.size() == 1 ? axis : int64_t(d);
      Value index = kernel.index(b, loc, loops[dim]);
      if (block > 1 && dim == axis)
        index = arith::DivUIOp::create(
            b, loc, index, arith::ConstantIndexOp::create(b, loc, block));
      indices.push_back(arith::MinSIOp::create(b, loc, index, last));
    }
    return tensor::ExtractOp::create(b, loc, tensor, indices);
  }

  int64_t axis = 0, block = 0;
  SmallVector<Value> limits;
};

/// Returns true if there are parameters for each block, and blocks of one
/// static size. Sizes that are known to be wrong are left to the check.
bool hasWholeBlocks(ValueRange operands, int64_t axis, int64_t block) {
  RankedTensorType type = rankedType(operands[0]);
  if (block <= 1 || type.isDynamicDim(axis) ||
      type.getDimSize(axis) % block != 0)
    return false;
  SmallVector<int64_t> blocks(type.getShape());
  blocks[axis] /= block;
  return llvm::all_of(operands.drop_front(), [&](Value parameter) {
    return succeeded(
        verifyCompatibleShape(rankedType(parameter).getShape(), blocks));
  });
}

/// The shape with two dimensions, of blocks and of the elements in them, for
/// the axis.
RankedTensorType splitAxis(RankedTensorType type, int64_t axis, int64_t block) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= block;
  shape.insert(shape.begin() + axis + 1, block);
  return type.clone(shape);
}

/// Shared by both directions: the kernel over the elements of x, with scale
/// and zero point beside.
struct LinearKernel {
  LinearKernel(ConversionPatternRewriter &rewriter, Operation *op,
               ValueRange operands, int64_t givenAxis, int64_t block)
      : rewriter(rewriter), op(op), loc(op->getLoc()), x(operands[0]),
        type(cast<RankedTensorType>(x.getType())),
        kernel(rewriter, loc, op->getName().stripDialect()),
        sizes(sizesOf(rewriter, loc, x)),
        axis(type.getRank() < 2 ? 0
             : givenAxis < 0    ? givenAxis + type.getRank()
                                : givenAxis),
        block(block) {
    if (type.getRank() > 0 && hasWholeBlocks(operands, axis, block))
      adjacent = axis + 1;
    loops = kernel.loopsOf(adjacent ? splitAxis(type, axis, block) : type);
    in = {kernel.input(shaped()), loops};
    scale = parameter(operands[1], 1);
    if (operands.size() > 2 && !isKnownZero(operands[2]))
      zeroPoint = parameter(operands[2], 2);
  }

  /// `fn` computes a stored element from stored x, scale and zero point (null
  /// if there is none) in their compute types.
  Value
  build(Type resultElement,
        function_ref<Value(OpBuilder &, Location, Value, Value, Value)> fn) {
    auto outType = RankedTensorType::get(
        type.getShape(), ScalarBuilder::storageType(resultElement));
    auto inBlocks = adjacent ? splitAxis(outType, axis, block) : outType;
    Value out = kernel.output(inBlocks, dynamicSizes(outType, sizes));
    SmallVector<KernelBuilder::Access> ins{in};
    if (scale.direct)
      ins.push_back({scale.tensor, scale.at});
    if (zeroPoint && zeroPoint.direct)
      ins.push_back({zeroPoint.tensor, zeroPoint.at});
    Value result = kernel.generic(
        ins, {out, loops}, {}, [&](OpBuilder &b, Location l, ValueRange v) {
          unsigned next = 1;
          auto read = [&](const Parameter &p) {
            return p.get(kernel, b, l, loops, p.direct ? v[next++] : Value());
          };
          Value s = read(scale);
          return fn(b, l, v[0], s, zeroPoint ? read(zeroPoint) : Value());
        });
    Value y = kernel.finish({result}).front();
    return adjacent ? reshapeTo(rewriter, loc, y, outType, sizes) : y;
  }

  ConversionPatternRewriter &rewriter;
  Operation *op;
  Location loc;
  Value x;
  RankedTensorType type;
  KernelBuilder kernel;
  SmallVector<Value> sizes;
  int64_t axis, block;
  SmallVector<AffineExpr> loops;
  KernelBuilder::Access in;
  Parameter scale, zeroPoint;
  /// The loop over the elements of a block, if blocks have one of their own.
  int64_t adjacent = 0;

private:
  /// x with a dimension for each loop.
  Value shaped() {
    if (!adjacent)
      return x;
    SmallVector<Value> all = sizes;
    all[axis] = indexConstant(rewriter, loc, type.getDimSize(axis) / block);
    all.insert(all.begin() + adjacent, indexConstant(rewriter, loc, block));
    return reshapeTo(rewriter, loc, x, splitAxis(type, axis, block), all);
  }

  Parameter parameter(Value value, unsigned number) {
    if (block > 0 && rankedType(value).getRank() == type.getRank())
      checkBlocks(value);
    else
      checkAxis(value);
    Type element = getElementTypeOrSelf(op->getOperand(number).getType());
    if (!adjacent)
      return Parameter(kernel, value, element, type, loops, axis, block);
    SmallVector<AffineExpr> ofBlocks = loops;
    ofBlocks.erase(ofBlocks.begin() + adjacent);
    return Parameter(kernel, value, element, ofBlocks);
  }

  /// A vector has one element, or one for each index of the axis.
  void checkAxis(Value value) {
    auto vector = cast<RankedTensorType>(value.getType());
    if (vector.getRank() != 1 || type.getRank() == 0 ||
        vector.getDimSize(0) == 1)
      return;
    checkBroadcasts(rewriter, loc, sizeOf(rewriter, loc, value, 0),
                    sizeOf(rewriter, loc, x, axis),
                    "quantisation: a vector of scales or zero points has "
                    "another size than the axis");
  }

  /// There is one for each block, of which the last may be a part.
  void checkBlocks(Value value) {
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Value wanted = sizeOf(rewriter, loc, x, d);
      if (d == axis)
        wanted = ceilDivIndex(rewriter, loc, wanted,
                              indexConstant(rewriter, loc, block));
      checkEqualSizes(rewriter, loc, sizeOf(rewriter, loc, value, d), wanted,
                      "quantisation: expected a scale or zero point for each "
                      "block");
    }
  }
};

/// Ranks and shapes that LinearKernel can read.
LogicalResult checkOperands(ConversionPatternRewriter &rewriter, Operation *op,
                            ValueRange operands, int64_t axis, int64_t block) {
  if (block < 0)
    return rewriter.notifyMatchFailure(op, "block_size is negative");
  auto type = cast<RankedTensorType>(operands[0].getType());
  int64_t rank = type.getRank();
  bool hasAxis = llvm::any_of(operands.drop_front(), [](Value parameter) {
    return cast<RankedTensorType>(parameter.getType()).getRank() > 0;
  });
  if (hasAxis && rank > 1 && (axis < -rank || axis >= rank))
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  for (Value operand : operands.drop_front()) {
    auto parameter = cast<RankedTensorType>(operand.getType());
    if (parameter.getRank() > 1 && parameter.getRank() != rank)
      return rewriter.notifyMatchFailure(op, "scale has another rank");
    if (parameter.getRank() == 1 && rank == 0 && parameter.getDimSize(0) != 1)
      return rewriter.notifyMatchFailure(op, "scalar with a vector of scales");
  }
  return success();
}

/// The float type of a `precision` attribute; null for 0.
Type floatOfNumber(MLIRContext *context, int64_t number) {
  switch (number) {
  case 1:
    return Float32Type::get(context);
  case 10:
    return Float16Type::get(context);
  case 11:
    return Float64Type::get(context);
  case 16:
    return BFloat16Type::get(context);
  default:
    return {};
  }
}

/// Returns true for a constant scale of one.
bool isKnownOne(Value scale) {
  auto constant = scale.getDefiningOp<krnl::ConstantOp>();
  auto dense =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  return dense && dense.isSplat() &&
         dense.getSplatValue<APFloat>().isExactlyValue(1.0);
}

Lowered lowerQuantize(onnx::QuantizeLinearOp op,
                      onnx::QuantizeLinearOp::Adaptor adaptor,
                      ConversionPatternRewriter &rewriter) {
  ValueRange operands = adaptor.getOperands();
  if (failed(checkOperands(rewriter, op, operands, op.getAxis(),
                           op.getBlockSize())))
    return failure();
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  Type precision = floatOfNumber(op.getContext(), op.getPrecision());
  LinearKernel linear(rewriter, op, operands, op.getAxis(), op.getBlockSize());
  // Powers of two and integers hold no quotients.
  bool holdsQuotients = isa<FloatType>(linear.scale.element) &&
                        !isa<Float8E8M0FNUType>(linear.scale.element);
  if (!precision)
    precision =
        holdsQuotients ? linear.scale.element : Type(rewriter.getF32Type());
  Rounding rounding;
  rounding.saturate = op.getSaturate();
  rounding.mode = Rounding::Mode::Nearest;
  return linear.build(to, [&](OpBuilder &b, Location loc, Value stored,
                              Value scale, Value zeroPoint) {
    ScalarBuilder full(b, loc, from), real(b, loc, precision);
    Value dividend = full.castTo(full.widen(stored), precision);
    Value divisor =
        ScalarBuilder(b, loc, linear.scale.element).castTo(scale, precision);
    // The quotient has the given precision, not that of the compute type.
    Value ratio = isKnownOne(operands[1])
                      ? dividend
                      : real.widen(real.narrow(real.div(dividend, divisor)));
    if (zeroPoint)
      zeroPoint = ScalarBuilder(b, loc, linear.zeroPoint.element)
                      .castTo(zeroPoint, precision);
    return quantizeScalar(real, ratio, zeroPoint, to, rounding);
  });
}

Lowered lowerDequantize(onnx::DequantizeLinearOp op,
                        onnx::DequantizeLinearOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  ValueRange operands = adaptor.getOperands();
  if (failed(checkOperands(rewriter, op, operands, op.getAxis(),
                           op.getBlockSize())))
    return failure();
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  LinearKernel linear(rewriter, op, operands, op.getAxis(), op.getBlockSize());
  return linear.build(to, [&](OpBuilder &b, Location loc, Value stored,
                              Value scale, Value zeroPoint) {
    ScalarBuilder q(b, loc, from), real(b, loc, to);
    Value x = q.castTo(q.widen(stored), to);
    if (zeroPoint)
      x = real.sub(x, ScalarBuilder(b, loc, linear.zeroPoint.element)
                          .castTo(zeroPoint, to));
    Value factor =
        ScalarBuilder(b, loc, linear.scale.element).castTo(scale, to);
    return real.narrow(real.mul(x, factor));
  });
}

} // namespace

void populateONNXToKrnlQuantizePatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerDequantize, lowerQuantize);
}

} // namespace onnxc
