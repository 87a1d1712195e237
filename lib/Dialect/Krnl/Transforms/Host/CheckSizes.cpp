//===- CheckSizes.cpp - Kernels stay within their operands ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The positions that a structured op reads are affine in its loops, so that the
// last one follows from the extents. Where these or the size of the operand are
// dynamic, the host compares them before the kernel is launched. Reads of a
// payload at computed indices are checked by their lowerings.
//
// The bytes of tensors with several dynamic sizes are checked as well.
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"
#include "HostSizes.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLCHECKSIZESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// The checks of one kernel.
class SizeChecker {
public:
  SizeChecker(KernelOp kernel, HostSizes &sizes, SizeFacts &facts)
      : kernel(kernel), sizes(sizes), facts(facts), b(kernel),
        index(b, kernel.getLoc()) {}

  /// Checks each dimension that the structured ops read or write.
  void check();

private:
  void checkExtent(unsigned loop);
  void checkOperand(ComputeOp op, OpOperand &operand);
  void checkDim(ComputeOp op, const Subscript &at, const HostSize &size);
  void checkEnd(ComputeOp op, AffineExpr at, const HostSize &size);
  void require(Value fits, Value size, Value other);

  std::optional<HostSize> sizeInside(Value tensor, int64_t dim);
  HostSize extentOf(ComputeOp op, unsigned dim);
  /// The index at which an access ends: the largest if `last`, the smallest
  /// otherwise.
  OpFoldResult endOf(ComputeOp op, AffineExpr at, bool last);

  Value valueOf(const HostSize &size);
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, kernel.getLoc(), predicate, x, y);
  }

  KernelOp kernel;
  HostSizes &sizes;
  SizeFacts &facts;
  OpBuilder b;
  IndexBuilder index;
  /// The checked operand of the kernel and its dimension.
  std::pair<Value, int64_t> current;
};

} // namespace

//===----------------------------------------------------------------------===//
// Sizes and ends
//===----------------------------------------------------------------------===//

Value SizeChecker::valueOf(const HostSize &size) {
  if (size.tensor)
    return tensor::DimOp::create(b, kernel.getLoc(), size.tensor, size.dim);
  return index.value(size.number);
}

/// The size of a tensor in the body; nothing for one of no operand's size.
std::optional<HostSize> SizeChecker::sizeInside(Value tensor, int64_t dim) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return sizes.ofTensor(kernel->getOperand(argument.getArgNumber()), dim);
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return HostSize{b.getIndexAttr(type.getDimSize(dim)), {}};
  if (auto op = tensor.getDefiningOp<ComputeOp>())
    return sizeInside(
        op.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber())->get(),
        dim);
  auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
  auto like = empty ? empty.getDynamicSize(dim).getDefiningOp<tensor::DimOp>()
                    : nullptr;
  if (like && like.getConstantIndex())
    return sizeInside(like.getSource(), *like.getConstantIndex());
  return std::nullopt;
}

HostSize SizeChecker::extentOf(ComputeOp op, unsigned dim) {
  unsigned loop = *kernel.findLoop(op.getAxes()[dim]);
  return sizes.of(kernel.getExtent(loop));
}

OpFoldResult SizeChecker::endOf(ComputeOp op, AffineExpr at, bool last) {
  if (auto constant = dyn_cast<AffineConstantExpr>(at))
    return index.number(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(at))
    return last ? index.sub(valueOf(extentOf(op, dim.getPosition())),
                            index.number(1))
                : index.number(0);
  auto binary = cast<AffineBinaryOpExpr>(at);
  AffineExpr x = binary.getLHS();
  if (at.getKind() == AffineExprKind::Add)
    return index.add(endOf(op, x, last), endOf(op, binary.getRHS(), last));
  int64_t y = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  OpFoldResult by = index.number(y);
  switch (at.getKind()) {
  case AffineExprKind::Mul:
    return index.mul(endOf(op, x, last == (y >= 0)), by);
  case AffineExprKind::FloorDiv:
    return index.floorDiv(endOf(op, x, last), by);
  case AffineExprKind::CeilDiv:
    return index.ceilDiv(endOf(op, x, last), by);
  default:
    return index.number(last ? y - 1 : 0); // a remainder
  }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// "'x'" for an input of the model, "an operand" for a computed value.
static std::string nameOf(Value hostTensor) {
  while (auto cast = hostTensor.getDefiningOp<tensor::CastOp>())
    hostTensor = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(hostTensor);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  auto name = function ? function.getArgAttrOfType<StringAttr>(
                             argument.getArgNumber(), "onnx.name")
                       : StringAttr();
  return name ? "'" + name.str() + "'" : "an operand";
}

void SizeChecker::require(Value fits, Value size, Value other) {
  CheckOp::create(b, kernel.getLoc(), fits,
                  "the size of dimension " + std::to_string(current.second) +
                      " of " + nameOf(current.first) + " does not fit",
                  ValueRange{size, other});
}

/// A loop that covers the dimension is as long as it.
void SizeChecker::checkDim(ComputeOp op, const Subscript &at,
                           const HostSize &size) {
  // Elements outside of a range are not read; the range is in the dimension.
  if (at.range)
    return;
  std::optional<unsigned> loop = at.getLoop();
  if (!loop)
    return checkEnd(op, at.index, size);
  HostSize extent = extentOf(op, *loop);
  if (facts.areEqual(size, extent))
    return;
  Value found = valueOf(size), wanted = valueOf(extent);
  require(compare(arith::CmpIPredicate::eq, found, wanted), found, wanted);
  facts.add(size, extent);
}

/// Anything else ends inside of it, unless a loop has no iteration.
void SizeChecker::checkEnd(ComputeOp op, AffineExpr at, const HostSize &size) {
  OpFoldResult needed = index.add(endOf(op, at, true), index.number(1));
  if (sizes.isAtLeast(size, sizes.of(needed)))
    return;
  Value found = valueOf(size), end = index.value(needed),
        zero = index.value(index.number(0));
  Value fits = compare(arith::CmpIPredicate::sge, found, end);
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    HostSize extent = extentOf(op, dim);
    if (!extent.tensor && getConstantIntValue(extent.number).value_or(0) > 0)
      continue;
    fits = b.createOrFold<arith::OrIOp>(
        kernel.getLoc(), fits,
        compare(arith::CmpIPredicate::eq, valueOf(extent), zero));
  }
  require(fits, found, end);
}

/// Returns true if loop `name` covers a dimension of an operand.
static bool coversOperand(KernelOp kernel, StringRef name) {
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    for (OpOperand &operand : op->getOpOperands())
      if (isa<BlockArgument>(operand.get()) &&
          llvm::is_contained(op.getLoopsAlong(operand), name))
        return true;
  return false;
}

/// An extent that is the size of no operand may have come out negative.
void SizeChecker::checkExtent(unsigned loop) {
  HostSize extent = sizes.of(kernel.getExtent(loop));
  if (sizes.isAtLeast(extent, {b.getIndexAttr(0), {}}) ||
      coversOperand(kernel, kernel.getLoop(loop).getName()))
    return;
  makeCheck(b, kernel.getLoc(),
            compare(arith::CmpIPredicate::sge, valueOf(extent),
                    index.value(index.number(0))),
            "a size is negative or too large", valueOf(extent), "{}");
}

void SizeChecker::checkOperand(ComputeOp op, OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !isAccessed(operand))
    return;
  for (auto [dim, at] : llvm::enumerate(op.getSubscripts(operand)))
    if (std::optional<HostSize> size = sizeInside(operand.get(), dim)) {
      auto argument = dyn_cast<BlockArgument>(operand.get());
      current = {argument ? kernel->getOperand(argument.getArgNumber())
                          : operand.get(),
                 dim};
      checkDim(op, at, *size);
    }
}

void SizeChecker::check() {
  for (unsigned loop : llvm::seq<unsigned>(kernel.getLoops().size()))
    if (kernel.getLoop(loop).isDynamic())
      checkExtent(loop);
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    for (OpOperand &operand : op->getOpOperands())
      checkOperand(op, operand);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// Tensors with several dynamic sizes that no single tensor has: their product
/// is checked where the tensor is made, once for the same sizes. Ops that
/// collapse the dimensions then need no check.
class ProductChecker {
public:
  explicit ProductChecker(HostSizes &sizes) : sizes(sizes) {}

  void check(tensor::EmptyOp empty);

  /// For facts that hold in a region only.
  size_t mark() const { return order.size(); }
  void forgetSince(size_t mark) {
    for (; order.size() > mark; order.pop_back())
      checked[order.back().first] = order.back().second;
  }

private:
  /// Numbers by address, sizes of dimensions by that of the tensor, and numbers
  /// that turn out to be constant by their value.
  using Key = std::vector<std::pair<const void *, int64_t>>;
  /// Empty where the product is known to be small enough.
  Key keyOf(tensor::EmptyOp empty);

  HostSizes &sizes;
  /// The most bytes that were checked for one element of these dimensions, and
  /// what that was before.
  std::map<Key, int64_t> checked;
  SmallVector<std::pair<Key, int64_t>> order;
};

} // namespace

/// Known sizes of so many bytes are far below the limit of a word, together
/// with a product that was checked.
static constexpr int64_t fewBytes = int64_t(1) << 16;

/// The bytes of the known sizes alone, at least `fewBytes`.
static int64_t knownBytes(tensor::EmptyOp empty) {
  return std::max(boundedBytes(empty.getType()).value_or(INT64_MAX), fewBytes);
}

ProductChecker::Key ProductChecker::keyOf(tensor::EmptyOp empty) {
  Key key;
  bool isOfOne = true;
  for (Value value : empty.getDynamicSizes()) {
    HostSize size = sizes.of(value);
    auto constant =
        size.tensor ? std::nullopt : getConstantIntValue(size.number);
    if (constant) {
      isOfOne = false;
      key.push_back({nullptr, *constant});
      continue;
    }
    const void *source = size.tensor
                             ? size.tensor.getAsOpaquePointer()
                             : cast<Value>(size.number).getAsOpaquePointer();
    isOfOne &= size.tensor && (key.empty() || key.front().first == source);
    key.push_back({source, size.dim});
  }
  llvm::sort(key);
  bool isRepeated = std::adjacent_find(key.begin(), key.end()) != key.end();
  bool isSmall = knownBytes(empty) == fewBytes;
  if (isSmall && (key.size() < 2 || (isOfOne && !isRepeated)))
    key.clear();
  return key;
}

void ProductChecker::check(tensor::EmptyOp empty) {
  Key key = keyOf(empty);
  int64_t known = knownBytes(empty), &before = checked[key];
  if (key.empty() || known <= before)
    return;
  order.push_back({key, std::exchange(before, known)});
  OpBuilder b(empty);
  RankedTensorType type = empty.getType();
  checkBytes(b, empty.getLoc(),
             MemRefType::get(type.getShape(), type.getElementType()),
             empty.getDynamicSizes());
}

namespace {
struct KrnlCheckSizes : public impl::KrnlCheckSizesPassBase<KrnlCheckSizes> {
  void runOnOperation() override {
    HostSizes sizes;
    SizeFacts facts(sizes);
    ProductChecker products(sizes);
    checkInside(getOperation(), sizes, facts, products);
  }

  /// Earlier checks hold in regions, too, but not those of regions after them.
  void checkInside(Operation *op, HostSizes &sizes, SizeFacts &facts,
                   ProductChecker &products) {
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        size_t before = facts.mark(), productsBefore = products.mark();
        for (Operation &inner : block) {
          if (auto check = dyn_cast<CheckOp>(inner))
            facts.add(check.getCondition());
          else if (auto kernel = dyn_cast<KernelOp>(inner))
            SizeChecker(kernel, sizes, facts).check();
          else if (auto empty = dyn_cast<tensor::EmptyOp>(inner))
            products.check(empty);
          else
            checkInside(&inner, sizes, facts, products);
        }
        facts.forgetSince(before);
        products.forgetSince(productsBefore);
      }
  }
};
} // namespace

} // namespace onnxc::krnl
