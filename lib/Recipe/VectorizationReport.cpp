//===- VectorizationReport.cpp - Loops without vectors ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/VectorizationReport.h"

#include "KernelShape.h"
#include "onnxc/Conversion/KrnlToLLVM/VectorMath.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"
#include "onnxc/Dialect/Krnl/IR/Unlikely.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// The op of the payload that reads at an index that depends on data, if any.
static Operation *readByData(ComputeOp op) {
  auto reads = op.getBlock()->getOps<tensor::ExtractOp>();
  return reads.empty() ? nullptr : *reads.begin();
}

static constexpr llvm::StringLiteral byData = "index depends on data";

/// Why no recipe gives the op lanes; empty where nothing of its own is in the
/// way.
static std::string reasonOf(KernelOp kernel, ComputeOp op, int64_t unknown) {
  if (!fitsVectors(op))
    return "elements that fit no vector";
  if (isTraversal(op))
    return "each step depends on what the last one found";
  bool gathers = readByData(op);
  std::string longest;
  int64_t extent = 0;
  for (StringRef axis : op.getAxes())
    if (int64_t size = extentOf(kernel, axis, unknown); size > extent) {
      longest = axis.str();
      extent = size;
    }
  if (gathers && !longest.empty() &&
      llvm::none_of(op.getAxes(), [&](StringRef axis) {
        return !LaneAnalysis(op, axis).hasGathers() &&
               extentOf(kernel, axis, unknown) >= 4;
      }))
    return byData.str();
  if (isOrdered(op))
    return "computes in order";
  if (op.getNumReductionLoops() > 0 && !isCombinable(op))
    return "reduction whose parts cannot be combined";
  if (extent < 4)
    return "no loop of 4 or more iterations";
  return gathers ? byData.str() : "";
}

/// The op of the payload that has no vector code, if any.
static Operation *scalarFunction(ComputeOp op) {
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!hasVectorForm(&inner))
      return &inner;
  return nullptr;
}

/// Is `op` on the second way of a branch that is hardly ever taken?
static bool isUnlikely(Operation *op, Operation *around) {
  auto branch = dyn_cast<scf::IfOp>(around);
  return branch && branch->hasAttr(unlikelyAttrName) &&
         branch.getElseRegion().isAncestor(op->getParentRegion());
}

double timesRun(Operation *op, int64_t unknown) {
  double times = 1;
  for (Operation *at = op->getParentOp(); at; at = at->getParentOp()) {
    if (isa<LoopLikeOpInterface>(at))
      times *= double(unknown);
    if (isUnlikely(op, at))
      return 0;
  }
  return times;
}

/// A call costs at least a read of all operands and results.
static double workOfCall(CallOp call, int64_t unknown) {
  double work = 0;
  auto add = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    double elements = 1;
    for (int64_t size : tensor.getShape())
      elements *= double(ShapedType::isDynamic(size) ? unknown : size);
    work += elements * 8;
  };
  llvm::for_each(call->getOperandTypes(), add);
  llvm::for_each(call->getResultTypes(), add);
  return work;
}

/// Adds the scalar loops of a kernel that runs so often to `found`, shares
/// still being work; returns the work of all.
static double inspect(KernelOp kernel, int64_t unknown, double times,
                      SmallVectorImpl<ScalarLoop> &found) {
  double total = 0;
  if (times == 0)
    return 0;
  LoopNest nest = LoopNest::replay(kernel);
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  // Ops that share their loops have lanes together or not at all.
  std::string common;
  for (ComputeOp op : ops)
    if (common.empty())
      common = reasonOf(kernel, op, unknown);
  if (kernel.getRecipe().empty())
    common = common.empty() ? "kernel without a recipe" : common;
  for (auto [number, op] : llvm::enumerate(ops)) {
    double work = double(workBytesOf(kernel, op, unknown)) * times;
    total += work;
    // Folded ops come from other nodes.
    Operation *cause = nullptr;
    std::string reason;
    if (llvm::any_of(nest.op(number).loops,
                     [](const LoopUse &use) { return use.width() > 1; })) {
      if ((cause = scalarFunction(op)))
        reason =
            (cause->getName().stripDialect() + " of each lane by itself").str();
    } else if (reason = reasonOf(kernel, op, unknown); reason.empty()) {
      reason = common.empty() ? "no loop runs along memory" : common;
    } else if (reason == byData) {
      cause = readByData(op);
    }
    if (!reason.empty())
      found.push_back({cause ? cause->getLoc() : op.getLoc(),
                       kernel.getName().str(), reason, work});
  }
  return total;
}

/// Makes shares of work and brings them in order.
static SmallVector<ScalarLoop> inOrder(SmallVector<ScalarLoop> found,
                                       double total) {
  for (ScalarLoop &part : found)
    part.share = total > 0 ? part.share / total : 0;
  // Equal ones stay in the order of the program.
  SmallVector<std::pair<double, unsigned>> order;
  for (auto [number, part] : llvm::enumerate(found))
    order.push_back({-part.share, unsigned(number)});
  llvm::sort(order);
  return llvm::map_to_vector(
      order, [&](auto position) { return found[position.second]; });
}

SmallVector<ScalarLoop> findScalarLoops(ModuleOp module, int64_t unknown) {
  SmallVector<ScalarLoop> found;
  double total = 0;
  module.walk([&](Operation *op) {
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      total += inspect(kernel, unknown, timesRun(kernel, unknown), found);
    } else if (auto call = dyn_cast<CallOp>(op)) {
      double work = workOfCall(call, unknown) * timesRun(op, unknown);
      total += work;
      StringRef name = call.getCallee();
      name.consume_front("onnxc_call_");
      found.push_back({op->getLoc(), "", ("call of " + name).str(), work});
    }
  });
  return inOrder(std::move(found), total);
}

SmallVector<ScalarLoop> findScalarLoops(KernelOp kernel, int64_t unknown) {
  SmallVector<ScalarLoop> found;
  double total = inspect(kernel, unknown, /*times=*/1, found);
  return inOrder(std::move(found), total);
}

} // namespace onnxc
