//===- VersionKernels.cpp - krnl-version-kernels ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Passes/RowVersions.h"
#include "Planners/Planners.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/Transforms/ReadTransposed.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Recipe/RecipeSpace.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {
#define GEN_PASS_DEF_KRNLVERSIONKERNELSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

struct KrnlVersionKernelsPass
    : impl::KrnlVersionKernelsPassBase<KrnlVersionKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    processor = TargetAttr::processorOf(getOperation());
    if (processor.isDevice())
      return;
    chooser = &getAnalysis<RecipeChooser>();
    for (KernelOp kernel : kernelsOf(getOperation()))
      version(kernel);
  }

private:
  void version(KernelOp kernel);
  FailureOr<LoopNest> chosenNest(KernelOp kernel);
  std::optional<Rows> rowsToPackFor(KernelOp kernel, const LoopNest &nest);
  std::optional<Rows> rowsToVersion(KernelOp kernel);
  bool suitsFew(KernelOp ofFew, Rows rows);

  Processor processor;
  RecipeChooser *chooser = nullptr;
};

} // namespace

/// The packed operands that are no constants.
static SmallVector<unsigned> packedInRuns(KernelOp kernel,
                                          const LoopNest &nest) {
  SmallVector<unsigned> operands;
  for (const Pack &pack : nest.packs())
    if (!isConstantView(kernel.getIns()[pack.operand]))
      operands.push_back(pack.operand);
  return operands;
}

/// Returns true if the op sums up products of two tensors that are no
/// constants.
static bool multipliesTensors(KernelOp kernel, ComputeOp op) {
  SmallVector<OpOperand *> read = readInputs(op);
  return op.getNumReductionLoops() > 0 && read.size() == 2 &&
         llvm::none_of(read, [&](OpOperand *input) {
           int number = inputNumber(kernel, input->get());
           return number >= 0 && isConstantView(kernel.getIns()[number]);
         });
}

/// Returns true if a recipe of the kernel may pack an operand in each run, for
/// a dynamic number of rows.
static bool mayPackForRows(KernelOp kernel) {
  bool isDynamic = llvm::any_of(kernel.getLoops().getAsRange<LoopAttr>(),
                                [](LoopAttr l) { return l.isDynamic(); });
  return isDynamic && kernel.getRecipe().empty() &&
         llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [&](ComputeOp op) {
           return multipliesTensors(kernel, op);
         });
}

FailureOr<LoopNest> KrnlVersionKernelsPass::chosenNest(KernelOp kernel) {
  return replayWith(kernel, chooser->choose(kernel, {keepOrder}), {});
}

/// The loops over the uses of each element of an operand, and the steps of the
/// sums that it is a factor of.
struct Uses {
  llvm::SmallSetVector<unsigned, 4> loops;
  int64_t depth = 1;
};

static Uses usesOf(KernelOp kernel, unsigned operand) {
  Uses uses;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    for (OpOperand *input : readInputs(op)) {
      if (inputNumber(kernel, input->get()) != int(operand))
        continue;
      SmallVector<std::string> reduced = reducedLoops(op);
      for (auto [dim, axis] : llvm::enumerate(op.getAxes()))
        if (llvm::is_contained(reduced, axis))
          uses.depth = estimatedProduct(uses.depth,
                                        extentOf(kernel, axis, guessedExtent));
        else if (!Access(*input).dependsOn(dim))
          uses.loops.insert(*kernel.findLoop(axis));
    }
  return uses;
}

/// The dynamic loop that uses each element of an operand again, if it is the
/// only one beside known ones.
static std::optional<Rows> rowsOfUses(KernelOp kernel, unsigned operand,
                                      const Processor &target) {
  std::optional<unsigned> dynamic;
  int64_t known = 1;
  Uses uses = usesOf(kernel, operand);
  for (unsigned loop : uses.loops) {
    if (!kernel.getLoop(loop).isDynamic())
      known = estimatedProduct(known, kernel.getLoop(loop).getExtent());
    else if (std::exchange(dynamic, loop))
      return std::nullopt;
  }
  if (!dynamic)
    return std::nullopt;
  auto type = cast<RankedTensorType>(kernel.getIns()[operand].getType());
  int64_t few = fewRows(target, uses.depth, type.hasStaticShape());
  return Rows{*dynamic,
              int64_t(llvm::divideCeil(few, std::max<int64_t>(known, 1)))};
}

/// The dynamic loop that the columns of a register tile are of, in which an
/// operand is packed: fewer do not fill the vectors.
static std::optional<Rows> rowsAsColumns(KernelOp kernel, const LoopNest &nest,
                                         const Pack &pack) {
  for (const BodyOp &op : nest.ops())
    for (const LoopUse &use : op.loops) {
      SmallVector<unsigned> axes = nest.axesOf(use.loop);
      if (use.role == RegisterRole::Column && axes.size() == 1 &&
          kernel.getLoop(axes[0]).isDynamic() &&
          llvm::is_contained(pack.loops, use.loop))
        return Rows{axes[0], nest.loop(use.loop).extent};
    }
  return std::nullopt;
}

/// The rows that all operands are packed for that are packed in each run.
std::optional<Rows>
KrnlVersionKernelsPass::rowsToPackFor(KernelOp kernel, const LoopNest &nest) {
  std::optional<Rows> rows;
  for (unsigned operand : packedInRuns(kernel, nest)) {
    std::optional<Rows> here = rowsOfUses(kernel, operand, processor);
    if (!here)
      here = rowsAsColumns(kernel, nest, *nest.packOf(operand));
    if (!here || here->limit < minLimit || !kernel.isOfResults(here->loop) ||
        (rows && rows->loop != here->loop))
      return std::nullopt;
    rows = {here->loop,
            rows ? std::min(rows->limit, here->limit) : here->limit};
  }
  return rows;
}

/// Returns true if the kernel is one copy with several dynamic loops.
static bool mayTranspose(KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  return ops.size() == 1 && ops[0].getNumReductionLoops() == 0 &&
         kernel.getRecipe().empty() &&
         llvm::count_if(kernel.getLoops().getAsRange<LoopAttr>(),
                        [](LoopAttr l) { return l.isDynamic(); }) > 1;
}

/// The lanes of a copy that stores transposed vectors, and the loop that they
/// are iterations of, if that is dynamic.
static std::optional<Rows> lanesToTranspose(KernelOp kernel,
                                            const LoopNest &nest) {
  const BodyOp &op = nest.op(0);
  const LoopUse *lane = llvm::find_if(
      op.loops, [](const LoopUse &use) { return use.width() > 1; });
  if (lane == op.loops.end() ||
      llvm::none_of(op.loops, [](const LoopUse &use) { return use.transpose; }))
    return std::nullopt;
  SmallVector<unsigned> axes = nest.axesOf(lane->loop);
  Access written(nest, 0, *cast<ComputeOp>(op.op).getDpsInitOperand(0));
  if (axes.size() != 1 || !kernel.getLoop(axes[0]).isDynamic() ||
      written.hasUnitStride(lane->loop))
    return std::nullopt;
  return Rows{axes[0], lane->lanes};
}

/// The rows of which few have a version of their own.
std::optional<Rows> KrnlVersionKernelsPass::rowsToVersion(KernelOp kernel) {
  if (!mayPackForRows(kernel) && !mayTranspose(kernel))
    return std::nullopt;
  FailureOr<LoopNest> nest = chosenNest(kernel);
  if (failed(nest))
    return std::nullopt;
  if (mayPackForRows(kernel))
    return rowsToPackFor(kernel, *nest);
  std::optional<Rows> rows = lanesToTranspose(kernel, *nest);
  if (rows)
    rows->limit *= vectorsOfFewLanes;
  return rows;
}

/// Returns true if the recipe of a version for few rows does what it is for: it
/// packs nothing, or the rows are no lanes.
bool KrnlVersionKernelsPass::suitsFew(KernelOp ofFew, Rows rows) {
  FailureOr<LoopNest> nest = chosenNest(ofFew);
  if (failed(nest))
    return false;
  if (mayPackForRows(ofFew))
    return packedInRuns(ofFew, *nest).empty();
  std::optional<Rows> lanes = lanesToTranspose(ofFew, *nest);
  return !lanes || lanes->loop != rows.loop;
}

/// The copy that only these two kernels read, as the same input, if one of its
/// loops is dynamic; null if the input is anything else.
static KernelOp copyFor(KernelOp few, KernelOp many, unsigned input) {
  auto copy = few.getIns()[input].getDefiningOp<KernelOp>();
  bool isOnlyRead = copy && copy->getNumResults() == 1 &&
                    llvm::all_of(copy->getUsers(), [&](Operation *user) {
                      return user == few || user == many;
                    });
  bool isDynamic =
      copy && llvm::any_of(copy.getLoops().getAsRange<LoopAttr>(),
                           [](LoopAttr loop) { return loop.isDynamic(); });
  return isOnlyRead && isDynamic ? copy : KernelOp();
}

/// Lets few rows read tensors of which many have a copy with its dimensions in
/// another order: then it has no iterations where there are few.
static void copyForMany(KernelOp few, KernelOp many, Value rows,
                        int64_t limit) {
  for (unsigned input = 0; input < few.getIns().size();) {
    KernelOp copy = copyFor(few, many, input);
    if (!copy || !readRowsInPlace(few, input)) {
      ++input;
      continue;
    }
    OpBuilder b(few);
    copy->moveBefore(few);
    b.setInsertionPoint(copy);
    unsigned loop = 0;
    while (!copy.getLoop(loop).isDynamic())
      ++loop;
    OpOperand &extent = copy.getExtentMutable(loop);
    extent.set(extentForMany(b, copy.getLoc(), rows, limit, extent.get()));
    // Another input may be at its place.
  }
}

/// Makes a copy of the kernel for fewer rows before it, if that suits these.
void KrnlVersionKernelsPass::version(KernelOp kernel) {
  std::optional<Rows> rows = rowsToVersion(kernel);
  if (!rows)
    return;
  KernelOp ofFew = kernel.clone();
  OpBuilder(kernel).insert(ofFew);
  limitRows(ofFew, *rows);
  if (!suitsFew(ofFew, *rows)) {
    ofFew.erase();
    return;
  }
  Value allRows = kernel.getExtentMutable(rows->loop).get();
  divideRows(ofFew, kernel, *rows);
  copyForMany(ofFew, kernel, allRows, rows->limit);
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Versioned").category(getArgument()))
      << remark::add("{0}", kernel.getName().str())
      << remark::add("few rows are fewer than {0}", rows->limit);
}

} // namespace onnxc
