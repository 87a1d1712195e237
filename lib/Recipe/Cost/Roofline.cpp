//===- Roofline.cpp - The least time of a kernel on a device ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What the rates of the device allow, whatever the recipe is.
//
//===----------------------------------------------------------------------===//

#include "Cost/OpCost.h"
#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/KernelWork.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

double rooflineCycles(KernelOp kernel, const Processor &target) {
  KernelWork work = workOf(kernel, outerExtent);
  unsigned bits = 64;
  bool hasMatrices = false;
  for (ComputeOp op : kernel.getBody().getOps<ComputeOp>())
    if (reductionKindOf(op) == ReductionKind::Contraction) {
      hasMatrices |= multipliesMatrices(op);
      for (OpOperand *input : readInputs(op))
        if (Type element = getElementTypeOrSelf(input->get().getType());
            element.isIntOrFloat())
          bits = std::min(bits, std::max(element.getIntOrFloatBitWidth(), 8u));
    }
  double vectors = double(target.fmaPerCycle * target.warpThreads);
  double products = bits > 16 && !hasMatrices
                        ? vectors
                        : double(target.matrixProducts * 16) / bits;
  double others = work.operations - 2 * work.multiplyAdds;
  return std::max({work.multiplyAdds / products, others / (2 * vectors),
                   work.bytes / target.memoryBytesPerCycle}) /
         double(target.cores);
}

bool mayBeProfitableInParts(const NestCost &whole, const Processor &target) {
  double launches = 2 * target.launchCycles();
  return launches + whole.rooflineCycles.value_or(0) <
         minGainOfKind * whole.cycles;
}

} // namespace onnxc
