//===- HostSizes.cpp - Facts about host sizes -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostSizes.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

bool HostSize::operator==(const HostSize &other) const {
  if (tensor || other.tensor)
    return tensor == other.tensor && dim == other.dim;
  auto x = getConstantIntValue(number), y = getConstantIntValue(other.number);
  return number == other.number || (x && x == y);
}

//===----------------------------------------------------------------------===//
// Where sizes come from
//===----------------------------------------------------------------------===//

HostSize HostSizes::of(OpFoldResult number) {
  auto value = dyn_cast<Value>(number);
  auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  if (dim && dim.getConstantIndex())
    return ofTensor(dim.getSource(), *dim.getConstantIndex());
  return {number, {}};
}

/// The size of a branch's result, if both blocks yield the same: a tensor that
/// is expanded only where it is smaller.
std::optional<HostSize> HostSizes::ofBranch(Value tensor, int64_t dim) {
  auto branch = tensor.getDefiningOp<scf::IfOp>();
  if (!branch)
    return std::nullopt;
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  HostSize yes = ofTensor(branch.thenYield().getOperand(number), dim),
           no = ofTensor(branch.elseYield().getOperand(number), dim);
  Value what = no.tensor ? no.tensor : dyn_cast<Value>(no.number);
  if (what && branch->isAncestor(what.getParentBlock()->getParentOp()))
    return std::nullopt;
  SizeFacts facts(*this);
  facts.add(branch.getCondition());
  return facts.areEqual(yes, no) ? std::optional(no) : std::nullopt;
}

HostSize HostSizes::ofTensor(Value tensor, int64_t dim) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  auto known = found.find({tensor, dim});
  if (known != found.end())
    return known->second;
  HostSize size = find(tensor, dim);
  found.try_emplace({tensor, dim}, size);
  return size;
}

HostSize HostSizes::find(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return {Builder(type.getContext()).getIndexAttr(type.getDimSize(dim)), {}};
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return of(empty.getDynamicSize(dim));
  if (auto kernel = tensor.getDefiningOp<KernelOp>())
    return ofTensor(kernel.getOuts()[cast<OpResult>(tensor).getResultNumber()],
                    dim);
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>())
    if (ReassociationIndices group = collapse.getReassociationIndices()[dim];
        group.size() == 1)
      return ofTensor(collapse.getSrc(), group.front());
  if (std::optional<HostSize> size = ofBranch(tensor, dim))
    return *size;
  return {{}, tensor, dim};
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {
/// A sum of sizes with factors, and a constant.
struct LinearSize {
  SmallVector<std::pair<HostSize, int64_t>> terms;
  int64_t constant = 0;
  bool overflows = false;
  /// Sums of sums may have many more ways through them than operations; one
  /// with too many counts as one that overflows.
  unsigned steps = 256;

  void add(HostSizes &sizes, const HostSize &size, int64_t factor);
  /// Takes out a term that is the largest or smallest of two; null if there is
  /// none.
  std::pair<Operation *, int64_t> takeExtreme();
  /// Every term that is left is a size with a positive factor.
  bool isPositive() const;
};
} // namespace

void LinearSize::add(HostSizes &sizes, const HostSize &size, int64_t factor) {
  if (steps == 0 || overflows) {
    overflows = true;
    return;
  }
  --steps;
  if (std::optional<int64_t> known = getConstantIntValue(size.number)) {
    int64_t product = 0;
    overflows |= llvm::MulOverflow(*known, factor, product) ||
                 llvm::AddOverflow(constant, product, constant);
    return;
  }
  auto value = size.tensor ? Value() : cast<Value>(size.number);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  auto of = [&](unsigned i) {
    return sizes.of(getAsOpFoldResult(op->getOperand(i)));
  };
  if (isa_and_nonnull<arith::AddIOp>(op)) {
    add(sizes, of(0), factor);
    return add(sizes, of(1), factor);
  }
  if (isa_and_nonnull<arith::SubIOp>(op)) {
    add(sizes, of(0), factor);
    return add(sizes, of(1), -factor);
  }
  if (isa_and_nonnull<arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (auto known = getConstantIntValue(of(i).number)) {
        overflows |= llvm::MulOverflow(*known, factor, factor);
        return add(sizes, of(1 - i), factor);
      }
  auto *known = llvm::find_if(
      terms, [&](const auto &term) { return term.first == size; });
  if (known == terms.end())
    known = &terms.emplace_back(size, 0);
  overflows |= llvm::AddOverflow(known->second, factor, known->second);
}

std::pair<Operation *, int64_t> LinearSize::takeExtreme() {
  for (auto &[size, factor] : terms) {
    auto value = size.tensor ? Value() : cast<Value>(size.number);
    Operation *op = value ? value.getDefiningOp() : nullptr;
    if (factor != 0 && isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp>(op))
      return {op, std::exchange(factor, 0)};
  }
  return {nullptr, 0};
}

bool LinearSize::isPositive() const {
  return constant >= 0 && llvm::all_of(terms, [](const auto &term) {
           return term.second == 0 || (term.first.tensor && term.second > 0);
         });
}

/// max(a, b) is at least a, and at least b: where more of it is more, one of
/// them has to do. Where more of it is less, both have to; min the other way.
static bool isNeverNegative(HostSizes &sizes, LinearSize sum,
                            unsigned depth = 4) {
  auto [extreme, factor] = sum.takeExtreme();
  if (sum.overflows || depth == 0)
    return false;
  if (!extreme)
    return sum.isPositive();
  auto holdsWith = [&, factor = factor](Value either) {
    LinearSize instead = sum;
    instead.add(sizes, sizes.of(getAsOpFoldResult(either)), factor);
    return isNeverNegative(sizes, std::move(instead), depth - 1);
  };
  return isa<arith::MaxSIOp>(extreme) == (factor > 0)
             ? llvm::any_of(extreme->getOperands(), holdsWith)
             : llvm::all_of(extreme->getOperands(), holdsWith);
}

bool HostSizes::isAtLeast(const HostSize &x, const HostSize &y) {
  LinearSize difference;
  difference.add(*this, x, 1);
  difference.add(*this, y, -1);
  return isNeverNegative(*this, std::move(difference));
}

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

void SizeFacts::add(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    add(both.getLhs());
    add(both.getRhs());
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::eq)
    add(sizes.of(getAsOpFoldResult(compare.getLhs())),
        sizes.of(getAsOpFoldResult(compare.getRhs())));
}

bool SizeFacts::areEqual(const HostSize &x, const HostSize &y) const {
  if (x == y)
    return true;
  LinearSize difference;
  difference.add(sizes, x, 1);
  difference.add(sizes, y, -1);
  bool isNothing =
      difference.constant == 0 && !difference.overflows &&
      llvm::all_of(difference.terms, [](auto &t) { return t.second == 0; });
  if (isNothing)
    return true;
  // All sizes known to be equal to x.
  SmallVector<HostSize> same{x};
  for (size_t i = 0; i < same.size(); ++i)
    for (const auto &[a, b] : equal)
      for (auto [from, to] : {std::pair(&a, &b), std::pair(&b, &a)})
        if (*from == same[i] && !llvm::is_contained(same, *to)) {
          if (*to == y)
            return true;
          same.push_back(*to);
        }
  return false;
}

} // namespace onnxc::krnl
