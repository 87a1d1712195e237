//===- CSE.cpp - Common subexpressions, kernels among them ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/CommonSubexpressions.h"
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLCSEPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

struct KrnlCSE : public impl::KrnlCSEPassBase<KrnlCSE> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    auto keepNodes = [](Operation *known, Operation *equal) {
      if (isa<UnknownLoc>(known->getLoc()) || isa<KernelOp, CallOp>(equal))
        known->setLoc(fuseLocations(known->getLoc(), equal->getLoc()));
    };
    if (!mergeCommonSubexpressions(rewriter, getOperation(), keepNodes))
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace onnxc::krnl
