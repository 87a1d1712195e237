//===- ResizeCoordinates.cpp - Where results of Resize come from *- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "ResizeCoordinates.h"

using namespace mlir;

namespace onnxc {

bool isCoordinateMode(StringRef name) {
  static constexpr StringRef names[] = {
      "half_pixel",        "half_pixel_symmetric", "pytorch_half_pixel",
      "align_corners",     "asymmetric",           "tf_half_pixel_for_nn",
      "tf_crop_and_resize"};
  return llvm::is_contained(names, name);
}

/// x * (inSize - 1) / (length - 1), and `alone` where there is one position.
static Value betweenCorners(ScalarBuilder &f, const ResizedDim &dim, Value x,
                            Value alone) {
  Value one = f.constant(1);
  Value length = f.mul(dim.scale, dim.inSize);
  Value isOne = f.eq(length, one);
  Value steps = f.select(isOne, one, f.sub(length, one));
  return f.select(isOne, alone, f.div(f.mul(x, f.sub(dim.inSize, one)), steps));
}

Value sourceCoordinate(ScalarBuilder &f, StringRef mode, const ResizedDim &dim,
                       Value i) {
  Value half = f.constant(0.5), one = f.constant(1), zero = f.constant(0);
  Value middle = f.div(f.add(i, half), dim.scale);
  Value halfPixel = f.sub(middle, half);
  if (mode == "asymmetric")
    return f.div(i, dim.scale);
  if (mode == "tf_half_pixel_for_nn")
    return middle;
  if (mode == "pytorch_half_pixel")
    return f.select(f.lt(one, dim.outSize), halfPixel, zero);
  if (mode == "align_corners")
    return betweenCorners(f, dim, i, zero);
  if (mode == "half_pixel_symmetric") {
    Value adjustment = f.div(dim.outSize, f.mul(dim.scale, dim.inSize));
    Value offset = f.mul(f.mul(dim.inSize, half), f.sub(one, adjustment));
    return f.add(offset, halfPixel);
  }
  if (mode == "tf_crop_and_resize") {
    Value last = f.sub(dim.inSize, one);
    Value extent = f.sub(dim.regionEnd, dim.regionStart);
    Value inside = betweenCorners(f, dim, f.mul(i, extent),
                                  f.mul(f.mul(extent, last), half));
    return f.add(inside, f.mul(dim.regionStart, last));
  }
  return halfPixel;
}

Value nearestSample(ScalarBuilder &f, StringRef mode, Value x) {
  Value half = f.constant(0.5);
  if (mode == "round_prefer_ceil")
    return f.math<math::FloorOp>(f.add(x, half));
  if (mode == "floor")
    return f.math<math::FloorOp>(x);
  if (mode == "ceil")
    return f.math<math::CeilOp>(x);
  return f.math<math::CeilOp>(f.sub(x, half));
}

Value filterScale(ScalarBuilder &f, const ResizeMode &mode, Value scale) {
  Value one = f.constant(1);
  return mode.antialias ? f.select(f.lt(scale, one), scale, one) : one;
}

Value firstTap(ScalarBuilder &f, const ResizeMode &mode, Value scale) {
  int64_t reach = tapCount(mode.interpolation) / 2;
  if (!mode.antialias)
    return f.constant(double(1 - reach));
  Value wide = f.div(f.constant(double(-reach)), filterScale(f, mode, scale));
  return f.add(f.math<math::FloorOp>(wide), f.constant(1));
}

} // namespace onnxc
