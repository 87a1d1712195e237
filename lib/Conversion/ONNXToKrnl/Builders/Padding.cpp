//===- Padding.cpp - Borders around tensors ---------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Padding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

/// Borders known now: fill everything, then copy the middle; both contiguous.
static Value padStatic(KernelBuilder &kernel, Value in, Value out, Value value,
                       ArrayRef<int64_t> before, ArrayRef<bool> grows) {
  auto inType = cast<RankedTensorType>(in.getType());
  auto outType = cast<RankedTensorType>(out.getType());
  SmallVector<AffineExpr> outer, inner, target;
  for (int64_t d = 0; d < inType.getRank(); ++d) {
    // A dimension without a border is one loop for both ops.
    outer.push_back(
        kernel.loop("p" + std::to_string(d), outType.getDimSize(d)));
    inner.push_back(
        grows[d] ? kernel.loop("d" + std::to_string(d), inType.getDimSize(d))
                 : outer.back());
    target.push_back(grows[d] && before[d] == 0 ? kernel.partOf(inner.back())
                                                : inner.back() + before[d]);
  }
  Value filled = kernel.fill(value, {out, outer});
  return kernel.generic(
      {{in, inner}}, {filled, target}, {},
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

/// Borders known at run time: every element looks where it comes from.
static Value padDynamic(KernelBuilder &kernel, Location loc, Value in,
                        Value out, Value value, RankedTensorType outType,
                        ArrayRef<Value> before) {
  SmallVector<AffineExpr> loops = kernel.loopsOf(outType);
  return kernel.generic(
      {}, {out, loops}, {}, [&](OpBuilder &b, Location l, ValueRange) {
        Value zero = arith::ConstantIndexOp::create(b, l, 0);
        Value inside = arith::ConstantIntOp::create(b, l, 1, 1);
        SmallVector<Value> at;
        for (auto [d, loop] : llvm::enumerate(loops)) {
          Value size = tensor::DimOp::create(kernel.inside(), loc, in, d);
          Value one = arith::ConstantIndexOp::create(kernel.inside(), loc, 1);
          Value last = arith::SubIOp::create(kernel.inside(), loc, size, one);
          Value index =
              arith::SubIOp::create(b, l, kernel.index(b, l, loop), before[d]);
          // Unsigned: also false for what lies before the beginning.
          Value ok = arith::CmpIOp::create(b, l, arith::CmpIPredicate::ult,
                                           index, size);
          inside = arith::AndIOp::create(b, l, inside, ok);
          at.push_back(arith::MinSIOp::create(
              b, l, arith::MaxSIOp::create(b, l, index, zero), last));
        }
        Value element = tensor::ExtractOp::create(b, l, in, at);
        return arith::SelectOp::create(b, l, inside, element, value)
            .getResult();
      });
}

Value padConstant(OpBuilder &b, Location loc, Value x, ValueRange before,
                  ValueRange after, Value value) {
  auto inType = cast<RankedTensorType>(x.getType());
  SmallVector<Value> sizes;
  SmallVector<int64_t> constantBefore;
  SmallVector<bool> grows;
  for (int64_t d = 0; d < inType.getRank(); ++d) {
    auto pad = getConstantIntValue(before[d]);
    if (pad)
      constantBefore.push_back(*pad);
    grows.push_back(!isZeroInteger(before[d]) || !isZeroInteger(after[d]));
    sizes.push_back(addIndex(b, loc, addIndex(b, loc, before[d], after[d]),
                             sizeOf(b, loc, x, d)));
  }
  if (!llvm::is_contained(grows, true))
    return x;
  SmallVector<int64_t> dynamic(inType.getRank(), ShapedType::kDynamic);
  RankedTensorType outType = refineType(
      RankedTensorType::get(dynamic, inType.getElementType()), sizes);
  KernelBuilder kernel(b, loc, "pad");
  Value in = kernel.input(x);
  Value scalar = kernel.input(value);
  SmallVector<Value> beforeInside;
  bool isStatic = int64_t(constantBefore.size()) == inType.getRank();
  if (!isStatic)
    for (Value pad : before)
      beforeInside.push_back(kernel.input(pad));
  Value out = kernel.output(outType, sizes);
  Value result =
      isStatic
          ? padStatic(kernel, in, out, scalar, constantBefore, grows)
          : padDynamic(kernel, loc, in, out, scalar, outType, beforeInside);
  return kernel.finish({result}).front();
}

/// i modulo n > 0, never negative.
static Value modulo(OpBuilder &b, Location loc, Value i, Value n) {
  Value rest = arith::RemSIOp::create(b, loc, i, n);
  Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         rest, indexConstant(b, loc, 0));
  return arith::SelectOp::create(b, loc, negative, addIndex(b, loc, rest, n),
                                 rest);
}

/// Where the element at `i`, counted from the first one of the operand,
/// comes from.
static Value source(OpBuilder &b, Location loc, StringRef mode, Value i,
                    Value size) {
  Value one = indexConstant(b, loc, 1);
  if (mode == "edge")
    return clampIndex(b, loc, i, size);
  if (mode == "wrap")
    return clampIndex(b, loc, modulo(b, loc, i, maxIndex(b, loc, size, one)),
                      size);
  Value last = subIndex(b, loc, size, one);
  Value period = maxIndex(b, loc, addIndex(b, loc, last, last), one);
  Value there = modulo(b, loc, i, period);
  Value back = subIndex(b, loc, period, there);
  Value mirrored = arith::SelectOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, there, last),
      back, there);
  return clampIndex(b, loc, mirrored, size);
}

namespace {
/// Builds the kernel that fills a padded tensor from the operand's elements.
class InsidePadding {
public:
  InsidePadding(OpBuilder &b, Location loc, StringRef mode, Value x,
                ArrayRef<Value> before, ArrayRef<Value> after)
      : mode(mode), kernel(b, loc, "Pad"), rank(before.size()) {
    SmallVector<Value> given = sizesOf(b, loc, x), sizes;
    for (auto [d, size] : llvm::enumerate(given))
      sizes.push_back(
          addIndex(b, loc, size, addIndex(b, loc, before[d], after[d])));
    type = typeOfSizes(sizes, rankedType(x).getElementType());
    in = kernel.input(x);
    for (auto [d, size] : llvm::enumerate(given)) {
      own.push_back(kernel.scalar(size));
      lows.push_back(kernel.scalar(before[d]));
      grows.push_back(!isZeroInteger(before[d]) || !isZeroInteger(after[d]));
    }
    out = kernel.output(type, sizes);
    for (int64_t d = 0; d + 1 < rank; ++d)
      outer.push_back(kernel.loop("d" + std::to_string(d), type.getDimSize(d)));
  }

  /// The part of the last dimension at `at`, which `loop` runs over: copied
  /// from the operand as it is, or from where the mode says for the place
  /// `offset` behind the loop's.
  void addPart(AffineExpr loop, AffineExpr at, bool isCopy, int64_t offset) {
    SmallVector<AffineExpr> place(outer);
    place.push_back(at);
    out = kernel.generic(
        {}, {out, place}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
          SmallVector<Value> from;
          for (int64_t d = 0; d < rank; ++d) {
            bool isLast = d + 1 == rank;
            Value i = kernel.index(nb, l, isLast ? loop : outer[d]);
            if (isLast)
              i = addIndex(nb, l, i, indexConstant(nb, l, offset));
            bool isPlain = isLast ? isCopy : !grows[d];
            from.push_back(
                isPlain
                    ? i
                    : source(nb, l, mode, subIndex(nb, l, i, lows[d]), own[d]));
          }
          return tensor::ExtractOp::create(nb, l, in, from).getResult();
        });
  }

  AffineExpr loop(StringRef name, int64_t extent) {
    return kernel.loop(name, extent);
  }
  AffineExpr partOf(AffineExpr loop) { return kernel.partOf(loop); }
  /// Of the result.
  int64_t length() const { return type.getShape().back(); }
  Value finish() { return kernel.finish({out}).front(); }

private:
  StringRef mode;
  KernelBuilder kernel;
  int64_t rank;
  RankedTensorType type;
  SmallVector<Value> own, lows;
  SmallVector<bool> grows;
  SmallVector<AffineExpr> outer;
  Value in, out;
};
} // namespace

Value padFromInside(OpBuilder &b, Location loc, StringRef mode, Value x,
                    ArrayRef<Value> before, ArrayRef<Value> after) {
  if (before.empty())
    return x;
  InsidePadding padding(b, loc, mode, x, before, after);
  int64_t length = rankedType(x).getShape().back();
  auto low = getConstantIntValue(before.back()),
       high = getConstantIntValue(after.back());
  if (!low || !high || ShapedType::isDynamic(length) || length == 0) {
    AffineExpr whole = padding.loop("last", padding.length());
    padding.addPart(whole, whole, /*isCopy=*/false, 0);
    return padding.finish();
  }
  AffineExpr middle = padding.loop("middle", length);
  bool isWhole = *low == 0 && *high == 0;
  padding.addPart(middle,
                  isWhole     ? middle
                  : *low == 0 ? padding.partOf(middle)
                              : middle + *low,
                  /*isCopy=*/true, 0);
  if (*low > 0) {
    AffineExpr first = padding.loop("first", *low);
    padding.addPart(first, padding.partOf(first), /*isCopy=*/false, 0);
  }
  if (*high > 0) {
    AffineExpr last = padding.loop("last", *high);
    padding.addPart(last, last + (*low + length), /*isCopy=*/false,
                    *low + length);
  }
  return padding.finish();
}

} // namespace onnxc
