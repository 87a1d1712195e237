//===- FoldMasks.cpp - krnl-fold-masks --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   mask[m, n] = n > m + 3 ? -infinity : 0
//
// A constant of this form, or the result of kernels that compare numbers which
// grow evenly along a dimension, is not read: its readers compare their
// indices.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Recipe/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {
#define GEN_PASS_DEF_KRNLFOLDMASKSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {
/// A tensor that has the element `after` where the index in one dimension is
/// greater than that in another one and `last`, and `before` elsewhere.
struct DiagonalMask {
  unsigned rows = 0, columns = 0;
  int64_t last = 0;
  TypedAttr before, after;
};

/// Integers that grow evenly along the only dimension that is not 1, from
/// `start` by `step`.
struct Progression {
  std::optional<unsigned> dim;
  int64_t start = 0, step = 0;
};

/// Looks for masks in the host program, whose kernels stay where they are.
class MaskFinder {
public:
  std::optional<DiagonalMask> maskOf(Value tensor);

private:
  std::optional<Progression> progressionOf(Value tensor);
  std::optional<Progression> findProgression(Value tensor);
  std::optional<Progression> progressionOfKernel(ComputeOp op);
  std::optional<LinearForm> formOf(ComputeOp op, BlockArgument argument);
  LinearForms formsOf(ComputeOp op);
  std::optional<DiagonalMask> maskOfKernel(ComputeOp op);

  /// By tensor. Chains of kernels are followed so far only.
  DenseMap<Value, std::optional<Progression>> known;
  unsigned depth = 0;
};
} // namespace

/// Kernels and views that a number may go through.
static constexpr unsigned followedKernels = 32;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The elements of a constant tensor; nothing for what is stored in another
/// form.
static ArrayRef<char> bytesOf(Value tensor, SmallVector<char> &scratch) {
  auto constant = tensor.getDefiningOp<ConstantOp>();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!constant || constant.getLayout() || !type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat())
    return {};
  unsigned bits = type.getElementTypeBitWidth();
  if (bits % 8 != 0)
    return {};
  ArrayRef<char> bytes = onnx::constantBytes(constant.getValue(), scratch);
  return int64_t(bytes.size()) == type.getNumElements() * bits / 8
             ? bytes
             : ArrayRef<char>();
}

/// One element, as an attribute of its type.
static TypedAttr elementOf(Type type, ArrayRef<char> bytes) {
  APInt bits(type.getIntOrFloatBitWidth(), 0);
  for (auto [i, byte] : llvm::enumerate(bytes))
    bits.insertBits(uint64_t(uint8_t(byte)), 8 * i, 8);
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(number, APFloat(number.getFloatSemantics(), bits));
  return IntegerAttr::get(type, bits);
}

/// A matrix, perhaps after dimensions of 1, with the same elements along each
/// diagonal.
static std::optional<DiagonalMask> maskOfConstant(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  SmallVector<char> scratch;
  ArrayRef<char> bytes = bytesOf(tensor, scratch);
  if (bytes.empty() || type.getRank() < 2 ||
      llvm::any_of(type.getShape().drop_back(2),
                   [](int64_t size) { return size != 1; }))
    return std::nullopt;
  size_t size = type.getElementTypeBitWidth() / 8;
  int64_t rows = type.getShape().take_back(2).front(),
          columns = type.getShape().back();
  auto at = [&](int64_t row, int64_t column) {
    return bytes.slice((row * columns + column) * size, size);
  };
  int64_t first = 0;
  while (first < columns && at(0, first) == at(0, 0))
    ++first;
  if (first == columns)
    return std::nullopt;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (at(row, column) != at(0, column - row < first ? 0 : first))
        return std::nullopt;
  DiagonalMask mask;
  mask.rows = type.getRank() - 2;
  mask.columns = type.getRank() - 1;
  mask.last = first - 1;
  mask.before = elementOf(type.getElementType(), at(0, 0));
  mask.after = elementOf(type.getElementType(), at(0, first));
  return mask;
}

static std::optional<Progression> progressionOfConstant(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<char> scratch;
  ArrayRef<char> bytes = bytesOf(tensor, scratch);
  if (bytes.empty() || !type.getElementType().isSignlessInteger())
    return std::nullopt;
  size_t size = type.getElementTypeBitWidth() / 8;
  auto at = [&](int64_t i) {
    return cast<IntegerAttr>(
               elementOf(type.getElementType(), bytes.slice(i * size, size)))
        .getValue()
        .getSExtValue();
  };
  Progression all;
  all.start = at(0);
  int64_t count = type.getNumElements();
  if (count > 1 && llvm::SubOverflow(at(1), all.start, all.step))
    return std::nullopt;
  for (int64_t i = 2; i < count; ++i) {
    int64_t next;
    if (llvm::AddOverflow(at(i - 1), all.step, next) || at(i) != next)
      return std::nullopt;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Results of kernels
//===----------------------------------------------------------------------===//

/// The only op of the kernel, which writes an element of its result at each
/// iteration.
static ComputeOp onlyOpOf(KernelOp kernel) {
  auto ops = kernel ? llvm::to_vector(kernel.getBody().getOps<ComputeOp>())
                    : SmallVector<ComputeOp>();
  bool isPlain =
      ops.size() == 1 && kernel.getNumResults() == 1 &&
      ops.front().getNumReductionLoops() == 0 &&
      ops.front().getNumDpsInits() == 1 &&
      kernel.getYield().getValues().front() == ops.front()->getResult(0);
  return isPlain ? ops.front() : ComputeOp();
}

/// An element that the op reads as a sum of its indices.
std::optional<LinearForm> MaskFinder::formOf(ComputeOp op,
                                             BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  auto kernel = op->getParentOfType<KernelOp>();
  int input = inputNumber(kernel, operand->get());
  std::optional<Progression> elements;
  if (input >= 0 && op.isDpsInput(operand) &&
      isa<IntegerType>(argument.getType()))
    elements = progressionOf(kernel.getIns()[input]);
  if (!elements)
    return std::nullopt;
  LinearForm form;
  form.constant = elements->start;
  if (!elements->dim)
    return form;
  std::optional<unsigned> loop =
      op.getSubscripts(*operand)[*elements->dim].getLoop();
  if (!loop)
    return std::nullopt;
  form.factors[op.getAxes()[*loop].str()] = elements->step;
  return form;
}

LinearForms MaskFinder::formsOf(ComputeOp op) {
  return LinearForms(
      op, [&](BlockArgument argument) { return formOf(op, argument); });
}

std::optional<Progression> MaskFinder::progressionOfKernel(ComputeOp op) {
  std::optional<LinearForm> form =
      formsOf(op).of(op.getBody()->getTerminator()->getOperand(0));
  if (!form || form->factors.size() > 1)
    return std::nullopt;
  Progression all;
  all.start = form->constant;
  if (!form->factors.empty())
    all.step = form->factors.begin()->second;
  return all;
}

std::optional<Progression> MaskFinder::progressionOf(Value tensor) {
  if (auto found = known.find(tensor); found != known.end())
    return found->second;
  if (depth == followedKernels || !isa<RankedTensorType>(tensor.getType()))
    return std::nullopt;
  ++depth;
  std::optional<Progression> all = findProgression(tensor);
  --depth;
  known[tensor] = all;
  return all;
}

/// Through views, of tensors that have one dimension that is not 1 at most.
std::optional<Progression> MaskFinder::findProgression(Value tensor) {
  std::optional<unsigned> along;
  for (auto [dim, size] :
       llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape()))
    if (size != 1) {
      if (along)
        return std::nullopt;
      along = dim;
    }
  std::optional<Progression> all;
  Operation *maker = tensor.getDefiningOp();
  if (auto op = onlyOpOf(dyn_cast_if_present<KernelOp>(maker)))
    all = progressionOfKernel(op);
  else if (isa_and_present<ConstantOp>(maker))
    all = progressionOfConstant(tensor);
  else if (isa_and_present<tensor::ReshapeOp, tensor::ExpandShapeOp,
                           tensor::CollapseShapeOp>(maker))
    all = progressionOf(maker->getOperand(0));
  if (all)
    all->dim = all->step == 0 ? std::nullopt : along;
  return all;
}

/// What the payload yields where the comparison is as given; null if that is
/// no constant.
static TypedAttr yieldedWhere(ComputeOp op, Value comparison, bool isTrue) {
  DenseMap<Value, Attribute> known;
  known[comparison] = BoolAttr::get(op.getContext(), isTrue);
  auto lookup = [&](Value value) {
    Attribute constant = known.lookup(value);
    if (!constant)
      matchPattern(value, m_Constant(&constant));
    return constant;
  };
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (inner.getNumResults() != 1 || known.contains(inner.getResult(0)) ||
        inner.getNumRegions() > 0)
      continue;
    SmallVector<Attribute> operands =
        llvm::map_to_vector(inner.getOperands(), lookup);
    // Folding may change the operation.
    Operation *copy = inner.clone();
    SmallVector<OpFoldResult> results;
    if (!llvm::is_contained(operands, Attribute()) &&
        succeeded(copy->fold(operands, results)) && results.size() == 1) {
      OpFoldResult result = results.front();
      known[inner.getResult(0)] = isa<Attribute>(result)
                                      ? cast<Attribute>(result)
                                      : lookup(cast<Value>(result));
    }
    copy->destroy();
  }
  return dyn_cast_if_present<TypedAttr>(
      lookup(op.getBody()->getTerminator()->getOperand(0)));
}

/// x - y, where the comparison says that this is at least `minDistance`;
/// nothing for other comparisons.
static std::optional<LinearForm> distanceOf(const LinearForms &forms,
                                            arith::CmpIOp compare,
                                            int64_t &minDistance) {
  std::optional<LinearForm> x = forms.of(compare.getLhs()),
                            y = forms.of(compare.getRhs());
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  bool isLess = predicate == Predicate::slt || predicate == Predicate::sle;
  bool isStrict = predicate == Predicate::slt || predicate == Predicate::sgt;
  if (!x || !y ||
      !(isLess || predicate == Predicate::sgt || predicate == Predicate::sge))
    return std::nullopt;
  minDistance = isStrict;
  return isLess ? sumOf(*y, *x, -1) : sumOf(*x, *y, -1);
}

/// The dimension of the op's result that the loop is; nothing if it is none.
static std::optional<unsigned> dimensionOf(ComputeOp op, StringRef loop) {
  SmallVector<StringRef> axes = op.getAxes();
  for (auto [dim, at] :
       llvm::enumerate(op.getSubscripts(*op.getDpsInitOperand(0))))
    if (std::optional<unsigned> index = at.getLoop();
        index && axes[*index] == loop)
      return dim;
  return std::nullopt;
}

std::optional<DiagonalMask> MaskFinder::maskOfKernel(ComputeOp op) {
  LinearForms forms = formsOf(op);
  std::optional<LinearForm> distance;
  Value comparison;
  int64_t minDistance = 0;
  for (auto compare : op.getBody()->getOps<arith::CmpIOp>()) {
    if (distance = distanceOf(forms, compare, minDistance);
        distance && distance->factors.size() == 2) {
      comparison = compare;
      break;
    }
    distance.reset();
  }
  if (!distance)
    return std::nullopt;
  const auto &[one, factor] = *distance->factors.begin();
  const auto &[other, opposite] = *std::next(distance->factors.begin());
  if (std::abs(factor) != 1 || factor != -opposite)
    return std::nullopt;
  std::optional<unsigned> rows = dimensionOf(op, factor < 0 ? one : other),
                          columns = dimensionOf(op, factor < 0 ? other : one);
  // column - row + constant >= least
  DiagonalMask mask;
  mask.after = yieldedWhere(op, comparison, true);
  mask.before = yieldedWhere(op, comparison, false);
  if (!rows || !columns || !mask.after || !mask.before ||
      llvm::SubOverflow(minDistance - 1, distance->constant, mask.last))
    return std::nullopt;
  mask.rows = *rows;
  mask.columns = *columns;
  return mask;
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

std::optional<DiagonalMask> MaskFinder::maskOf(Value tensor) {
  if (auto op = onlyOpOf(tensor.getDefiningOp<KernelOp>()))
    return maskOfKernel(op);
  return maskOfConstant(tensor);
}

/// Whether the element is after the diagonal, or whether it is not.
static Value isAfter(OpBuilder &b, ComputeOp op, StringRef row,
                     StringRef column, int64_t last, bool isTrue) {
  Location loc = op.getLoc();
  Value end = IndexOp::create(b, loc, row);
  if (last != 0)
    end = arith::AddIOp::create(b, loc, end,
                                arith::ConstantIndexOp::create(b, loc, last));
  return arith::CmpIOp::create(
      b, loc, isTrue ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sle,
      IndexOp::create(b, loc, column), end);
}

/// Bytes that are compared with zero are conditions themselves.
static void replaceConditions(BlockArgument element, const DiagonalMask &mask,
                              function_ref<Value(bool)> condition) {
  auto after = dyn_cast<IntegerAttr>(mask.after),
       before = dyn_cast<IntegerAttr>(mask.before);
  if (!after || !before ||
      after.getValue().isZero() == before.getValue().isZero())
    return;
  for (Operation *user : llvm::make_early_inc_range(element.getUsers())) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    bool isEqual =
        compare && compare.getPredicate() == arith::CmpIPredicate::eq;
    if (!compare || !matchPattern(compare.getRhs(), m_Zero()) ||
        (!isEqual && compare.getPredicate() != arith::CmpIPredicate::ne))
      continue;
    compare.replaceAllUsesWith(condition(isEqual == after.getValue().isZero()));
    compare.erase();
  }
}

/// -infinity where the element is hidden, and `other` elsewhere.
static Value hiddenOr(OpBuilder &b, Value isHidden, Value other) {
  auto type = cast<FloatType>(other.getType());
  Value infinity = arith::ConstantOp::create(
      b, other.getLoc(),
      b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), true)));
  return arith::SelectOp::create(b, other.getLoc(), isHidden, infinity, other);
}

/// Adding a mask of -infinity and 0 leaves a number or hides it, in its own
/// type if it is extended for the addition.
static void hideInsteadOfAdding(Value mask, Value isHidden) {
  for (Operation *user : mask.getUsers()) {
    if (isa<arith::ExtFOp>(user))
      hideInsteadOfAdding(user->getResult(0), isHidden);
    auto add = dyn_cast<arith::AddFOp>(user);
    if (!add || add.getLhs() == add.getRhs())
      continue;
    OpBuilder b(add);
    Value other = add.getLhs() == mask ? add.getRhs() : add.getLhs();
    auto extended = other.getDefiningOp<arith::ExtFOp>();
    for (Operation *reader : add->getUsers())
      if (extended && isa<arith::TruncFOp>(reader) &&
          reader->getResult(0).getType() == extended.getIn().getType())
        reader->replaceAllUsesWith(
            ValueRange{hiddenOr(b, isHidden, extended.getIn())});
    add.replaceAllUsesWith(hiddenOr(b, isHidden, other));
  }
}

static bool findsMaxima(ComputeOp op) {
  return reductionKindOf(op) == ReductionKind::Rows &&
         llvm::any_of(*op.getBlock(), [](Operation &inner) {
           return isa<arith::MaximumFOp, arith::MaxNumFOp>(inner);
         });
}

/// Returns true if the tensor has the scores of a softmax: it is read by ops of
/// kernels alone, and one op of each kernel computes their maxima.
static bool areScores(Value tensor) {
  bool hasMaxima = false;
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = use.getOwner();
    if (auto op = dyn_cast<ComputeOp>(user)) {
      hasMaxima |= findsMaxima(op);
      continue;
    }
    Value passed;
    if (isa<YieldOp>(user))
      passed = user->getParentOp()->getResult(use.getOperandNumber());
    else if (auto kernel = dyn_cast<KernelOp>(user))
      if (auto in = llvm::find(kernel.getIns(), tensor);
          in != kernel.getIns().end())
        passed = kernel.getInArgument(in - kernel.getIns().begin());
    if (!passed || !areScores(passed))
      return false;
    hasMaxima = true;
  }
  return hasMaxima;
}

/// Erases what nothing in the payload uses any more.
static void eraseUnused(Block &payload) {
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(payload)))
    if (isOpTriviallyDead(&inner))
      inner.erase();
}

/// Lets the op compute what it reads of the mask by one input; false if that is
/// at other elements than those of two loops.
static bool computeMask(ComputeOp op, unsigned input,
                        const DiagonalMask &mask) {
  OpOperand &operand = *op.getDpsInputOperand(input);
  Subscripts access = op.getSubscripts(operand);
  std::optional<unsigned> row = access[mask.rows].getLoop(),
                          column = access[mask.columns].getLoop();
  if (!row || !column || Access(operand).hasRanges())
    return false;
  SmallVector<StringRef> axes = op.getAxes();
  std::string rows = axes[*row].str(), columns = axes[*column].str();
  OpBuilder b = OpBuilder::atBlockBegin(op.getBlock());
  BlockArgument element = op.getBody()->getArgument(input);
  auto condition = [&](bool isTrue) {
    return isAfter(b, op, rows, columns, mask.last, isTrue);
  };
  replaceConditions(element, mask, condition);
  if (!element.use_empty()) {
    Location loc = op.getLoc();
    Value isHidden = condition(true);
    Value after = arith::ConstantOp::create(b, loc, mask.after),
          before = arith::ConstantOp::create(b, loc, mask.before);
    Value elements = arith::SelectOp::create(b, loc, isHidden, after, before);
    element.replaceAllUsesWith(elements);
    if (areScores(op.getResult(0)) && matchPattern(after, m_NegInfFloat()) &&
        matchPattern(before, m_AnyZeroFloat())) {
      hideInsteadOfAdding(elements, isHidden);
      eraseUnused(*op.getBlock());
    }
  }
  eraseInput(op, input);
  return true;
}

namespace {
struct KrnlFoldMasksPass : impl::KrnlFoldMasksPassBase<KrnlFoldMasksPass> {
  using Base::Base;

  void runOnOperation() override {
    MaskFinder finder;
    SetVector<Operation *> changed;
    // Masks may be made of others, which come first.
    for (KernelOp kernel : kernelsOf(getOperation()))
      for (auto op : kernel.getBody().getOps<ComputeOp>()) {
        // A factor of products is data.
        if (reductionKindOf(op) == ReductionKind::Contraction)
          continue;
        for (unsigned input : llvm::reverse(llvm::seq(op.getNumDpsInputs()))) {
          int number = inputNumber(kernel, op.getInputs()[input]);
          if (number < 0 || !kernel.getRecipe().empty() ||
              !isa<RankedTensorType>(kernel.getIns()[number].getType()))
            continue;
          auto mask = finder.maskOf(kernel.getIns()[number]);
          if (mask && computeMask(op, input, *mask))
            changed.insert(kernel);
        }
      }
    IRRewriter rewriter(&getContext());
    for (Operation *kernel : changed)
      dropUnusedInputs(rewriter, cast<KernelOp>(kernel));
  }
};
} // namespace

} // namespace onnxc
