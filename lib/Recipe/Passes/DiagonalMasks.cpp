//===- DiagonalMasks.cpp - Masks by a diagonal ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A mask is a constant, or the result of a kernel that compares a row with a
// column: progressions of integers, which kernels and views pass on. Views may
// add dimensions of one element to it.
//
//===----------------------------------------------------------------------===//

#include "Passes/DiagonalMasks.h"

#include "Kernels/KernelShape.h"
#include "Passes/UnitViews.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Support/ElementBytes.h"

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

/// The element that all of a constant are; null where they differ.
static TypedAttr uniformElementOf(ConstantOp tensor) {
  SmallVector<char> scratch;
  ArrayRef<char> bytes = bytesOf(tensor, scratch);
  auto type = cast<RankedTensorType>(tensor.getType());
  if (bytes.empty())
    return nullptr;
  size_t size = type.getElementTypeBitWidth() / 8;
  bool isUniform = bytes.drop_front(size) == bytes.drop_back(size);
  return isUniform ? elementOf(type.getElementType(), bytes.take_front(size))
                   : TypedAttr();
}

//===----------------------------------------------------------------------===//
// Results of kernels
//===----------------------------------------------------------------------===//

/// The op that writes the tensor, a result of a kernel or of an op in one, an
/// element at each iteration.
static ComputeOp writerOf(Value tensor) {
  if (auto kernel = tensor.getDefiningOp<KernelOp>())
    tensor =
        kernel.getYield().getValues()[cast<OpResult>(tensor).getResultNumber()];
  auto op = tensor.getDefiningOp<ComputeOp>();
  bool isPlain =
      op && op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1;
  return isPlain ? op : ComputeOp();
}

/// An element that the op reads as a sum of its indices.
std::optional<LinearForm> MaskFinder::formOf(ComputeOp op,
                                             BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  auto kernel = op->getParentOfType<KernelOp>();
  int input = inputNumber(kernel, operand->get());
  std::optional<Progression> elements;
  if (op.isDpsInput(operand) && isa<IntegerType>(argument.getType()))
    elements =
        progressionOf(input < 0 ? operand->get() : kernel.getIns()[input]);
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

/// The element that all of a tensor are; null where they differ or are not
/// known.
static TypedAttr uniformElementOf(Value tensor) {
  while (Value viewed = viewedBy(tensor))
    tensor = viewed;
  if (auto constant = tensor.getDefiningOp<ConstantOp>();
      constant && isa<RankedTensorType>(tensor.getType()))
    return uniformElementOf(constant);
  ComputeOp op = writerOf(tensor);
  TypedAttr element;
  if (op && Access(*op.getDpsInitOperand(0)).coversAll())
    matchPattern(op.getBody()->getTerminator()->getOperand(0),
                 m_Constant(&element));
  return element;
}

/// Returns true if the value of the host program is the size of a tensor, or a
/// sum or difference of such sizes and numbers.
static bool isSize(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return llvm::all_of(op->getOperands(), isSize);
  return isa_and_present<tensor::DimOp, arith::ConstantOp>(op);
}

/// An index of the host program as a sum of sizes and a number.
std::optional<LinearForm> MaskFinder::formOfIndex(Value value) {
  if (isSize(value))
    return LinearForm{{}, 0, {{value, 1}}};
  Operation *op = value.getDefiningOp();
  // No size is as large as the limits of a number that is added to indices.
  if (isa_and_present<arith::MinSIOp, arith::MaxSIOp>(op)) {
    std::optional<int64_t> limit = getConstantIntValue(op->getOperand(1));
    bool isFar = limit && (*limit >= onnxc::maxTensorBytes ||
                           *limit <= -onnxc::maxTensorBytes);
    return isFar ? formOfIndex(op->getOperand(0)) : std::nullopt;
  }
  if (isa_and_present<arith::IndexCastOp>(op))
    return formOfIndex(op->getOperand(0));
  auto read = dyn_cast_if_present<tensor::ExtractOp>(op);
  std::optional<Progression> all =
      read ? progressionOf(read.getTensor()) : std::nullopt;
  return all && !all->dim
             ? std::optional(LinearForm{{}, all->start, all->sizes})
             : std::nullopt;
}

/// The form with sizes of the host program instead of arguments of the op's
/// kernel; nothing where one is no size.
std::optional<LinearForm> MaskFinder::formOutside(ComputeOp op,
                                                  const LinearForm &form) {
  auto kernel = op->getParentOfType<KernelOp>();
  size_t ins = kernel.getIns().size(), outs = kernel.getOuts().size();
  std::optional<LinearForm> all(LinearForm{form.factors, form.constant, {}});
  for (auto [value, factor] : form.values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &kernel.getBody().front()) {
      size_t number = argument.getArgNumber();
      value = number < ins ? kernel.getIns()[number]
                           : kernel.getExtents()[number - ins - outs];
    }
    std::optional<LinearForm> own = formOfIndex(value);
    all = own ? sumOf(*all, *own, factor) : std::nullopt;
    if (!all)
      break;
  }
  return all;
}

std::optional<Progression> MaskFinder::progressionOfOp(ComputeOp op) {
  std::optional<LinearForm> form =
      formsOf(op).of(op.getBody()->getTerminator()->getOperand(0));
  form = form ? formOutside(op, *form) : std::nullopt;
  if (!form || form->factors.size() > 1)
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
  if (ComputeOp op = writerOf(tensor))
    all = progressionOfOp(op);
  else if (isa_and_present<ConstantOp>(maker))
    all = progressionOfConstant(tensor);
  else if (auto size = dyn_cast_if_present<tensor::FromElementsOp>(maker))
    all = progressionOfSize(size);
  else if (Value viewed = viewedBy(tensor))
    all = progressionOf(viewed);
  if (all)
    all->dim = all->step == 0 ? std::nullopt : along;
  return all;
}

/// The element that an argument of the payload or a read of it is, if the
/// tensor has no other one.
static TypedAttr uniformElementOf(ComputeOp op, Value tensor) {
  auto kernel = op->getParentOfType<KernelOp>();
  int input = inputNumber(kernel, tensor);
  return input < 0 ? TypedAttr() : uniformElementOf(kernel.getIns()[input]);
}

/// What the payload yields where conditions are as given; null if that is no
/// constant.
static TypedAttr yieldedWhere(ComputeOp op,
                              const DenseMap<Value, bool> &conditions) {
  DenseMap<Value, Attribute> known;
  for (auto [condition, isTrue] : conditions)
    known[condition] = BoolAttr::get(op.getContext(), isTrue);
  for (OpOperand *input : op.getDpsInputOperands())
    if (TypedAttr element = uniformElementOf(op, input->get());
        element && !Access(*input).hasRanges())
      known[op.getMatchingBlockArgument(input)] = element;
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
    if (auto read = dyn_cast<tensor::ExtractOp>(inner)) {
      known[read] = uniformElementOf(op, read.getTensor());
      continue;
    }
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

/// What is not negative where the comparison is true; nothing for others than
/// those of an order.
static std::optional<LinearForm> distanceOf(const LinearForms &forms,
                                            arith::CmpIOp compare) {
  std::optional<LinearForm> x = forms.of(compare.getLhs()),
                            y = forms.of(compare.getRhs());
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  bool isLess = predicate == Predicate::slt || predicate == Predicate::sle;
  bool isStrict = predicate == Predicate::slt || predicate == Predicate::sgt;
  if (!x || !y ||
      !(isLess || predicate == Predicate::sgt || predicate == Predicate::sge))
    return std::nullopt;
  std::optional<LinearForm> distance =
      isLess ? sumOf(*y, *x, -1) : sumOf(*x, *y, -1);
  return distance ? sumOf(*distance, {{}, 1, {}}, isStrict ? -1 : 0)
                  : std::nullopt;
}

/// The comparisons of the payload that are true where the distance is not
/// negative, and those that are false there.
static DenseMap<Value, bool> comparisonsOf(ComputeOp op,
                                           const LinearForms &forms,
                                           const LinearForm &distance) {
  DenseMap<Value, bool> found;
  std::optional<LinearForm> other = sumOf({{}, -1, {}}, distance, -1);
  for (auto compare : op.getBody()->getOps<arith::CmpIOp>())
    if (std::optional<LinearForm> own = distanceOf(forms, compare)) {
      if (*own == distance)
        found[compare] = true;
      else if (other && *own == *other)
        found[compare] = false;
    }
  return found;
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

/// The first distance of a column and a row that the payload compares with
/// zero, so that it is not negative for the last columns.
static std::optional<LinearForm> distanceOf(ComputeOp op,
                                            const LinearForms &forms) {
  for (auto compare : op.getBody()->getOps<arith::CmpIOp>()) {
    std::optional<LinearForm> distance = distanceOf(forms, compare);
    std::optional<StringRef> columns =
        distance ? columnsOf(*distance) : std::nullopt;
    std::optional<unsigned> dim =
        columns ? dimensionOf(op, *columns) : std::nullopt;
    if (!dim)
      continue;
    bool isRow = llvm::any_of(distance->factors, [&](const auto &term) {
      return term.second < 0 && dimensionOf(op, term.first) > dim;
    });
    return isRow ? sumOf({{}, -1, {}}, *distance, -1) : distance;
  }
  return std::nullopt;
}

std::optional<DiagonalMask> MaskFinder::maskOfOp(ComputeOp op) {
  LinearForms forms = formsOf(op);
  std::optional<LinearForm> distance = distanceOf(op, forms),
                            outside = distance ? formOutside(op, *distance)
                                               : std::nullopt;
  if (!outside)
    return std::nullopt;
  DiagonalMask mask;
  for (const auto &[loop, factor] : distance->factors) {
    std::optional<unsigned> dim = dimensionOf(op, loop);
    if (!dim)
      return std::nullopt;
    if (factor > 0)
      mask.columns = *dim;
    else
      mask.rows = dim;
  }
  DenseMap<Value, bool> conditions = comparisonsOf(op, forms, *distance);
  mask.after = yieldedWhere(op, conditions);
  for (auto &[condition, isTrue] : conditions)
    isTrue = !isTrue;
  mask.before = yieldedWhere(op, conditions);
  if (!mask.after || !mask.before)
    return std::nullopt;
  // column - row + constant >= 0
  mask.last = -1 - outside->constant;
  for (const auto &[size, times] : outside->values)
    mask.sizes.push_back({size, -times});
  return mask;
}

std::optional<DiagonalMask> MaskFinder::maskOf(Value tensor) {
  Value viewed = viewedBy(tensor);
  if (!viewed) {
    ComputeOp op = writerOf(tensor);
    return op ? maskOfOp(op) : maskOfConstant(tensor);
  }
  std::optional<DiagonalMask> mask = maskOf(viewed);
  auto dims = mask ? dimensionsOfView(tensor, viewed) : std::nullopt;
  if (!dims || !(*dims)[mask->columns])
    return std::nullopt;
  mask->columns = *(*dims)[mask->columns];
  // That of one element has no other index than 0.
  if (mask->rows)
    mask->rows = (*dims)[*mask->rows];
  return mask;
}

} // namespace onnxc
