//===- ResizeDims.cpp - Sizes and scales of a Resize ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "ResizeDims.h"

#include "Builders/HostValues.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"

using namespace mlir;

namespace onnxc {
namespace {

class ResizePlanner : public ResizeDims {
public:
  ResizePlanner(OpBuilder &b, onnx::ResizeOp op,
                onnx::ResizeOp::Adaptor adaptor, const ResizeMode &mode)
      : b(b), loc(op.getLoc()), op(op), adaptor(adaptor), mode(mode),
        host(b, loc, b.getF64Type()) {}

  bool run();

private:
  bool planByScales(ArrayRef<int64_t> axes);
  void planBySizes(ArrayRef<int64_t> axes);
  void addDim(int64_t axis, size_t i, size_t count, Value scale, Value size,
              bool isUnit);
  Value checkedSize(int64_t axis, Value size);
  Value floatElement(Value original, Value tensor, int64_t i);
  Value toFloat(Value index) {
    if (auto known = getConstantIntValue(index))
      return host.constant(double(*known));
    return indexToFloat(host, index);
  }
  template <typename Op>
  Value fold(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }

  OpBuilder &b;
  Location loc;
  onnx::ResizeOp op;
  onnx::ResizeOp::Adaptor adaptor;
  const ResizeMode &mode;
  ScalarBuilder host;
};

} // namespace

static constexpr double largestScale = 1 << 30;

/// Returns true for a positive scale below the limit; false for NaN.
static bool isScale(double scale) { return scale > 0 && scale < largestScale; }

/// Element `i` of a structural operand of floats as f64, constant if it is in
/// the model.
Value ResizePlanner::floatElement(Value original, Value tensor, int64_t i) {
  SmallVector<char> scratch;
  TypedAttr value = onnx::constantValue(original);
  ArrayRef<char> bytes =
      value ? onnx::constantBytes(value, scratch) : ArrayRef<char>();
  Type type = rankedType(tensor).getElementType();
  if (type.isF32() && bytes.size() >= (i + 1) * sizeof(float)) {
    float number;
    std::memcpy(&number, bytes.data() + i * sizeof(float), sizeof(float));
    return host.constant(number);
  }
  Value number =
      tensor::ExtractOp::create(b, loc, tensor, indexConstant(b, loc, i));
  return type.isF64()
             ? number
             : Value(arith::ExtFOp::create(b, loc, b.getF64Type(), number));
}

void ResizePlanner::addDim(int64_t axis, size_t i, size_t count, Value scale,
                           Value size, bool isUnit) {
  outSizes[axis] = size;
  if (isUnit && !mode.isCrop())
    return;
  ResizedDim dim{axis, scale, toFloat(inSizes[axis]), toFloat(size), {}, {}};
  if (mode.isCrop()) {
    dim.regionStart = floatElement(op.getRoi(), adaptor.getRoi(), i);
    dim.regionEnd = floatElement(op.getRoi(), adaptor.getRoi(), count + i);
  }
  dims.push_back(dim);
}

/// A size, cut off. Ends the run where it is too large, or NaN.
Value ResizePlanner::checkedSize(int64_t axis, Value size) {
  krnl::makeCheck(b, loc, host.le(size, host.constant(maxGivenSize)),
                  "Resize: a size is negative or too large", inSizes[axis],
                  "dimension " + std::to_string(axis) +
                      ", {} before it is scaled");
  return arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      arith::FPToSIOp::create(b, loc, b.getI64Type(), size));
}

/// The size is the operand's times the scale, truncated.
bool ResizePlanner::planByScales(ArrayRef<int64_t> axes) {
  checkLength(b, loc, adaptor.getScales(), axes.size(),
              "Resize: expected a scale for each resized dimension");
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value scale = floatElement(op.getScales(), adaptor.getScales(), i);
    FloatAttr known;
    bool isKnown = matchPattern(scale, m_Constant(&known));
    bool isUnit = isKnown && known.getValueAsDouble() == 1;
    if (isKnown && !isScale(known.getValueAsDouble()))
      return false;
    if (!isKnown)
      krnl::makeCheck(
          b, loc,
          host.math<arith::AndIOp>(host.lt(host.constant(0), scale),
                                   host.lt(scale, host.constant(largestScale))),
          "Resize: a scale is not above 0 and below 2^30", inSizes[axis],
          "of dimension " + std::to_string(axis) + ", of size {}");
    Value size = inSizes[axis];
    auto in = getConstantIntValue(size);
    if (isKnown && in)
      size = indexConstant(b, loc,
                           int64_t(double(*in) * known.getValueAsDouble()));
    else if (!isUnit)
      size = checkedSize(axis, host.mul(toFloat(size), scale));
    addDim(axis, i, axes.size(), scale, size, isUnit);
  }
  return true;
}

/// The scales follow from the sizes; the smallest or the largest of them, if
/// all dimensions have the same.
void ResizePlanner::planBySizes(ArrayRef<int64_t> axes) {
  checkLength(b, loc, adaptor.getSizes(), axes.size(),
              "Resize: expected a size for each resized dimension");
  SmallVector<Value> scales, sizes;
  Value common;
  StringRef policy = op.getKeepAspectRatioPolicy();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    sizes.push_back(
        structuralElement(b, loc, op.getSizes(), adaptor.getSizes(), i));
    checkGivenSize(b, loc, sizes[i], "Resize");
    scales.push_back(
        fold<arith::DivFOp>(toFloat(sizes[i]), toFloat(inSizes[axis])));
    if (!common)
      common = scales[i];
    else if (policy == "not_larger")
      common = fold<arith::MinimumFOp>(common, scales[i]);
    else
      common = fold<arith::MaximumFOp>(common, scales[i]);
  }
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (policy != "stretch") {
      scales[i] = common;
      sizes[i] =
          checkedSize(axis, host.add(host.mul(common, toFloat(inSizes[axis])),
                                     host.constant(0.5)));
    }
    bool isUnit = policy == "stretch" &&
                  isEqualConstantIntOrValue(sizes[i], inSizes[axis]);
    addDim(axis, i, axes.size(), scales[i], sizes[i], isUnit);
  }
}

bool ResizePlanner::run() {
  inSizes = sizesOf(b, loc, adaptor.getX());
  outSizes = inSizes;
  SmallVector<int64_t> axes;
  if (auto given = op.getAxes())
    for (int64_t axis : *given)
      axes.push_back(positiveAxis(axis, inSizes.size()));
  else
    llvm::append_range(axes, llvm::seq<int64_t>(inSizes.size()));
  if (mode.isCrop())
    checkLength(b, loc, adaptor.getRoi(), 2 * axes.size(),
                "Resize: expected a begin and an end for each resized "
                "dimension");
  if (op.getSizes())
    planBySizes(axes);
  else if (!planByScales(axes))
    return false;
  outSizes = knownSizes(b, loc, op->getResult(0), outSizes);
  for (const ResizedDim &dim : dims)
    checkAtMost(b, loc,
                minIndex(b, loc, outSizes[dim.dim], indexConstant(b, loc, 1)),
                inSizes[dim.dim], "Resize: nothing to take elements from");
  return true;
}

std::optional<ResizeDims> planResize(OpBuilder &b, onnx::ResizeOp op,
                                     onnx::ResizeOp::Adaptor adaptor,
                                     const ResizeMode &mode) {
  ResizePlanner planner(b, op, adaptor, mode);
  if (!planner.run())
    return std::nullopt;
  return std::move(planner);
}

StringRef problemWithResize(onnx::ResizeOp op, onnx::ResizeOp::Adaptor adaptor,
                            const ResizeMode &mode) {
  int64_t rank = rankedType(adaptor.getX()).getRank();
  int64_t count = op.getAxes() ? op.getAxes()->size() : rank;
  auto hasLength = [](Value tensor, int64_t length) {
    RankedTensorType type = tensor ? rankedType(tensor) : RankedTensorType();
    return !tensor || (type && type.getRank() == 1 &&
                       (type.isDynamicDim(0) || type.getDimSize(0) == length));
  };
  if (auto axes = op.getAxes(); axes && !namedAxes(*axes, rank))
    return "the axes are out of range or repeat";
  if (!hasLength(adaptor.getScales(), op.getSizes() ? 0 : count) &&
      !op.getSizes())
    return "expected a scale for each resized dimension";
  if (!hasLength(adaptor.getSizes(), count))
    return "expected a size for each resized dimension";
  if (mode.isCrop() && !hasLength(adaptor.getRoi(), 2 * count))
    return "expected a begin and an end for each resized dimension";
  if (!op.getSizes())
    return "";
  auto sizes = onnx::constantInts(op.getSizes());
  if (sizes && llvm::any_of(*sizes, [](int64_t size) { return size < 0; }))
    return "a size is negative";
  return "";
}

} // namespace onnxc
