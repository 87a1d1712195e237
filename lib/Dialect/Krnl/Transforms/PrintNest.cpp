//===- PrintNest.cpp - krnl-print-nest ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLPRINTNESTPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {
struct KrnlPrintNestPass : impl::KrnlPrintNestPassBase<KrnlPrintNestPass> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      LoopNest nest = LoopNest::replay(kernel);
      llvm::outs() << "kernel " << kernel.getName()
                   << (nest.preservesOrder() ? "" : " (reorders reductions)")
                   << '\n';
      nest.print(llvm::outs());
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
} // namespace onnxc::krnl
