//===- FuseAttention.cpp - Two contractions and rows between *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %s = krnl.kernel "scores" loops [b, m, n, k]   contraction over k
//   %p = krnl.kernel "rows"   loops [b, m, n]      reductions along n
//   %y = krnl.kernel "sums"   loops [b, m, e, n]   contraction over n
// -> %y = krnl.kernel "scores+rows+sums" loops [b, m, n, k, e]
//
// No loop but those of the batch and of the rows is common to all ops. The
// recipe of such a kernel computes a few rows at a time, so that their scores
// need not go through memory.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// The only op of the kernel that reduces, if that is a contraction of two
/// tensors that are indexed by loops alone.
static ComputeOp onlyProduct(KernelOp kernel) {
  ComputeOp product;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (product || reductionKindOf(op) != ReductionKind::Contraction ||
        op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
      return nullptr;
    product = op;
  }
  bool isPlain =
      product &&
      llvm::all_of(product->getOpOperands(), [&](OpOperand &operand) {
        return Access(operand).isPlain() &&
               product.getMatchingIndexingMap(&operand).isProjectedPermutation(
                   /*allowZeroInResults=*/true);
      });
  return isPlain ? product : nullptr;
}

/// The value outside of the kernel that an operand of one of its ops is.
static Value outside(KernelOp kernel, OpOperand &operand) {
  int number = inputNumber(kernel, operand.get());
  return number < 0 ? Value() : kernel.getIns()[number];
}

Value viewedBy(Value value) {
  auto isRanked = [](Value v) { return isa<RankedTensorType>(v.getType()); };
  Operation *view = value.getDefiningOp();
  bool isView = isa_and_present<tensor::ReshapeOp, tensor::CollapseShapeOp,
                                tensor::ExpandShapeOp>(view) &&
                isRanked(value) && isRanked(view->getOperand(0));
  return isView ? view->getOperand(0) : Value();
}

Value withoutViews(Value value) {
  while (value.hasOneUse()) {
    Value viewed = viewedBy(value);
    if (!viewed)
      break;
    value = viewed;
  }
  return value;
}

/// The kernel whose only result the value is a view of, without another use.
static KernelOp onlyMaker(Value value, KernelOp user) {
  if (value)
    value = withoutViews(value);
  auto maker = value ? value.getDefiningOp<KernelOp>() : KernelOp();
  bool isOnly = maker && maker->getBlock() == user->getBlock() &&
                maker->getNumResults() == 1 && value.hasOneUse() &&
                maker.getRecipe().empty();
  return isOnly ? maker : KernelOp();
}

/// The dimension of the op that dimension `position` of the operand, counted
/// from the last one, is indexed by; nothing if that is none.
static std::optional<unsigned> dimAt(OpOperand &operand, unsigned position) {
  Access access(operand);
  if (access.getRank() <= position)
    return std::nullopt;
  return access.loopAt(access.getRank() - 1 - position);
}

static OpOperand &otherFactor(ComputeOp op, OpOperand &factor) {
  return *op.getDpsInputOperand(1 - factor.getOperandNumber());
}

/// Returns true if only `factor` has the rows of the product, and the other
/// operand has one loop of its own, its columns.
static bool hasRows(ComputeOp op, OpOperand &factor, unsigned row) {
  ContractionDims dims = contractionDimsOf(op, otherFactor(op, factor), factor);
  Access own(factor);
  return llvm::is_contained(dims.rows, row) && dims.columns.size() == 1 &&
         llvm::all_of(dims.reduced,
                      [&](unsigned dim) { return own.dependsOn(dim); });
}

/// Returns true if the op sums up along the rows of `factor`.
static bool sumsRows(ComputeOp op, OpOperand &factor) {
  std::optional<unsigned> along = dimAt(factor, 0), row = dimAt(factor, 1);
  return along && row && *along >= op.getNumParallelLoops() &&
         op.getNumReductionLoops() == 1 && hasRows(op, factor, *row);
}

/// The factor that the columns of the scores are made of.
static Value keysOf(KernelOp scores, ComputeOp product) {
  std::optional<unsigned> column = dimAt(*product.getDpsInitOperand(0), 0);
  for (OpOperand *factor : product.getDpsInputOperands())
    if (column && Access(*factor).dependsOn(*column))
      return outside(scores, *factor);
  return {};
}

/// Returns true if the last two dimensions of the result are the rows of one
/// factor and the columns of the other.
static bool makesScores(ComputeOp op) {
  OpOperand &result = *op.getDpsInitOperand(0);
  std::optional<unsigned> column = dimAt(result, 0), row = dimAt(result, 1);
  return column && row &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *factor) {
           return hasRows(op, *factor, *row) &&
                  !Access(*factor).dependsOn(*column);
         });
}

/// Returns true if the ops of the kernel run over elements of the result, or
/// over its rows, and some of them reduce the last dimension.
static bool isRowwise(KernelOp kernel) {
  Value yielded = kernel.getYield().getValues()[0];
  auto last = yielded.getDefiningOp<ComputeOp>();
  if (!last)
    return false;
  Access access(*last.getTiedOpOperand(cast<OpResult>(yielded)));
  if (!access.coversAll() || access.getRank() < 2)
    return false;
  std::optional<unsigned> column = access.loopAt(access.getRank() - 1);
  if (!column)
    return false;
  StringRef along = last.getAxes()[*column];
  bool reduces = false;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (reductionKindOf(op) == ReductionKind::Contraction || isOrdered(op))
      return false;
    SmallVector<StringRef> axes = op.getAxes();
    for (auto [axis, kind] :
         llvm::zip_equal(axes, op.getIteratorTypesArray())) {
      bool isReduced = kind == utils::IteratorType::reduction;
      if (isReduced && axis != along)
        return false;
      reduces |= isReduced;
    }
    // All but the columns are loops of every op.
    if (axes.size() + !llvm::is_contained(axes, along) !=
        kernel.getLoops().size())
      return false;
  }
  return reduces;
}

/// Returns true if the keys of the scores and the summed values may be views of
/// one tensor. A layout in panels for the one would apply to the other.
static bool isSame(Value keys, Value values) {
  if (auto copy = keys ? keys.getDefiningOp<KernelOp>() : KernelOp())
    return llvm::is_contained(copy.getIns(), values);
  return keys == values;
}

/// Fails, with the reason, if it is not profitable to keep these scores out of
/// memory. On a device the cost model decides.
static LogicalResult checkScores(RankedTensorType type,
                                 const target::Processor &target,
                                 std::string &reason) {
  int64_t bytes = elementBytes(type.getElementType());
  int64_t columns = type.getShape().back(), rows = type.getShape().end()[-2];
  bool hasDynamicSize =
      ShapedType::isDynamic(columns) || ShapedType::isDynamic(rows);
  if (target.isDevice())
    return success();
  if (!ShapedType::isDynamic(rows) && rows < target.packRows)
    reason = "there are few rows of scores";
  else if (!ShapedType::isDynamic(columns) &&
           columns > target.stackBytes / 4 / bytes)
    reason = "rows of scores are too long for the stack";
  else if (!hasDynamicSize && rows * columns * bytes < target.attentionBytes)
    reason = "all scores of a head stay in the caches";
  else
    return success();
  return failure();
}

/// Fails, with the reason, if weights would be read again for each few rows:
/// products apart have them packed at compile time. On a device the cost model
/// decides.
static LogicalResult checkFactors(KernelOp scores, ComputeOp product,
                                  Value values, const target::Processor &target,
                                  std::string &reason) {
  auto isWeight = [](Value factor) { return factor && isConstantView(factor); };
  if (llvm::any_of(product.getDpsInputOperands(), [&](OpOperand *factor) {
        return isSame(outside(scores, *factor), values);
      }))
    reason = "keys are values as well";
  else if (!target.isDevice() &&
           (isWeight(keysOf(scores, product)) || isWeight(values)))
    reason = "keys or values are weights";
  else
    return success();
  return failure();
}

/// The kernel that multiplies for the input of another one, and one between
/// them; null if there is none. On a processor there is one where a view kept
/// krnl-fuse from making it a part of the first.
static std::pair<KernelOp, KernelOp> findScores(Value in, KernelOp rows) {
  KernelOp maker = onlyMaker(in, rows);
  if (!maker || onlyProduct(maker))
    return {maker, {}};
  bool isDevice = TargetAttr::processorOf(rows).isDevice();
  bool isElementwise =
      llvm::all_of(maker.getBody().getOps<ComputeOp>(),
                   [](ComputeOp op) { return op.getNumReductionLoops() == 0; });
  if (isElementwise)
    for (Value source : maker.getIns())
      if (KernelOp scores = onlyMaker(source, maker);
          scores && onlyProduct(scores) &&
          (isDevice || source.getDefiningOp() != scores))
        return {scores, maker};
  return {};
}

FailureOr<AttentionParts> findAttention(KernelOp consumer,
                                        std::string &reason) {
  reason = "no rows of scores are summed up";
  ComputeOp sums = onlyProduct(consumer);
  if (!sums || !consumer.getRecipe().empty())
    return failure();
  for (OpOperand *factor : sums.getDpsInputOperands()) {
    KernelOp rows = onlyMaker(outside(consumer, *factor), consumer);
    if (!rows || !isRowwise(rows) || !sumsRows(sums, *factor))
      continue;
    KernelOp scores, between;
    RankedTensorType type;
    for (Value in : rows.getIns())
      if (!scores) {
        std::tie(scores, between) = findScores(in, rows);
        type =
            cast_if_present<RankedTensorType>(scores ? in.getType() : Type());
      }
    ComputeOp product = scores ? onlyProduct(scores) : ComputeOp();
    if (!product || !makesScores(product))
      return failure();
    const target::Processor &target = TargetAttr::processorOf(consumer);
    Value values = outside(consumer, otherFactor(sums, *factor));
    if (type != rows.getResult(0).getType() ||
        failed(checkScores(type, target, reason)) ||
        failed(checkFactors(scores, product, values, target, reason)))
      return failure();
    return AttentionParts{scores, between, rows};
  }
  return failure();
}

/// The kernel reads the result of the other one by this input, or views of it,
/// which copies of the kernel read, too.
static unsigned inputOf(KernelOp producer, KernelOp consumer) {
  auto isMade = [&](Value in) {
    while (Value viewed = viewedBy(in))
      in = viewed;
    return in.getDefiningOp() == producer;
  };
  return llvm::find_if(consumer.getIns(), isMade) - consumer.getIns().begin();
}

KernelOp
mergeAttention(RewriterBase &rewriter, const AttentionParts &parts,
               KernelOp sums, SmallVector<KernelOp> copies,
               function_ref<LogicalResult(KernelOp, KernelOp)> mayMerge) {
  SmallVector<KernelOp> all = parts.all();
  all.push_back(sums);
  bool isPossible = true;
  for (unsigned part : llvm::seq<unsigned>(all.size() - 1))
    isPossible =
        isPossible && alignLoops(rewriter, copies[part], copies[part + 1],
                                 inputOf(all[part], all[part + 1]));
  auto merge = [&](size_t part) {
    FailureOr<KernelOp> larger = failure();
    std::string reason;
    if (!mayMerge || succeeded(mayMerge(copies[part], copies[part + 1])))
      larger = mergeKernels(rewriter, copies[part], copies[part + 1], reason);
    if (failed(larger))
      return false;
    copies[part] = *larger;
    copies.erase(copies.begin() + part + 1);
    return true;
  };
  // What is between the scores and the rows takes the place of the scores.
  if (isPossible && parts.between)
    isPossible = merge(0);
  while (isPossible && copies.size() > 1)
    isPossible = merge(copies.size() - 2);
  if (isPossible)
    return copies.front();
  for (KernelOp copy : llvm::reverse(copies))
    eraseWithOperands(rewriter, copy);
  return nullptr;
}

/// How many of the sizes make one of the size `whole`, of which a dynamic one
/// is the last part; 0 if none do.
static size_t countParts(ArrayRef<int64_t> sizes, int64_t whole) {
  int64_t size = 1;
  for (auto [number, part] : llvm::enumerate(sizes)) {
    if (ShapedType::isDynamic(part))
      return ShapedType::isDynamic(whole) ? number + 1 : 0;
    if (llvm::MulOverflow(size, part, size))
      return 0;
    if (!ShapedType::isDynamic(whole) && size >= whole)
      return size == whole ? number + 1 : 0;
  }
  return 0;
}

/// The dimensions of `from` that are parts of each of `to`; nothing where they
/// are none.
static std::optional<SmallVector<ReassociationIndices>>
groupParts(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<ReassociationIndices> groups;
  size_t next = 0;
  for (int64_t whole : to) {
    size_t count = countParts(from.drop_front(next), whole);
    if (count == 0)
      return std::nullopt;
    groups.push_back(
        llvm::to_vector<2>(llvm::seq<int64_t>(next, next + count)));
    next += count;
  }
  return next == from.size() ? std::optional(groups) : std::nullopt;
}

Value viewAs(RewriterBase &rewriter, Value tensor, RankedTensorType type) {
  auto from = cast<RankedTensorType>(tensor.getType());
  if (from == type)
    return tensor;
  auto groups = groupParts(from.getShape(), type.getShape());
  if (!groups)
    return {};
  rewriter.setInsertionPointAfterValue(tensor);
  return tensor::CollapseShapeOp::create(rewriter, tensor.getLoc(), type,
                                         tensor, *groups);
}

} // namespace onnxc::krnl
