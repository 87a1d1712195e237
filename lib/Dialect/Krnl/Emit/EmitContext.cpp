//===- EmitContext.cpp - What the emitters of a kernel share ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "EmitContext.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

using namespace mlir;

namespace onnxc::krnl {

ArrayRef<int64_t> EmitContext::stridesHere(const OpState &state) const {
  std::optional<unsigned> lane = laneLoop(state);
  return lane ? nest.op(state.number).find(*lane)->strides
              : ArrayRef<int64_t>();
}

bool EmitContext::isReduced(const OpState &state, unsigned loop) const {
  const LoopUse *use = nest.op(state.number).find(loop);
  return use && use->reduced;
}

bool EmitContext::isOfWarpgroup(unsigned op, const Mma &mma) const {
  return mma.isOfWarpgroup() && policy.tileThreads() &&
         policy.tileThreads()->hasWarpgroups(
             *matrixProductOf(storage.plan(op).op));
}

} // namespace onnxc::krnl
