//===- KernelWork.cpp - Operations and bytes of kernels --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/KernelWork.h"

#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"

#include <map>

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

static bool isSum(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op);
}

static bool isProduct(Operation *op) {
  return isa<arith::MulFOp, arith::MulIOp>(op);
}

/// Selections, comparisons and conversions do not count, nor do indices.
static bool isArithmetic(Operation *op) {
  if (op->getNumResults() != 1 || op->getResult(0).getType().isIndex())
    return false;
  return isSum(op) || isProduct(op) ||
         isa<math::MathDialect>(op->getDialect()) ||
         isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
             arith::RemSIOp, arith::RemUIOp, arith::NegFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(
             op);
}

/// Returns true if the operation is the product of a multiply-add. Only sums
/// over loops count: elementwise products and sums that are fused are no
/// multiply-adds.
static bool isMultiplyAdd(ComputeOp around, Operation *op) {
  return around.getNumReductionLoops() > 0 && isProduct(op) &&
         op->hasOneUse() && isSum(*op->user_begin());
}

/// The part of its elements that an op cannot leave out though a mask hides the
/// rest.
static double visiblePart(KernelOp kernel, ComputeOp op,
                          const std::optional<MaskedElements> &masked,
                          int64_t unknown) {
  double columns =
      masked ? double(extentOf(kernel, masked->column(), unknown)) : 0;
  // Values of the run may hide any number of them.
  if (columns < 1 || !masked->form().values.empty() ||
      (!masked->combinesVisible(op) && !masked->isUnneeded(op)))
    return 1;
  SmallVector<double> firstHidden{double(-masked->form().constant)};
  for (const auto &[loop, factor] : masked->form().factors) {
    if (loop == masked->column())
      continue;
    if (!llvm::is_contained(op.getAxes(), loop))
      return 1;
    int64_t extent = std::max(extentOf(kernel, loop, unknown), int64_t(1)),
            samples = std::min(extent, sampledRows);
    SmallVector<double> next;
    for (double first : firstHidden)
      for (int64_t i : llvm::seq(samples)) {
        int64_t row = (2 * i + 1) * extent / (2 * samples);
        next.push_back(first - double(factor) * double(row));
      }
    firstHidden = std::move(next);
  }
  double sum = 0;
  for (double first : firstHidden)
    sum += std::clamp(first, double(masked->needsOne()), columns);
  return sum / double(firstHidden.size()) / columns;
}

void forEachOperation(KernelOp kernel, int64_t unknown,
                      function_ref<void(Location, const KernelWork &)> visit) {
  std::optional<MaskedElements> masked = MaskedElements::find(kernel);
  for (ComputeOp op : kernel.getBody().getOps<ComputeOp>()) {
    auto points = double(extentOfAll(kernel, op.getAxes(), unknown)) *
                  visiblePart(kernel, op, masked, unknown);
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (!isArithmetic(&inner))
        continue;
      Type type = inner.getResult(0).getType();
      bool isWide = type.getIntOrFloatBitWidth() == 64;
      visit(inner.getLoc(), {isMultiplyAdd(op, &inner) ? points : 0, points, 0,
                             isWide ? points : 0});
    }
  }
}

/// The most elements of an argument of the body that the loops touch.
static int64_t touchedElements(KernelOp kernel, BlockArgument argument,
                               int64_t unknown) {
  int64_t touched = 0;
  for (Operation *user : argument.getUsers()) {
    auto op = dyn_cast<ComputeOp>(user);
    if (!op)
      op = user->getParentOfType<ComputeOp>();
    if (op)
      touched += extentOfAll(kernel, op.getAxes(), unknown);
  }
  return touched;
}

/// Bytes that the loops touch of an operand.
static double touchedBytes(KernelOp kernel, unsigned operand, int64_t unknown) {
  auto type = dyn_cast<RankedTensorType>(kernel.getOperand(operand).getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return 0;
  int64_t elements = 1;
  BlockArgument argument = kernel.getBody().getArgument(operand);
  for (int64_t size : assumedShape(kernel, argument, unknown))
    elements = estimatedProduct(elements, size);
  elements = std::min(elements, touchedElements(kernel, argument, unknown));
  return double(elements) *
         std::max(type.getElementTypeBitWidth() / 8, unsigned(1));
}

KernelWork workOf(KernelOp kernel, int64_t unknown) {
  KernelWork sum;
  forEachOperation(kernel, unknown, [&](Location, const KernelWork &work) {
    sum.multiplyAdds += work.multiplyAdds;
    sum.operations += work.operations;
    sum.wideOperations += work.wideOperations;
  });
  for (unsigned operand : llvm::seq(kernel->getNumOperands()))
    sum.bytes += touchedBytes(kernel, operand, unknown);
  return sum;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The narrow type that both factors of a product are extended from: bytes
/// without a sign, or floats of 16 bits. Null if it is no such product.
static Type factorType(Operation *op) {
  if (!isa_and_nonnull<arith::MulIOp, arith::MulFOp>(op))
    return nullptr;
  Type narrow;
  for (Value factor : op->getOperands()) {
    Operation *wider = factor.getDefiningOp();
    if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp>(wider))
      return nullptr;
    Type type = wider->getOperand(0).getType();
    bool isNarrow = type.isInteger(8) || type.isF16() || type.isBF16();
    if (!isNarrow || (narrow && narrow != type))
      return nullptr;
    narrow = type;
  }
  return narrow;
}

/// The type whose rate an operation has: that of the factors for sums of
/// products of narrow types, for which processors have instructions.
static Type rateType(Operation *op) {
  if (Type narrow = factorType(op))
    return narrow;
  if (isa<arith::AddIOp, arith::AddFOp>(op))
    for (Value term : op->getOperands())
      if (Type narrow = factorType(term.getDefiningOp()))
        return narrow;
  return op->getResult(0).getType();
}

namespace {

/// A sum of products of a number and of sizes, which are positions in a list.
/// Those of equal sizes are one term.
class SizeSum {
public:
  void add(int64_t constant, ArrayRef<int64_t> sizes) {
    int64_t &known = terms[SmallVector<int64_t>(sizes)];
    known = std::min(known + constant, maxEstimate);
  }
  void add(const SizeSum &other) {
    for (const auto &[sizes, constant] : other.terms)
      add(constant, sizes);
  }

  /// The sum, if it has no sizes.
  std::optional<int64_t> number() const {
    if (terms.empty())
      return 0;
    bool isNumber = terms.size() == 1 && terms.begin()->first.empty();
    return isNumber ? std::optional(terms.begin()->second) : std::nullopt;
  }

  /// A number, or a list of the terms: each a number and the positions.
  Attribute attribute(Builder &builder) const {
    if (std::optional<int64_t> sum = number())
      return builder.getI64IntegerAttr(*sum);
    SmallVector<Attribute> list;
    for (const auto &[sizes, constant] : terms) {
      SmallVector<int64_t> numbers{constant};
      llvm::append_range(numbers, sizes);
      list.push_back(builder.getI64ArrayAttr(numbers));
    }
    return builder.getArrayAttr(list);
  }

private:
  static constexpr int64_t maxEstimate = int64_t(1) << 52;

  std::map<SmallVector<int64_t>, int64_t> terms;
};

/// The sizes that the work of a launch depends on.
class SizeList {
public:
  explicit SizeList(MLIRContext *context) : builder(context) {}

  /// The position of a size in the list.
  int64_t position(ArrayRef<int64_t> of) {
    Attribute entry = builder.getI64ArrayAttr(of);
    auto *found = llvm::find(sizes, entry);
    int64_t position = found - sizes.begin();
    if (found == sizes.end())
      sizes.push_back(entry);
    return position;
  }

  /// A product of a number and of sizes.
  static SizeSum product(int64_t constant, SmallVector<int64_t> positions) {
    llvm::sort(positions);
    SizeSum sum;
    sum.add(constant, positions);
    return sum;
  }

  /// The elements of an input of the launch, `times` times; input -1 is its
  /// first output.
  SizeSum elements(int64_t input, RankedTensorType type, int64_t times) {
    SmallVector<int64_t> dynamic;
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      if (ShapedType::isDynamic(extent))
        dynamic.push_back(position({input, int64_t(dim)}));
      else
        times = estimatedProduct(times, extent);
    }
    return product(times, dynamic);
  }

  DictionaryAttr work(Attribute bytes, DictionaryAttr operations) {
    NamedAttrList facts;
    facts.set("bytes", bytes);
    facts.set("operations", operations);
    if (!sizes.empty())
      facts.set("sizes", builder.getArrayAttr(sizes));
    return facts.getDictionary(builder.getContext());
  }

private:
  Builder builder;
  SmallVector<Attribute> sizes;
};

/// Describes the work of a kernel, dynamic sizes in terms of its launch.
class WorkWriter {
public:
  WorkWriter(KernelOp kernel, function_ref<bool(unsigned)> isReplaced)
      : kernel(kernel), isReplaced(isReplaced), builder(kernel.getContext()),
        sizes(kernel.getContext()) {}

  DictionaryAttr write() {
    Attribute touched = bytes();
    return sizes.work(touched, operations());
  }

private:
  DictionaryAttr operations() {
    std::map<std::string, SizeSum> byType;
    for (ComputeOp op : kernel.getBody().getOps<ComputeOp>())
      for (Operation &inner : op.getBlock()->without_terminator())
        if (isArithmetic(&inner)) {
          std::string type;
          llvm::raw_string_ostream(type) << rateType(&inner);
          byType[type].add(points(op));
        }
    NamedAttrList list;
    for (const auto &[type, sum] : byType)
      list.set(type, sum.attribute(builder));
    return list.getDictionary(builder.getContext());
  }

  /// The bytes of each operand: of the elements that it has or, if they are
  /// fewer, those that the loops touch.
  Attribute bytes() {
    SizeSum known;
    SmallVector<Attribute> others;
    for (unsigned operand : llvm::seq(kernel->getNumOperands())) {
      auto type =
          dyn_cast<RankedTensorType>(kernel.getOperand(operand).getType());
      if (!type || !type.getElementType().isIntOrFloat())
        continue;
      int64_t width = std::max(type.getElementTypeBitWidth() / 8, unsigned(1));
      SizeSum touched;
      for (Operation *user : kernel.getBody().getArgument(operand).getUsers()) {
        auto op = dyn_cast<ComputeOp>(user);
        if (!op)
          op = user->getParentOfType<ComputeOp>();
        if (op)
          touched.add(points(op, width));
      }
      // The launch has another tensor in its place, of the same elements.
      bool isKnown = type.hasStaticShape() || !isReplaced(operand);
      int64_t ins = kernel.getIns().size(), number = operand;
      number = number < ins ? number : ins - 1 - number;
      SizeSum all = isKnown ? sizes.elements(number, type, width) : touched;
      if (all.number() && touched.number())
        known.add(std::min(*all.number(), *touched.number()), {});
      else
        others.push_back(builder.getArrayAttr(
            {all.attribute(builder), touched.attribute(builder)}));
    }
    Attribute sum = known.attribute(builder);
    if (others.empty())
      return sum;
    others.push_back(sum);
    return builder.getArrayAttr(others);
  }

  /// Points of the loops of an op.
  SizeSum points(ComputeOp op, int64_t times = 1) {
    SmallVector<int64_t> dynamic;
    for (StringRef axis : op.getAxes()) {
      unsigned loop = *kernel.findLoop(axis);
      LoopAttr attribute = kernel.getLoop(loop);
      if (!attribute.isDynamic()) {
        times = estimatedProduct(times, attribute.getExtent());
        continue;
      }
      auto before = unsigned(kernel.getIns().size());
      for (unsigned other : llvm::seq(loop))
        before += kernel.getLoop(other).isDynamic();
      dynamic.push_back(sizes.position({before}));
    }
    return SizeList::product(times, dynamic);
  }

  KernelOp kernel;
  function_ref<bool(unsigned)> isReplaced;
  Builder builder;
  SizeList sizes;
};

} // namespace

DictionaryAttr launchWork(KernelOp kernel,
                          function_ref<bool(unsigned)> isReplaced) {
  if (llvm::any_of(kernel.getBody().getOps<ComputeOp>(), isTraversal))
    return nullptr;
  return WorkWriter(kernel, isReplaced).write();
}

DictionaryAttr packingWork(RankedTensorType input) {
  SizeList sizes(input.getContext());
  Builder builder(input.getContext());
  int64_t width = std::max(input.getElementTypeBitWidth() / 8, unsigned(1));
  Attribute bytes = sizes.elements(0, input, 2 * width).attribute(builder);
  // A list of bytes has pairs.
  if (isa<ArrayAttr>(bytes))
    bytes = builder.getArrayAttr(
        {builder.getArrayAttr({bytes, bytes}), builder.getI64IntegerAttr(0)});
  return sizes.work(bytes, builder.getDictionaryAttr({}));
}

} // namespace onnxc
