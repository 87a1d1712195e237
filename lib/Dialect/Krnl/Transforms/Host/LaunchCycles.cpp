//===- LaunchCycles.cpp - Predicted cycles of launches ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/LaunchCycles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "onnxc/Dialect/Krnl/IR/Polls.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

double krnl::timesRun(Operation *op) {
  double times = 1;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    auto begin = getConstantIntValue(loop.getLowerBound());
    auto end = getConstantIntValue(loop.getUpperBound());
    auto step = getConstantIntValue(loop.getStep());
    if (begin && end && step && *step > 0 && *end > *begin)
      times *= double(llvm::divideCeil(*end - *begin, *step));
  }
  return times;
}

double krnl::predictedCycles(Operation *launch, int64_t unknownSize) {
  auto terms = launch->getAttrOfType<ArrayAttr>(cyclesAttrName);
  if (!terms)
    return 0;
  double sum = 0;
  for (auto term : terms.getAsRange<ArrayAttr>()) {
    double cycles = cast<FloatAttr>(term[0]).getValueAsDouble();
    for (size_t i = 1; i < term.size(); ++i)
      cycles *= double(unknownSize);
    sum += cycles;
  }
  return sum * timesRun(launch);
}
