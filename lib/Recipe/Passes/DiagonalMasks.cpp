//===- DiagonalMasks.cpp - Masks by a diagonal ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A mask is a constant, or the result of a kernel that compares a row with a
// column: progressions of integers, which kernels and views pass on.
//
//===----------------------------------------------------------------------===//

#include "Passes/DiagonalMasks.h"

#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

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
  form.values = elements->sizes;
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

/// Returns true if the value of the host program is the size of a tensor, or a
/// sum or difference of such sizes and numbers.
static bool isSize(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return llvm::all_of(op->getOperands(), isSize);
  return isa_and_present<tensor::DimOp, arith::ConstantOp>(op);
}

/// Replaces arguments of the op's kernel by the sizes that it is launched with;
/// false where one is no size.
static bool replaceByOutside(ComputeOp op, ScaledValues &values) {
  auto kernel = op->getParentOfType<KernelOp>();
  size_t ins = kernel.getIns().size(), outs = kernel.getOuts().size();
  for (auto &[value, factor] : values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &kernel.getBody().front()) {
      size_t number = argument.getArgNumber();
      value = number < ins ? kernel.getIns()[number]
                           : kernel.getExtents()[number - ins - outs];
    }
    if (!isSize(value))
      return false;
  }
  return true;
}

std::optional<Progression> MaskFinder::progressionOfKernel(ComputeOp op) {
  std::optional<LinearForm> form =
      formsOf(op).of(op.getBody()->getTerminator()->getOperand(0));
  if (!form || form->factors.size() > 1 || !replaceByOutside(op, form->values))
    return std::nullopt;
  Progression all;
  all.start = form->constant;
  all.sizes = form->values;
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

/// One number, the size of a tensor.
static std::optional<Progression>
progressionOfSize(tensor::FromElementsOp tensor) {
  Value element = tensor.getElements().front();
  auto cast = element.getDefiningOp<arith::IndexCastOp>();
  if (tensor.getElements().size() != 1 || !cast ||
      !cast.getIn().getType().isIndex() || !isSize(cast.getIn()))
    return std::nullopt;
  Progression all;
  all.sizes.push_back({cast.getIn(), 1});
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
  else if (auto size = dyn_cast_if_present<tensor::FromElementsOp>(maker))
    all = progressionOfSize(size);
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

/// The loop of the columns of a mask that compares these with the rows, or of
/// one row; nothing for other distances.
static std::optional<StringRef> columnsOf(const LinearForm &distance) {
  std::optional<StringRef> columns;
  unsigned rows = 0;
  for (const auto &[loop, factor] : distance.factors) {
    if (factor == 1 && !columns)
      columns = loop;
    else if (factor == -1 && rows == 0)
      ++rows;
    else
      return std::nullopt;
  }
  return columns;
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
        distance && columnsOf(*distance)) {
      comparison = compare;
      break;
    }
    distance.reset();
  }
  if (!distance)
    return std::nullopt;
  // column - row + constant >= least
  DiagonalMask mask;
  std::optional<unsigned> columns = dimensionOf(op, *columnsOf(*distance));
  for (const auto &[loop, factor] : distance->factors)
    if (factor < 0) {
      mask.rows = dimensionOf(op, loop);
      if (!mask.rows)
        return std::nullopt;
    }
  mask.after = yieldedWhere(op, comparison, true);
  mask.before = yieldedWhere(op, comparison, false);
  if (!columns || !mask.after || !mask.before ||
      !replaceByOutside(op, distance->values) ||
      llvm::SubOverflow(minDistance - 1, distance->constant, mask.last))
    return std::nullopt;
  for (const auto &[size, times] : distance->values)
    mask.sizes.push_back({size, -times});
  mask.columns = *columns;
  return mask;
}

std::optional<DiagonalMask> MaskFinder::maskOf(Value tensor) {
  if (auto op = onlyOpOf(tensor.getDefiningOp<KernelOp>()))
    return maskOfKernel(op);
  return maskOfConstant(tensor);
}

} // namespace onnxc
