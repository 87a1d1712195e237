//===- Resize.cpp - Resampling, nearest and linear --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Every element of the result finds its place in the operand, by the rules of
// ONNX's Resize (coordinate_transformation_mode, nearest_mode), in f64, and
// takes the nearest element or blends its neighbours in each resized dimension.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// What the payload knows of a resized dimension: values of the kernel.
struct ResizedDim {
  int64_t dim;
  Value scale, inSize, outSize; // f64
  Value last;                   // index of the last element
};

/// f64 arithmetic at one place of a payload.
struct Float64 {
  OpBuilder &b;
  Location loc;

  Value constant(double v) {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(v));
  }
  Value fromIndex(Value v) {
    Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
    return arith::SIToFPOp::create(b, loc, b.getF64Type(), wide);
  }
  Value toIndex(Value v) {
    Value wide = arith::FPToSIOp::create(b, loc, b.getI64Type(), v);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), wide);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value floor(Value x) { return math::FloorOp::create(b, loc, x); }
  Value ceil(Value x) { return math::CeilOp::create(b, loc, x); }
  Value isOne(Value x) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, x,
                                 constant(1));
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
};

/// Where output position `i` lies in the operand; null for unknown modes.
Value sourceCoordinate(Float64 f, StringRef mode, const ResizedDim &dim,
                       Value i) {
  Value half = f.constant(0.5), one = f.constant(1), zero = f.constant(0);
  auto halfPixel = [&] {
    return f.sub(f.div(f.add(i, half), dim.scale), half);
  };
  if (mode == "half_pixel")
    return halfPixel();
  if (mode == "asymmetric")
    return f.div(i, dim.scale);
  if (mode == "tf_half_pixel_for_nn")
    return f.div(f.add(i, half), dim.scale);
  if (mode == "pytorch_half_pixel")
    return f.select(f.isOne(dim.outSize), zero, halfPixel());
  if (mode == "align_corners") {
    Value alone = f.isOne(dim.outSize);
    Value steps = f.select(alone, one, f.sub(dim.outSize, one));
    Value x = f.div(f.mul(i, f.sub(dim.inSize, one)), steps);
    return f.select(alone, zero, x);
  }
  if (mode == "half_pixel_symmetric") {
    Value adjustment = f.div(dim.outSize, f.mul(dim.scale, dim.inSize));
    Value center = f.div(dim.inSize, f.constant(2));
    Value offset = f.mul(center, f.sub(one, adjustment));
    return f.add(offset, halfPixel());
  }
  return {};
}

Value nearest(Float64 f, StringRef mode, Value x) {
  Value half = f.constant(0.5);
  if (mode == "round_prefer_ceil")
    return f.floor(f.add(x, half));
  if (mode == "floor")
    return f.floor(x);
  if (mode == "ceil")
    return f.ceil(x);
  return f.ceil(f.sub(x, half));
}

class ResizeLowering : public OpConversionPattern<onnx::ResizeOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::ResizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    auto type = dyn_cast<RankedTensorType>(x.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "rank is not known");
    StringRef mode = op.getMode(),
              coordinates = op.getCoordinateTransformationMode();
    if ((mode != "nearest" && mode != "linear") || op.getAntialias())
      return rewriter.notifyMatchFailure(op, "mode is not nearest or linear");
    if (coordinates == "tf_crop_and_resize")
      return rewriter.notifyMatchFailure(op, "resizing of a region");
    if (mode == "linear" &&
        !isa<FloatType>(getElementTypeOrSelf(op.getX().getType())))
      return rewriter.notifyMatchFailure(op, "blending of integers");
    if (op.getKeepAspectRatioPolicy() != "stretch")
      return rewriter.notifyMatchFailure(op, "aspect ratio is to be kept");
    SmallVector<int64_t> axes;
    if (auto given = op.getAxes())
      for (int64_t axis : *given)
        axes.push_back(axis < 0 ? axis + type.getRank() : axis);
    else
      for (int64_t d = 0; d < type.getRank(); ++d)
        axes.push_back(d);

    SmallVector<Value> sizes = sizesOf(rewriter, loc, x);
    SmallVector<ResizedDim> resized;
    for (auto [i, d] : llvm::enumerate(axes)) {
      auto [scale, size] = scaleAndSize(op, adaptor, rewriter, i, sizes[d]);
      if (isEqualConstantIntOrValue(size, sizes[d]))
        continue;
      resized.push_back({d, scale, sizes[d], size, {}});
      sizes[d] = size;
    }
    Value y = build(rewriter, op, x, type, sizes, resized);
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }

private:
  /// The scale (f64) and the size of the result along the i-th axis.
  static std::pair<Value, Value> scaleAndSize(onnx::ResizeOp op,
                                              OpAdaptor adaptor, OpBuilder &b,
                                              int64_t i, Value in) {
    Location loc = op.getLoc();
    Float64 f{b, loc};
    if (op.getSizes()) {
      auto constant = onnx::constantInts(op.getSizes());
      Value size = constant ? indexConstant(b, loc, (*constant)[i])
                            : elementAsIndex(b, loc, adaptor.getSizes(), i);
      return {f.div(f.fromIndex(size), f.fromIndex(in)), size};
    }
    SmallVector<char> scratch;
    TypedAttr value = onnx::constantValue(op.getScales());
    ArrayRef<char> bytes =
        value ? onnx::constantBytes(value, scratch) : ArrayRef<char>();
    if (bytes.size() >= (i + 1) * sizeof(float)) {
      float scale;
      std::memcpy(&scale, bytes.data() + i * sizeof(float), sizeof(float));
      if (scale == 1)
        return {f.constant(1), in};
      if (auto known = getConstantIntValue(in))
        return {f.constant(scale),
                indexConstant(b, loc, int64_t(double(*known) * scale))};
      return {f.constant(scale),
              f.toIndex(f.floor(f.mul(f.fromIndex(in), f.constant(scale))))};
    }
    Value element = tensor::ExtractOp::create(b, loc, adaptor.getScales(),
                                              indexConstant(b, loc, i));
    Value scale = arith::ExtFOp::create(b, loc, b.getF64Type(), element);
    return {scale, f.toIndex(f.floor(f.mul(f.fromIndex(in), scale)))};
  }

  static Value build(OpBuilder &b, onnx::ResizeOp op, Value x,
                     RankedTensorType type, ValueRange sizes,
                     MutableArrayRef<ResizedDim> resized) {
    Location loc = op.getLoc();
    SmallVector<int64_t> unknown(type.getRank(), ShapedType::kDynamic);
    RankedTensorType outType = refineType(
        RankedTensorType::get(unknown, type.getElementType()), sizes);
    KernelBuilder kernel(b, loc, "Resize");
    Value in = kernel.input(x);
    Float64 host{b, loc};
    for (ResizedDim &dim : resized) {
      Value last = subIndex(b, loc, dim.inSize, indexConstant(b, loc, 1));
      dim.last = kernel.input(last);
      dim.scale = kernel.input(dim.scale);
      dim.inSize = kernel.input(host.fromIndex(dim.inSize));
      dim.outSize = kernel.input(host.fromIndex(dim.outSize));
    }
    SmallVector<AffineExpr> loops = kernel.loopsOf(outType);
    Value out = kernel.output(outType, dynamicSizes(outType, sizes));
    Type element = getElementTypeOrSelf(op.getX().getType());
    Value y = kernel.generic(
        {}, {out, loops}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
          SmallVector<Value> at;
          for (AffineExpr loop : loops)
            at.push_back(kernel.index(nb, l, loop));
          ScalarBuilder s(nb, l, element);
          if (op.getMode() == "linear")
            return s.narrow(blend(s, op, in, at, resized));
          Float64 f{nb, l};
          for (const ResizedDim &dim : resized) {
            Value place =
                sourceCoordinate(f, op.getCoordinateTransformationMode(), dim,
                                 f.fromIndex(at[dim.dim]));
            at[dim.dim] = clamped(
                nb, l, f.toIndex(nearest(f, op.getNearestMode(), place)), dim);
          }
          return tensor::ExtractOp::create(nb, l, in, at).getResult();
        });
    return kernel.finish({y}).front();
  }

  static Value clamped(OpBuilder &b, Location loc, Value index,
                       const ResizedDim &dim) {
    Value zero = indexConstant(b, loc, 0);
    Value low = arith::MaxSIOp::create(b, loc, index, zero);
    return arith::MinSIOp::create(b, loc, low, dim.last);
  }

  /// Blends the two neighbours in the first of `dims`, each of which is a blend
  /// over the dimensions that follow.
  static Value blend(ScalarBuilder &s, onnx::ResizeOp op, Value in,
                     SmallVector<Value> at, ArrayRef<ResizedDim> dims) {
    OpBuilder &b = s.builder();
    Location loc = s.getLoc();
    if (dims.empty())
      return s.widen(tensor::ExtractOp::create(b, loc, in, at));
    const ResizedDim &dim = dims.front();
    Float64 f{b, loc};
    Value place = sourceCoordinate(f, op.getCoordinateTransformationMode(), dim,
                                   f.fromIndex(at[dim.dim]));
    Value below = f.floor(place);
    Value weight = f.sub(place, below);
    Value first = f.toIndex(below);
    Value second =
        arith::AddIOp::create(b, loc, first, indexConstant(b, loc, 1));
    SmallVector<Value> atSecond = at;
    at[dim.dim] = clamped(b, loc, first, dim);
    atSecond[dim.dim] = clamped(b, loc, second, dim);
    Value x = blend(s, op, in, at, dims.drop_front());
    Value y = blend(s, op, in, atSecond, dims.drop_front());
    Value w = weight;
    if (s.type() != b.getF64Type())
      w = arith::TruncFOp::create(b, loc, s.type(), weight);
    Value rest = s.sub(s.constant(1), w);
    return s.add(s.mul(x, rest), s.mul(y, w));
  }
};

} // namespace

void populateONNXToKrnlResizePatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ResizeLowering>(converter, patterns.getContext());
}

} // namespace onnxc
