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

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace onnxc::onnx;

/// True if `user` is nothing without the rank of its operands.
static bool needsRank(Operation *user) {
  static const llvm::StringSet<> takesAny = {"onnx.Shape",
                                             "onnx.Size",
                                             "onnx.Reshape",
                                             "onnx.Identity",
                                             "onnx.Optional",
                                             "onnx.OptionalGetElement",
                                             "onnx.SequenceInsert",
                                             "onnx.SequenceConstruct",
                                             "onnx.OptionalHasElement"};
  return isa_and_present<ONNXDialect>(user->getDialect()) &&
         !user->hasTrait<OpTrait::IsTerminator>() &&
         user->getNumRegions() == 0 &&
         !takesAny.contains(user->getName().getStringRef());
}

bool onnxc::onnx::settleRanks(ModuleOp module) {
  bool changed = false;
  module.walk([&](SqueezeOp op) {
    auto in = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto out = dyn_cast<UnrankedTensorType>(op->getResult(0).getType());
    if (op->getNumOperands() != 1 || !in || !out ||
        llvm::none_of(op->getUsers(), needsRank))
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
