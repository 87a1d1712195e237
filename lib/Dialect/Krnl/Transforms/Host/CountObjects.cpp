//===- CountObjects.cpp - References of the host program --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLCOUNTOBJECTSPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"
} // namespace onnxc::krnl

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

/// Returns true where an operand takes over a reference.
static bool takes(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<scf::YieldOp, scf::ConditionOp, scf::WhileOp, memref::StoreOp>(op))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return use.getOperandNumber() >= loop.getNumControlOperands();
  auto call = dyn_cast<krnl::CallOp>(op);
  return call && llvm::is_contained(call.getTakes(), use.getOperandNumber());
}

/// The use that takes over the reference of a value whose last use is `last` or
/// inside of it; null if there are other uses of the value there, too.
static OpOperand *takenBy(Value value, Operation *last) {
  OpOperand *taken = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (!last->isAncestor(use.getOwner()))
      continue;
    if (use.getOwner() != last || !takes(use))
      return nullptr;
    taken = &use;
  }
  return taken;
}

/// The last op of the value's block that uses it, itself or in a region; null
/// if there is none.
static Operation *lastUse(Value value) {
  Operation *last = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *inBlock = value.getParentBlock()->findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(inBlock))
      last = inBlock;
  }
  return last;
}

static void count(Value value) {
  OpBuilder builder(value.getContext());
  Operation *last = lastUse(value);
  OpOperand *taken = last ? takenBy(value, last) : nullptr;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);
  for (OpOperand *use : uses) {
    if (use == taken || !takes(*use))
      continue;
    builder.setInsertionPoint(use->getOwner());
    RetainOp::create(builder, value.getLoc(), value);
  }
  if (taken)
    return;
  if (!last)
    builder.setInsertionPointAfterValue(value);
  else if (last->hasTrait<OpTrait::IsTerminator>())
    builder.setInsertionPoint(last); // after its retains
  else
    builder.setInsertionPointAfter(last);
  ReleaseOp::create(builder, value.getLoc(), value);
}

/// A choice between objects becomes a branch, in which ownership is explicit.
static void expandSelects(func::FuncOp host) {
  SmallVector<arith::SelectOp> selects;
  host.walk([&](arith::SelectOp op) {
    if (isa<ObjType>(op.getType()))
      selects.push_back(op);
  });
  for (arith::SelectOp op : selects) {
    OpBuilder builder(op);
    auto yield = [](Value value) {
      return [value](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, value);
      };
    };
    auto branch =
        scf::IfOp::create(builder, op.getLoc(), op.getCondition(),
                          yield(op.getTrueValue()), yield(op.getFalseValue()));
    op.replaceAllUsesWith(branch.getResult(0));
    op.erase();
  }
}

namespace {

struct CountObjects : krnl::impl::KrnlCountObjectsPassBase<CountObjects> {
  using KrnlCountObjectsPassBase::KrnlCountObjectsPassBase;

  void runOnOperation() override {
    for (func::FuncOp host : hostFunctions(getOperation())) {
      expandSelects(host);
      SmallVector<Value> objects;
      auto add = [&](ValueRange values) {
        for (Value value : values)
          if (isa<ObjType>(value.getType()))
            objects.push_back(value);
      };
      host.walk([&](Operation *op) {
        add(op->getResults());
        for (Region &region : op->getRegions())
          for (Block &block : region)
            add(block.getArguments());
      });
      llvm::for_each(objects, count);
    }
  }
};

} // namespace
