//===- DeclareKernel.cpp - Kernels of parts of others -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/DeclareKernel.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

KernelOp declareKernel(RewriterBase &rewriter, KernelOp kernel,
                       StringRef suffix, ArrayRef<LoopAttr> loops,
                       ArrayRef<Value> ins, ArrayRef<Value> outs,
                       IRMapping &mapping,
                       function_ref<Value(StringRef)> extentOfOther) {
  SmallVector<Value> extents, all(ins);
  for (LoopAttr loop : loops) {
    std::optional<unsigned> number = kernel.findLoop(loop.getName());
    if (loop.isDynamic())
      extents.push_back(number ? cast<Value>(kernel.getExtent(*number))
                               : extentOfOther(loop.getName()));
  }
  llvm::append_range(all, kernel.getIns());
  rewriter.setInsertionPoint(kernel);
  auto made = KernelOp::create(rewriter, kernel.getLoc(),
                               (kernel.getName() + suffix).str(), loops,
                               extents, all, outs);
  rewriter.setInsertionPointToStart(&made.getBody().front());
  mapping.clear();
  for (auto [position, loop] : llvm::enumerate(loops))
    if (std::optional<unsigned> number = kernel.findLoop(loop.getName()))
      if (loop.isDynamic())
        mapping.map(cast<Value>(kernel.getExtentInside(*number)),
                    cast<Value>(made.getExtentInside(position)));
  for (unsigned number : llvm::seq<unsigned>(kernel.getIns().size()))
    mapping.map(kernel.getInArgument(number),
                made.getInArgument(ins.size() + number));
  return made;
}

} // namespace onnxc
