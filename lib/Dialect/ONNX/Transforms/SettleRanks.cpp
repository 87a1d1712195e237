//===- SettleRanks.cpp - Ranks that only a run knows -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Squeeze without axes has as many results as sizes that are not 1. Where sizes
// are unknown, so is the rank, and few operators can work on that. Behind such
// a Squeeze others usually take the rank for granted that comes of sizes other
// than 1: it gets that rank, and the run checks the sizes.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/SettleRanks.h"
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/UnknownRanks.h"

using namespace mlir;
using namespace onnxc::onnx;

/// True if the user is nothing without the rank.
static bool needsRank(OpOperand &use) {
  return isa_and_present<ONNXDialect>(use.getOwner()->getDialect()) &&
         !takesUnknownRank(use);
}

bool onnxc::onnx::settleRanks(ModuleOp module) {
  bool changed = false;
  module.walk([&](SqueezeOp op) {
    auto in = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto out = dyn_cast<UnrankedTensorType>(op->getResult(0).getType());
    if (op->getNumOperands() != 1 || !in || !out ||
        llvm::none_of(op->getResult(0).getUses(), needsRank))
      return;
    SmallVector<int64_t> shape;
    for (int64_t size : in.getShape())
      if (size != 1)
        shape.push_back(size);
    op->getResult(0).setType(
        RankedTensorType::get(shape, out.getElementType()));
    op->setAttr(settledRankAttrName, UnitAttr::get(op->getContext()));
    changed = true;
  });
  return changed;
}
