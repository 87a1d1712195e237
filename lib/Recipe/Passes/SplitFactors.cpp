//===- SplitFactors.cpp - krnl-split-factors --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A factor of a product that is computed from several inputs, weights of few
// bits with their scales, is computed again for each row of the other one, and
// no instruction for matrices takes it. A kernel of its own computes it once.
// On a processor an op of its own in the kernel of the product does, in panels
// that all rows read.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Passes/FormChoice.h"
#include "Passes/JoinedFactor.h"
#include "Passes/RowVersions.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/KernelWork.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {
#define GEN_PASS_DEF_KRNLSPLITFACTORSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

/// The operations of one payload that compute a value, and what they read.
class Slice {
public:
  Slice(ComputeOp op, Value until = {}) : op(op), until(until) {}

  /// Returns false if it is not computed from scalars of inputs, loops and
  /// constants alone.
  bool add(Value value);

  llvm::SetVector<Operation *> ops;
  llvm::SetVector<OpOperand *> operands;

private:
  ComputeOp op;
  /// A value at which the slice ends.
  Value until;
};

/// A factor of a sum of products, as the payload of the sum computes it.
struct Factor {
  Factor(ComputeOp sum, Value stored)
      : sum(sum), stored(stored), computed(sum), rest(sum, stored) {}

  ComputeOp sum;
  /// The value that memory can hold in its place.
  Value stored;
  /// What computes it, and the sum from it. Both may read the same operand.
  Slice computed, rest;
  /// The loops of the sum that it depends on, by their numbers there.
  SmallVector<unsigned> loops;
};

struct KrnlSplitFactorsPass
    : impl::KrnlSplitFactorsPassBase<KrnlSplitFactorsPass> {
  using Base::Base;

  void runOnOperation() override {
    isDevice = TargetAttr::processorOf(getOperation()).isDevice();
    chooser = &getAnalysis<RecipeChooser>();
    for (KernelOp kernel : kernelsOf(getOperation()))
      rewrite(kernel);
  }

private:
  void rewrite(KernelOp kernel);
  void chooseForm(KernelOp kernel, KernelOp factor, KernelOp product,
                  Operation *before);
  std::optional<Rows> rowsForPanels(KernelOp kernel, KernelOp joined,
                                    unsigned loop);
  void versionByRows(KernelOp kernel, KernelOp factor, KernelOp product,
                     unsigned loop);

  bool isDevice = false;
  RecipeChooser *chooser = nullptr;
};

} // namespace

bool Slice::add(Value value) {
  if (value == until)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBlock())
      return false;
    operands.insert(op.getMatchingOpOperand(argument));
    return true;
  }
  Operation *computing = value.getDefiningOp();
  if (ops.contains(computing))
    return true;
  bool isInside = computing->getBlock() == op.getBlock();
  if (computing->getNumRegions() > 0 || !isMemoryEffectFree(computing) ||
      (!isInside && !computing->hasTrait<OpTrait::ConstantLike>()) ||
      llvm::any_of(computing->getOperandTypes(), llvm::IsaPred<ShapedType>) ||
      !llvm::all_of(computing->getOperands(),
                    [&](Value operand) { return add(operand); }))
    return false;
  // Operations come after those that they use.
  ops.insert(computing);
  return true;
}

/// What the payload adds up.
static Value totalOf(ComputeOp sum) {
  return sum.getBlock()->getTerminator()->getOperand(0);
}

/// What memory holds in place of a factor: what is extended.
static Value storedForm(Value factor) {
  auto extend = factor.getDefiningOp<arith::ExtFOp>();
  return extend ? extend.getIn() : factor;
}

/// The loops of the sum that the factor is indexed by; nothing if one of them
/// is dynamic.
static std::optional<SmallVector<unsigned>> loopsOf(KernelOp kernel,
                                                    const Factor &factor) {
  ComputeOp sum = factor.sum;
  SmallVector<unsigned> loops;
  for (auto [dim, axis] : llvm::enumerate(sum.getAxes())) {
    bool isUsed = llvm::any_of(factor.computed.operands, [&](OpOperand *input) {
      return Access(*input).dependsOn(dim);
    });
    isUsed |= llvm::any_of(factor.computed.ops, [&](Operation *op) {
      auto index = dyn_cast<IndexOp>(op);
      return index && index.getDim() == dim;
    });
    if (isUsed && !isStatic(kernel, axis))
      return std::nullopt;
    if (isUsed)
      loops.push_back(dim);
  }
  return loops;
}

/// Returns true if the tensor of the factor is small enough to be stored in
/// memory. Dynamic extents of the other tensors count as assumed ones.
static bool isSmall(KernelOp kernel, const Factor &factor) {
  ComputeOp sum = factor.sum;
  double bytes =
      std::max(factor.stored.getType().getIntOrFloatBitWidth() / 8.0, 1.0);
  for (unsigned dim : factor.loops)
    bytes *= double(extentOf(kernel, sum.getAxes()[dim], 1));
  return bytes <= maxFactorBytes * workOf(kernel, outerExtent).bytes;
}

/// The loops of the kernel of dynamic extent.
static SmallVector<unsigned> dynamicLoops(KernelOp kernel) {
  return llvm::filter_to_vector(
      llvm::seq<unsigned>(kernel.getLoops().size()),
      [&](unsigned loop) { return kernel.getLoop(loop).isDynamic(); });
}

/// Orders the loops of a factor so that its panels have columns in a line.
/// Returns false if it has no panels: the sums are no floats, or sizes are
/// dynamic, apart from the number of rows, or rows are few.
static bool suitsPanels(KernelOp kernel, Factor &factor) {
  ComputeOp sum = factor.sum;
  auto isReduced = [&](unsigned dim) {
    return dim >= sum.getNumParallelLoops();
  };
  SmallVector<unsigned> loops = llvm::filter_to_vector(factor.loops, isReduced);
  llvm::copy_if(factor.loops, std::back_inserter(loops),
                [&](unsigned dim) { return !isReduced(dim); });
  factor.loops = std::move(loops);
  SmallVector<unsigned> dynamic = dynamicLoops(kernel);
  return isa<FloatType>(factor.stored.getType()) &&
         (dynamic.empty() ||
          (dynamic.size() == 1 && kernel.isOfResults(dynamic.front()) &&
           kernel.getLoop(dynamic.front()).getLimit() == 0));
}

/// The factor that is computed from several inputs, or from one with other
/// loops of its own, where the other factor is an input; nothing for other
/// values.
static std::optional<Factor> computedFactor(KernelOp kernel, ComputeOp sum,
                                            Value value, Value other) {
  bool isDevice = TargetAttr::processorOf(kernel).isDevice();
  Factor factor(sum, isDevice ? storedForm(value) : value);
  if (!isa<BlockArgument>(storedForm(other)) ||
      isa<BlockArgument>(factor.stored) ||
      !factor.stored.getType().isIntOrFloat())
    return std::nullopt;
  Slice &computed = factor.computed;
  if (!factor.rest.add(totalOf(sum)) || !computed.add(factor.stored) ||
      computed.operands.empty() ||
      !llvm::all_of(computed.operands, [&](OpOperand *operand) {
        return inputNumber(kernel, operand->get()) >= 0;
      }))
    return std::nullopt;
  std::optional<SmallVector<unsigned>> loops = loopsOf(kernel, factor);
  // It is computed once for each product otherwise.
  if (!loops || loops->size() == sum.getNumLoops())
    return std::nullopt;
  factor.loops = std::move(*loops);
  if (!isDevice)
    return suitsPanels(kernel, factor) ? std::optional(std::move(factor))
                                       : std::nullopt;
  return isSmall(kernel, factor) ? std::optional(std::move(factor))
                                 : std::nullopt;
}

/// The computed factor of the only sum of the kernel.
static std::optional<Factor> findFactor(KernelOp kernel) {
  ComputeOp sum;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (op.getNumReductionLoops() > 0 && std::exchange(sum, op))
      return std::nullopt;
  auto factors = sum ? factorsOfSum(sum) : std::nullopt;
  if (!factors)
    return std::nullopt;
  auto [lhs, rhs] = *factors;
  std::optional<Factor> factor = computedFactor(kernel, sum, rhs, lhs);
  return factor ? factor : computedFactor(kernel, sum, lhs, rhs);
}

/// How the sum accesses the operand, over the loops of the factor.
static Subscripts accessOf(const Factor &factor, OpOperand &operand) {
  ComputeOp sum = factor.sum;
  SmallVector<AffineExpr> loops(sum.getNumLoops());
  for (auto [number, dim] : llvm::enumerate(factor.loops))
    loops[dim] = getAffineDimExpr(number, sum.getContext());
  for (AffineExpr &loop : loops)
    if (!loop)
      loop = getAffineConstantExpr(0, sum.getContext());
  Subscripts access = sum.getSubscripts(operand);
  for (Subscript &subscript : access)
    subscript.index = subscript.index.replaceDims(loops);
  return access;
}

/// The kernel that writes the factor to a new tensor.
static KernelOp buildFactor(OpBuilder &b, KernelOp kernel,
                            const Factor &factor) {
  ComputeOp sum = factor.sum;
  Location loc = sum.getLoc();
  SmallVector<LoopAttr> loops;
  SmallVector<StringRef> axes;
  SmallVector<int64_t> shape;
  Subscripts result;
  for (auto [number, dim] : llvm::enumerate(factor.loops)) {
    axes.push_back(sum.getAxes()[dim]);
    loops.push_back(kernel.getLoop(*kernel.findLoop(axes.back())));
    shape.push_back(loops.back().getExtent());
    result.push_back(Subscript{b.getAffineDimExpr(number)});
  }
  Value scratch =
      tensor::EmptyOp::create(b, loc, shape, factor.stored.getType());
  llvm::SetVector<Value> ins;
  for (OpOperand *input : factor.computed.operands)
    ins.insert(kernel.getIns()[inputNumber(kernel, input->get())]);
  auto made = KernelOp::create(b, loc, (kernel.getName() + " factor").str(),
                               loops, ValueRange(), ins.getArrayRef(), scratch);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&made.getBody().front());
  SmallVector<Value> inputs;
  SmallVector<Subscripts> accesses;
  for (OpOperand *input : factor.computed.operands) {
    Value in = kernel.getIns()[inputNumber(kernel, input->get())];
    inputs.push_back(made.getInArgument(llvm::find(ins, in) - ins.begin()));
    accesses.push_back(accessOf(factor, *input));
  }
  accesses.push_back(result);
  auto op = ComputeOp::create(
      b, loc, inputs, made.getOutArgument(0), accesses, axes, axes.size(),
      StringAttr(), [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping mapping;
        for (auto [number, input] : llvm::enumerate(factor.computed.operands))
          mapping.map(sum.getMatchingBlockArgument(input), args[number]);
        for (Operation *computing : factor.computed.ops)
          b.clone(*computing, mapping);
        linalg::YieldOp::create(b, loc, mapping.lookup(factor.stored));
      });
  YieldOp::create(b, loc, op->getResults());
  return made;
}

/// The sum, with the factor read from a tensor.
static ComputeOp buildSum(OpBuilder &b, const Factor &factor, Value tensor,
                          IRMapping &outside) {
  ComputeOp sum = factor.sum;
  SmallVector<Value> inputs;
  SmallVector<Subscripts> accesses;
  SmallVector<BlockArgument> arguments;
  for (OpOperand *input : sum.getDpsInputOperands())
    if (factor.rest.operands.contains(input)) {
      inputs.push_back(outside.lookup(input->get()));
      accesses.push_back(sum.getSubscripts(*input));
      arguments.push_back(sum.getMatchingBlockArgument(input));
    }
  inputs.push_back(tensor);
  Subscripts access;
  for (unsigned dim : factor.loops)
    access.push_back(Subscript{b.getAffineDimExpr(dim)});
  accesses.push_back(access);
  accesses.push_back(sum.getSubscripts(*sum.getDpsInitOperand(0)));
  return ComputeOp::create(
      b, sum.getLoc(), inputs, outside.lookup(sum.getDpsInits().front()),
      accesses, sum.getAxes(), sum.getNumParallelLoops(), sum.getNameAttr(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping mapping;
        for (auto [argument, arg] : llvm::zip(arguments, args))
          mapping.map(argument, arg);
        mapping.map(factor.stored, args[arguments.size()]);
        mapping.map(sum.getRegionOutputArgs().front(), args.back());
        for (Operation *computing : factor.rest.ops)
          b.clone(*computing, mapping);
        linalg::YieldOp::create(b, loc, mapping.lookup(totalOf(sum)));
      });
}

/// The kernel with the factor as an input.
static KernelOp buildProduct(OpBuilder &b, KernelOp kernel,
                             const Factor &factor, Value tensor) {
  SmallVector<Value> ins{tensor};
  SmallVector<BlockArgument> arguments;
  for (auto [number, in] : llvm::enumerate(kernel.getIns())) {
    BlockArgument argument = kernel.getInArgument(number);
    if (llvm::none_of(argument.getUses(), [&](OpOperand &use) {
          return use.getOwner() != factor.sum ||
                 factor.rest.operands.contains(&use);
        }))
      continue;
    ins.push_back(in);
    arguments.push_back(argument);
  }
  auto made = KernelOp::create(
      b, kernel.getLoc(), kernel.getName(),
      llvm::to_vector(kernel.getLoops().getAsRange<LoopAttr>()),
      kernel.getExtents(), ins, kernel.getOuts());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&made.getBody().front());
  IRMapping mapping;
  for (auto [number, argument] : llvm::enumerate(arguments))
    mapping.map(argument, made.getInArgument(number + 1));
  // Destinations and extents.
  for (auto [old, argument] : llvm::zip_equal(
           kernel.getBody().getArguments().drop_front(kernel.getIns().size()),
           made.getBody().getArguments().drop_front(ins.size())))
    mapping.map(old, argument);
  for (Operation &op : kernel.getBody().front())
    if (&op == factor.sum)
      mapping.map(
          factor.sum->getResults(),
          buildSum(b, factor, made.getInArgument(0), mapping)->getResults());
    else
      b.clone(op, mapping);
  return made;
}

/// The results of a kernel in the shapes that they had before loops were
/// collapsed, those of another one. Each pair of loops has left an op.
static SmallVector<Value> resultsOf(KernelOp kernel, KernelOp before) {
  SmallVector<Value> results(kernel.getResults());
  for (auto [result, shaped] : llvm::zip_equal(results, before.getResults()))
    while (result.getType() != shaped.getType()) {
      Operation *expand = *llvm::find_if(result.getUsers(),
                                         llvm::IsaPred<tensor::ExpandShapeOp>);
      result = expand->getResult(0);
    }
  return results;
}

/// Erases operations without uses between two others.
static void eraseUnused(Operation *before, Operation *after) {
  for (Operation *op = after->getPrevNode(); op && op != before;) {
    Operation *next = op->getPrevNode();
    if (op->use_empty())
      op->erase();
    op = next;
  }
}

/// From how many rows on the kernel with panels takes less time; nothing if it
/// does from none of usual numbers on.
std::optional<Rows> KrnlSplitFactorsPass::rowsForPanels(KernelOp kernel,
                                                        KernelOp joined,
                                                        unsigned loop) {
  auto cyclesOfFew = [&](KernelOp form, Rows rows) {
    KernelOp few = form.clone();
    OpBuilder(form).insert(few);
    limitRows(few, rows);
    std::optional<double> cycles = chooser->cyclesOf(few, {keepOrder});
    few.erase();
    return cycles;
  };
  for (int64_t limit : fewRowsOfPanels) {
    Rows rows{loop, limit};
    std::optional<double> before = cyclesOfFew(kernel, rows),
                          inPanels = cyclesOfFew(joined, rows);
    if (before && inPanels && *inPanels < minGainOfPanels * *before)
      return rows;
  }
  return std::nullopt;
}

/// Leaves few rows to the kernel as it is, and the others to one that computes
/// panels of the factor, if that takes less time.
void KrnlSplitFactorsPass::versionByRows(KernelOp kernel, KernelOp factor,
                                         KernelOp product, unsigned loop) {
  OpBuilder b(product);
  KernelOp joined = buildJoined(b, factor, product);
  product.erase();
  if (!joined)
    return;
  std::optional<Rows> rows = rowsForPanels(kernel, joined, loop);
  if (!rows)
    return joined.erase();
  joined->moveAfter(kernel);
  kernel.replaceAllUsesWith(joined.getResults());
  divideRows(kernel, joined, *rows);
  remark::passed(joined.getLoc(),
                 remark::RemarkOpts::name("Versioned").category(getArgument()))
      << remark::add("{0}", joined.getName().str())
      << remark::add("few rows are fewer than {0}", rows->limit);
}

/// Takes the cheapest of the kernel, two kernels, and one that computes the
/// factor slice by slice. What a form has beside the kernel is after `before`.
void KrnlSplitFactorsPass::chooseForm(KernelOp kernel, KernelOp factor,
                                      KernelOp product, Operation *before) {
  RecipeOptions options{keepOrder};
  FormChoice choice({"an operand computed for each product",
                     chooser->cyclesOf(kernel, options)},
                    isDevice ? minGainOfKind : minGainOfPanels);
  if (isDevice)
    choice.offer({"an operand computed once, in a kernel of its own",
                  chooser->cyclesOf({factor, product}, options)});
  // What reads the results in other shapes follows the product.
  IRRewriter b(kernel);
  b.setInsertionPointAfter(product);
  KernelOp joined = buildJoined(b, factor, product);
  bool isJoined =
      joined &&
      choice.offer({isDevice ? "an operand computed in slices of shared "
                               "memory"
                             : "an operand computed in panels",
                    chooser->cyclesOf(joined, options)});
  bool isTaken = choice.report(kernel.getLoc(), getArgument());
  if (isTaken && isJoined)
    product.replaceAllUsesWith(joined.getResults());
  else if (joined)
    joined.erase();
  if (isTaken)
    kernel.replaceAllUsesWith(resultsOf(isJoined ? joined : product, kernel));
  if (isTaken && isJoined) {
    product.erase();
    eraseUnused(before, joined);
  }
  if (isTaken)
    return kernel.erase();
  while (kernel->getPrevNode() != before)
    kernel->getPrevNode()->erase();
}

void KrnlSplitFactorsPass::rewrite(KernelOp kernel) {
  std::optional<Factor> found = findFactor(kernel);
  if (!kernel.getRecipe().empty() || !found)
    return;
  Operation *before = kernel->getPrevNode();
  IRRewriter b(kernel);
  KernelOp factor = buildFactor(b, kernel, *found);
  KernelOp product = buildProduct(b, kernel, *found, factor.getResult(0));
  if (isDevice)
    collapseLoops(b, product);
  SmallVector<unsigned> dynamic = dynamicLoops(kernel);
  if (isDevice || dynamic.empty())
    return chooseForm(kernel, factor, product, before);
  versionByRows(kernel, factor, product, dynamic.front());
  eraseUnused(before, kernel);
}

} // namespace onnxc
