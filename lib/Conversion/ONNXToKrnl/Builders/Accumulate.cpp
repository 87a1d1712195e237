//===- Accumulate.cpp - One value for many elements -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/Accumulate.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

Value onnxc::storeTotals(
    KernelBuilder &kernel, Type onnxElement, const KernelBuilder::Access &out,
    llvm::function_ref<Value(const KernelBuilder::Access &)> total,
    const FinishTotal &finish, ArrayRef<KernelBuilder::Access> others) {
  Type compute = ScalarBuilder::computeType(onnxElement);
  if (!finish && compute == getElementTypeOrSelf(out.tensor.getType()))
    return total(out);
  Value wide = kernel.temporaryLike(out.tensor, compute);
  SmallVector<KernelBuilder::Access> ins{{total({wide, out.at}), out.at}};
  llvm::append_range(ins, others);
  return kernel.generic(
      ins, out, {}, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, onnxElement);
        ValueRange beside = v.slice(1, others.size());
        return s.narrow(finish ? finish(s, v[0], beside) : v[0]);
      });
}

Value onnxc::accumulate(KernelBuilder &kernel, Location loc, Type onnxElement,
                        const Accumulation &steps,
                        const KernelBuilder::Access &in,
                        const KernelBuilder::Access &out,
                        ArrayRef<AffineExpr> reduced,
                        ArrayRef<KernelBuilder::Access> others) {
  auto total = [&](const KernelBuilder::Access &to) {
    ScalarBuilder outside(kernel.inside(), loc, onnxElement);
    Value start = kernel.fill(steps.neutral(outside), to);
    SmallVector<KernelBuilder::Access> ins;
    if (!steps.read)
      ins.push_back(in);
    return kernel.generic(
        ins, {start, to.at}, reduced,
        [&](OpBuilder &nb, Location l, ValueRange v) {
          ScalarBuilder s(nb, l, onnxElement);
          Value x = steps.read ? steps.read(s) : s.widen(v[0]);
          return steps.merge(s, v.back(),
                             steps.prepare ? steps.prepare(s, x) : x);
        });
  };
  return storeTotals(kernel, onnxElement, out, total, steps.finish, others);
}
