//===- Padding.cpp - Borders of constant value ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Padding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

/// Borders known now: fill everything, then copy the middle; both contiguous.
static Value padStatic(KernelBuilder &kernel, Value in, Value out, Value value,
                       RankedTensorType inType, RankedTensorType outType,
                       ArrayRef<int64_t> before) {
  SmallVector<AffineExpr> outer, inner, target;
  for (int64_t d = 0; d < inType.getRank(); ++d) {
    // A dimension without a border is one loop for both ops.
    bool grows =
        inType.getDimSize(d) != outType.getDimSize(d) || inType.isDynamicDim(d);
    outer.push_back(
        kernel.loop("p" + std::to_string(d), outType.getDimSize(d)));
    inner.push_back(
        grows ? kernel.loop("d" + std::to_string(d), inType.getDimSize(d))
              : outer.back());
    target.push_back(grows && before[d] == 0 ? kernel.partOf(inner.back())
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
  bool changes = false;
  for (int64_t d = 0; d < inType.getRank(); ++d) {
    auto pad = getConstantIntValue(before[d]);
    if (pad)
      constantBefore.push_back(*pad);
    changes |= !isZeroInteger(before[d]) || !isZeroInteger(after[d]);
    sizes.push_back(addIndex(b, loc, addIndex(b, loc, before[d], after[d]),
                             sizeOf(b, loc, x, d)));
  }
  if (!changes)
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
  Value out = kernel.output(outType, dynamicSizes(outType, sizes));
  Value result =
      isStatic
          ? padStatic(kernel, in, out, scalar, inType, outType, constantBefore)
          : padDynamic(kernel, loc, in, out, scalar, outType, beforeInside);
  return kernel.finish({result}).front();
}

} // namespace onnxc
