//===- Accumulate.cpp - One value for many elements -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Accumulate.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

Value onnxc::accumulate(KernelBuilder &kernel, Location loc, Type onnxElement,
                        const Accumulation &steps,
                        const KernelBuilder::Access &in,
                        const KernelBuilder::Access &out,
                        ArrayRef<AffineExpr> reduced,
                        ArrayRef<KernelBuilder::Access> others) {
  Type compute = ScalarBuilder::computeType(onnxElement);
  // What is stored is what is added up, unless more is made of it.
  bool separate =
      steps.finish || compute != getElementTypeOrSelf(out.tensor.getType());
  Value total =
      separate ? kernel.temporaryLike(out.tensor, compute) : out.tensor;
  ScalarBuilder outside(kernel.inside(), loc, onnxElement);
  total = kernel.fill(steps.neutral(outside), {total, out.at});
  total = kernel.generic(
      {in}, {total, out.at}, reduced,
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, onnxElement);
        Value x = s.widen(v[0]);
        return steps.merge(s, v[1], steps.prepare ? steps.prepare(s, x) : x);
      });
  if (!separate)
    return total;
  SmallVector<KernelBuilder::Access> ins{{total, out.at}};
  llvm::append_range(ins, others);
  return kernel.generic(
      ins, out, {}, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, onnxElement);
        ValueRange beside = v.slice(1, others.size());
        return s.narrow(steps.finish ? steps.finish(s, v[0], beside) : v[0]);
      });
}
