//===- HiddenPart.cpp - Merging a part that a mask hides --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HiddenPart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc::krnl {

HiddenPart::Known HiddenPart::known(Value value) const {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  if (matchPattern(value, m_NegInfFloat()))
    return {Kind::MinusInfinity, value};
  return {matchPattern(value, m_AnyZeroFloat()) ? Kind::Zero : Kind::Unknown,
          value};
}

/// A sum that starts with zero is zero until its maximum, which starts with
/// -infinity, is a number: then the weight is 1.
bool HiddenPart::isUnchanged(const Known &weight, const Known &sum) const {
  auto of = startsAtZero.find(weight.of), start = startsAtZero.find(sum.of);
  return weight.kind == Kind::Weight && sum.kind == Kind::Running &&
         of != startsAtZero.end() && !of->second &&
         start != startsAtZero.end() && start->second;
}

HiddenPart::Known HiddenPart::evaluateSelect(Operation &inner) const {
  Known condition = known(inner.getOperand(0)),
        whenTrue = known(inner.getOperand(1)),
        otherwise = known(inner.getOperand(2));
  if (condition.kind == Kind::True)
    return whenTrue;
  bool isWeight = condition.kind == Kind::IsNone &&
                  whenTrue.kind == Kind::Zero && otherwise.kind == Kind::One &&
                  otherwise.of == condition.of;
  return isWeight ? Known{Kind::Weight, condition.of} : Known();
}

HiddenPart::Known HiddenPart::evaluate(Operation &inner) const {
  if (isa<arith::SelectOp>(inner))
    return evaluateSelect(inner);
  if (inner.getNumOperands() == 0 || inner.getNumOperands() > 2)
    return {};
  Known x = known(inner.getOperand(0)), y = known(inner.getOperands().back());
  if (auto compare = dyn_cast<arith::CmpFOp>(inner)) {
    bool isTest = compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                  matchPattern(compare.getRhs(), m_NegInfFloat());
    return isTest && x.kind == Kind::MinusInfinity ? Known{Kind::True, {}}
           : isTest && x.kind == Kind::Running     ? Known{Kind::IsNone, x.of}
                                                   : Known();
  }
  if (isa<math::ExpOp>(inner))
    return x.kind == Kind::NoDistance ? Known{Kind::One, x.of} : Known();
  if (isa<arith::SubFOp>(inner)) {
    bool isSame =
        x.kind == Kind::Running && y.kind == Kind::Running && x.of == y.of;
    return isSame ? Known{Kind::NoDistance, x.of} : Known();
  }
  // The others have operands in any order.
  for (auto [one, other] : {std::pair(x, y), {y, x}}) {
    bool isNeutral =
        (isa<arith::MaximumFOp>(inner) && one.kind == Kind::MinusInfinity) ||
        (isa<arith::AddFOp>(inner) && one.kind == Kind::Zero);
    if (isNeutral && other.kind == Kind::Running)
      return other;
    if (isa<arith::MulFOp>(inner) && one.kind == Kind::Zero)
      return one;
    if (isa<arith::MulFOp>(inner) && isUnchanged(one, other))
      return other;
  }
  return {};
}

bool HiddenPart::keepsRunningValues() {
  for (Operation &inner : op.getBody()->without_terminator())
    if (inner.getNumResults() == 1 && !inner.hasTrait<OpTrait::ConstantLike>())
      values[inner.getResult(0)] = evaluate(inner);
  auto running = op.getBody()->getArguments().take_back(op.getNumDpsInits());
  return llvm::all_of(
      llvm::zip_equal(running, op.getBody()->getTerminator()->getOperands()),
      [&](auto pair) {
        Known next = known(std::get<1>(pair));
        return next.kind == Kind::Running && next.of == std::get<0>(pair);
      });
}

} // namespace onnxc::krnl
