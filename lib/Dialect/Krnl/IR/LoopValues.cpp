//===- LoopValues.cpp - Values of the loops of an op ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The value of a loop that steps replaced. Loops that were fused divide the
// value of the fusion, and blocks of it often end where an inner loop does: no
// division is left then, and elements that are adjacent along a block are so
// along the inner loop.
//
//===----------------------------------------------------------------------===//

#include "LoopValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

/// The first loop of those that replaced `number` for the op: one made for the
/// op alone wins over one that others got later.
unsigned LoopNest::childOf(unsigned op, unsigned number) const {
  std::optional<unsigned> common;
  for (unsigned child : allLoops[number].children) {
    if (allLoops[child].onlyOp == int(op))
      return child;
    if (allLoops[child].onlyOp < 0)
      common = child;
  }
  assert(common && "a loop of the op is live, blocked or fused");
  return *common;
}

namespace {
/// An expression that is at least 0, times a number.
struct Term {
  int64_t factor;
  AffineExpr value;
};

/// Quotient and remainder of an expression over the loops of a nest, all of
/// which begin at 0.
class Division {
public:
  Division(const LoopNest &nest, AffineExpr dividend, int64_t divisor);

  AffineExpr quotient() const {
    return sum(multiples, unit).floorDiv(divisor / unit);
  }
  AffineExpr remainder() const {
    return sum(multiples, unit) % (divisor / unit) * unit + sum(rest, 1);
  }

private:
  void addTerms(AffineExpr expr, int64_t factor);
  std::optional<int64_t> bound(AffineExpr expr) const;
  bool isBelow(ArrayRef<Term> terms, int64_t end) const;
  AffineExpr sum(ArrayRef<Term> terms, int64_t unit) const;

  const LoopNest &nest;
  /// Multiples of a divisor of the divisor, and what is less than it.
  SmallVector<Term> multiples, rest;
  int64_t divisor, unit = 1;
};
} // namespace

/// The terms with the largest factors are multiples of a number that divides
/// the divisor, and the others less than it: they stay in the remainder. The
/// fewest such terms leave the largest number.
Division::Division(const LoopNest &nest, AffineExpr dividend, int64_t divisor)
    : nest(nest), divisor(divisor) {
  addTerms(dividend, 1);
  llvm::sort(multiples,
             [](const Term &a, const Term &b) { return a.factor > b.factor; });
  int64_t common = divisor;
  size_t count = 0;
  while (!isBelow(ArrayRef(multiples).drop_front(count), common))
    common = std::gcd(common, multiples[count++].factor);
  unit = common;
  llvm::append_range(rest, ArrayRef(multiples).drop_front(count));
  multiples.truncate(count);
}

void Division::addTerms(AffineExpr expr, int64_t factor) {
  if (auto both = dyn_cast<AffineBinaryOpExpr>(expr)) {
    auto number = dyn_cast<AffineConstantExpr>(both.getRHS());
    if (both.getKind() == AffineExprKind::Add) {
      addTerms(both.getLHS(), factor);
      return addTerms(both.getRHS(), factor);
    }
    if (both.getKind() == AffineExprKind::Mul && number &&
        number.getValue() > 0)
      return addTerms(both.getLHS(), factor * number.getValue());
  }
  multiples.push_back({factor, expr});
}

/// The largest value of an expression that is known to have one.
std::optional<int64_t> Division::bound(AffineExpr expr) const {
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    const Loop &which = nest.loop(loop.getPosition());
    return which.isDynamic() ? std::nullopt : std::optional(which.extent - 1);
  }
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  auto number =
      both ? dyn_cast<AffineConstantExpr>(both.getRHS()) : AffineConstantExpr();
  if (number && both.getKind() == AffineExprKind::Mod)
    return number.getValue() - 1;
  std::optional<int64_t> of = number ? bound(both.getLHS()) : std::nullopt;
  if (of && both.getKind() == AffineExprKind::FloorDiv)
    return *of / number.getValue();
  return std::nullopt;
}

bool Division::isBelow(ArrayRef<Term> terms, int64_t end) const {
  int64_t largest = 0, part;
  for (const Term &term : terms) {
    std::optional<int64_t> maxTerm = bound(term.value);
    if (!maxTerm || llvm::MulOverflow(*maxTerm, term.factor, part) ||
        llvm::AddOverflow(largest, part, largest))
      return false;
  }
  return largest < end;
}

AffineExpr Division::sum(ArrayRef<Term> terms, int64_t unit) const {
  AffineExpr all = getAffineConstantExpr(0, nest.getContext());
  for (const Term &term : terms)
    all = all + term.value * (term.factor / unit);
  return all;
}

LoopValues::LoopValues(const LoopNest &nest, unsigned op) : nest(nest), op(op) {
  if (!nest.knownValues)
    own.resize(nest.loops().size());
  known = nest.knownValues ? MutableArrayRef((*nest.knownValues)[op])
                           : MutableArrayRef(own);
}

AffineExpr LoopValues::find(unsigned number) {
  if (nest.op(op).find(number))
    return getAffineDimExpr(number, nest.getContext());
  unsigned child = nest.childOf(op, number);
  const Loop &loop = nest.loop(child);
  AffineExpr value = of(child);
  // The loop inside the blocks was made just after that over them.
  if (loop.kind == Loop::Kind::BlockOuter)
    return value * loop.blockSize + of(child + 1);
  bool isOuter = loop.parents[0] == number;
  AffineExpr innerExtent = nest.extentExpr(loop.parents[1]);
  auto divisor = dyn_cast<AffineConstantExpr>(innerExtent);
  if (!divisor || divisor.getValue() < 1)
    return isOuter ? value.floorDiv(innerExtent) : value % innerExtent;
  Division division(nest, value, divisor.getValue());
  return isOuter ? division.quotient() : division.remainder();
}

AffineExpr LoopNest::valueExpr(unsigned op, unsigned number) const {
  return LoopValues(*this, op).of(number);
}

AffineExpr LoopNest::axisExpr(unsigned op, unsigned dim) const {
  return valueExpr(op, bodyOps[op].axes[dim]);
}

AffineExpr LoopNest::extentExpr(unsigned number) const {
  const Loop &loop = allLoops[number];
  if (!loop.isDynamic())
    return getAffineConstantExpr(loop.extent, context);
  switch (loop.kind) {
  case Loop::Kind::Axis:
    return getAffineSymbolExpr(number, context);
  case Loop::Kind::BlockOuter:
    return extentExpr(loop.parents[0]).ceilDiv(loop.blockSize);
  case Loop::Kind::BlockInner:
    return getAffineConstantExpr(loop.blockSize, context);
  case Loop::Kind::Fused:
    return extentExpr(loop.parents[0]) * extentExpr(loop.parents[1]);
  }
  llvm_unreachable("all kinds handled");
}

} // namespace onnxc::krnl
