//===- VectorizationReport.cpp - Loops without vectors ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/VectorizationReport.h"

#include "Kernels/KernelShape.h"
#include "onnxc/Conversion/ExpandMath/VectorMath.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"
#include "onnxc/Dialect/Krnl/IR/Unlikely.h"
#include "onnxc/Target/IR/Target.h"

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

namespace {
/// Why an op has no lanes, and what changes that.
struct Obstacle {
  StringLiteral reason, hint;
};
} // namespace

static constexpr Obstacle noLanes{
    "elements that fit no vector",
    "a Cast to a real or integer type of 64 bits or less has vectors, "
    "if the model can do with one"},
    traversal{"each step depends on what the last one found",
              "cannot be changed"},
    byData{"index depends on data",
           "cannot be changed, but for Gather: along an axis before the "
           "last one, as axis=0, it copies whole rows with vectors"},
    inOrder{"computes in order",
            "cannot be changed; along an axis before the last one, rows "
            "are computed with vectors"},
    notCombinable{"reduction whose parts cannot be combined",
                  "cannot be changed; along an axis before the last one, "
                  "rows are reduced with vectors"},
    fewIterations{"no loop of 4 or more iterations",
                  "a larger batch has longer loops"},
    noRecipe{"kernel without a recipe",
             "-O1 and above choose recipes; else nothing in the model "
             "changes it"},
    notAlongMemory{"no loop runs along memory",
                   "a Transpose that brings the longest axis to the end may "
                   "be profitable"};

/// Why no recipe gives the op lanes; null where nothing of its own is in the
/// way.
static const Obstacle *obstacleOf(KernelOp kernel, ComputeOp op,
                                  int64_t unknown) {
  if (!fitsVectors(op))
    return &noLanes;
  if (isTraversal(op))
    return &traversal;
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
               extentOf(kernel, axis, unknown) >= minLanes;
      }))
    return &byData;
  if (isOrdered(op))
    return &inOrder;
  if (op.getNumReductionLoops() > 0 && !isCombinable(op))
    return &notCombinable;
  if (extent < minLanes)
    return &fewIterations;
  return gathers ? &byData : nullptr;
}

/// The op of the payload that has no vector code, if any.
static Operation *scalarFunction(ComputeOp op) {
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!hasVectorForm(&inner))
      return &inner;
  return nullptr;
}

static StringRef hintOf(Operation *function) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::FloorDivSIOp>(function))
    return "processors divide integers one by one: a Cast to float before "
           "Div is exact for numbers below 2^24";
  return "cannot be changed, unless another operator does";
}

/// A call of the runtime computes what no loops do.
static StringRef hintOfCall(StringRef name) {
  struct Row {
    StringLiteral prefix, hint;
  };
  static constexpr Row rows[] = {
      {"nonzero", "Where with a mask keeps a fixed size, and has loops"},
      {"true_positions", "Where with a mask keeps a fixed size, and has loops"},
      {"unique", "cannot be changed, unless ids of a known range come in"},
      {"topk", "ArgMax or ReduceMax have vectors, where k is 1"},
      {"non_max_suppression",
       "fewer candidates, by TopK of scores in front, are faster"},
      {"image_decode", "decoded images as input move it out of the model"},
      {"custom", "operators of ONNX in its place have loops"},
      {"string", "numbers as input, made outside the model, have loops"},
      {"regex", "numbers as input, made outside the model, have loops"},
      {"tokenize", "numbers as input, made outside the model, have loops"},
      {"sequence", "Concat and Slice of one tensor have loops"},
      {"split_to_sequence", "Split into a fixed number has loops"},
      {"concat_from_sequence", "Concat of single tensors has loops"},
      {"boxed", "an input with a known rank has loops: declare its shape"}};
  for (const Row &row : rows)
    if (name.starts_with(row.prefix))
      return row.hint;
  return "cannot be changed";
}

/// Returns true if `op` is in the else region of a branch that is hardly ever
/// taken.
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

/// What is in the way of those ops of a kernel that have no obstacle of their
/// own: ops that share their loops have lanes together or not at all.
static const Obstacle *commonObstacle(KernelOp kernel, int64_t unknown) {
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (const Obstacle *obstacle = obstacleOf(kernel, op, unknown))
      return obstacle;
  return kernel.getRecipe().empty() ? &noRecipe : &notAlongMemory;
}

/// Fills in why the op is not computed with vectors, or not all of it; the
/// reason stays empty where it is. Its loops have lanes if `hasLanes`, else
/// `common` is in the way.
static void explain(ScalarLoop &part, ComputeOp op, bool hasLanes,
                    const Obstacle *common, int64_t unknown) {
  // Folded ops come from other nodes.
  Operation *cause = nullptr;
  if (!hasLanes) {
    const Obstacle *obstacle =
        obstacleOf(op->getParentOfType<KernelOp>(), op, unknown);
    if (obstacle == &byData)
      cause = readByData(op);
    if (!obstacle)
      obstacle = common;
    part.reason = obstacle->reason.str();
    part.hint = obstacle->hint;
  } else if ((cause = scalarFunction(op))) {
    part.reason =
        (cause->getName().stripDialect() + " of each lane by itself").str();
    part.hint = hintOf(cause);
  }
  if (cause)
    part.loc = cause->getLoc();
}

/// Adds the scalar loops of a kernel that runs so often to `found`, shares
/// still being work; returns the work of all.
static double inspect(KernelOp kernel, int64_t unknown, double times,
                      SmallVectorImpl<ScalarLoop> &found) {
  double total = 0;
  if (times == 0)
    return 0;
  // Where nothing has vectors, nothing of the model is in their way; threads of
  // a device take the place of lanes.
  target::Processor target = TargetAttr::processorOf(kernel);
  if (target.isDevice() || target.lanes(/*bits=*/8) == 1)
    return 0;
  LoopNest nest = LoopNest::replay(kernel);
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  const Obstacle *common = commonObstacle(kernel, unknown);
  for (auto [number, op] : llvm::enumerate(ops)) {
    double work = double(workBytesOf(kernel, op, target, unknown)) * times;
    total += work;
    ScalarLoop part{op.getLoc(), kernel.getName().str(), "", "", work};
    bool hasLanes = llvm::any_of(nest.op(number).loops, [](const LoopUse &use) {
      return use.width() > 1;
    });
    explain(part, op, hasLanes, common, unknown);
    if (!part.reason.empty())
      found.push_back(std::move(part));
  }
  return total;
}

/// Makes shares of work and brings them in order.
static SmallVector<ScalarLoop> inOrderOfWork(SmallVector<ScalarLoop> found,
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
      found.push_back({op->getLoc(), "", ("call of " + name).str(),
                       hintOfCall(name), work});
    }
  });
  return inOrderOfWork(std::move(found), total);
}

SmallVector<ScalarLoop> findScalarLoops(KernelOp kernel, int64_t unknown) {
  SmallVector<ScalarLoop> found;
  double total = inspect(kernel, unknown, /*times=*/1, found);
  return inOrderOfWork(std::move(found), total);
}

} // namespace onnxc
