//===- MaskedElements.cpp - Elements that a mask hides ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Payloads are evaluated where elements are hidden: -infinity minus a number
// stays -infinity, its exponential is zero, and so is what that is multiplied
// by. Maxima ignore -infinity, sums ignore zeros.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"
#include "HiddenPart.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Sums of such numbers and indices fit the integers of devices.
static constexpr int64_t maxConstant = int64_t(1) << 30, maxFactor = int64_t(1)
                                                                     << 16;

bool LinearForm::operator==(const LinearForm &other) const {
  return factors == other.factors && constant == other.constant &&
         values.size() == other.values.size() &&
         llvm::all_of(values, [&](const auto &value) {
           return llvm::is_contained(other.values, value);
         });
}

std::optional<LinearForm> sumOf(LinearForm x, const LinearForm &y,
                                int64_t factor) {
  bool fits = true;
  auto addTo = [&](int64_t &sum, int64_t term, int64_t limit) {
    int64_t product;
    fits &= !llvm::MulOverflow(term, factor, product) &&
            !llvm::AddOverflow(sum, product, sum) && sum <= limit &&
            sum >= -limit;
  };
  addTo(x.constant, y.constant, maxConstant);
  for (const auto &[loop, count] : y.factors) {
    addTo(x.factors[loop], count, maxFactor);
    if (x.factors[loop] == 0)
      x.factors.erase(loop);
  }
  for (const auto &[value, count] : y.values) {
    auto *known = llvm::find_if(
        x.values, [&](const auto &other) { return other.first == value; });
    if (known == x.values.end())
      known = x.values.insert(known, {value, 0});
    addTo(known->second, count, maxFactor);
    if (known->second == 0)
      x.values.erase(known);
  }
  return fits ? std::optional(x) : std::nullopt;
}

LinearForms::LinearForms(ComputeOp op, OfArgument ofArgument) {
  for (BlockArgument argument : op.getBody()->getArguments())
    if (std::optional<LinearForm> known =
            ofArgument ? ofArgument(argument) : std::nullopt)
      forms[argument] = *known;
  for (Operation &inner : op.getBody()->without_terminator())
    add(inner);
}

std::optional<LinearForm> LinearForms::of(Value value) const {
  if (auto known = forms.find(value); known != forms.end())
    return known->second;
  // An input of the kernel, or the extent of a loop.
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getType().isIndex() &&
      isa<KernelOp>(argument.getOwner()->getParentOp()))
    return LinearForm{{}, 0, {{value, 1}}};
  std::optional<int64_t> number = getConstantIntValue(value);
  return number ? std::optional(LinearForm{{}, *number, {}}) : std::nullopt;
}

void LinearForms::add(Operation &inner) {
  if (auto index = dyn_cast<IndexOp>(inner)) {
    forms[index] = {{{index.getLoop().str(), 1}}, 0, {}};
    return;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp,
           arith::ExtSIOp>(inner))
    return;
  // Sums and products of fewer bits may wrap.
  Type type = inner.getResult(0).getType();
  if (!type.isIndex() &&
      type.getIntOrFloatBitWidth() < (isa<arith::IndexCastOp>(inner) ? 32 : 64))
    return;
  std::optional<LinearForm> x = of(inner.getOperand(0)), y, result = x;
  if (inner.getNumOperands() > 1) {
    y = of(inner.getOperand(1));
    if (!x || !y)
      return;
    if (!isa<arith::MulIOp>(inner)) {
      result = sumOf(*x, *y, isa<arith::AddIOp>(inner) ? 1 : -1);
    } else {
      auto isNumber = [](const LinearForm &form) {
        return form.factors.empty() && form.values.empty();
      };
      if (!isNumber(*x))
        std::swap(x, y);
      result =
          isNumber(*x) ? sumOf(LinearForm(), *y, x->constant) : std::nullopt;
    }
  }
  if (result)
    forms[inner.getResult(0)] = *result;
}

/// Returns true if the form is negative at no iteration.
static bool isNatural(const LinearForm &form) {
  return form.constant >= 0 && form.values.empty() &&
         llvm::all_of(form.factors,
                      [](const auto &term) { return term.second >= 0; });
}

/// A form that is not negative where the comparison of indices is true, and the
/// one for where it is false.
static std::optional<std::pair<LinearForm, LinearForm>>
formsOf(Value condition, const LinearForms &forms) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex())
    return std::nullopt;
  std::optional<LinearForm> x = forms.of(compare.getLhs()),
                            y = forms.of(compare.getRhs());
  if (!x || !y)
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  auto isOneOf = [&](ArrayRef<Predicate> some) {
    return llvm::is_contained(some, predicate);
  };
  bool isSigned = isOneOf(
           {Predicate::slt, Predicate::sle, Predicate::sgt, Predicate::sge}),
       isEquality = isOneOf({Predicate::eq, Predicate::ne}),
       isStrict = isOneOf(
           {Predicate::slt, Predicate::sgt, Predicate::ult, Predicate::ugt});
  if (isEquality || (!isSigned && (!isNatural(*x) || !isNatural(*y))))
    return std::nullopt;
  if (isOneOf({Predicate::slt, Predicate::sle, Predicate::ult, Predicate::ule}))
    std::swap(x, y);
  std::optional<LinearForm> whenTrue = sumOf(*x, *y, -1);
  if (whenTrue)
    whenTrue = sumOf(*whenTrue, {{}, 1, {}}, isStrict ? -1 : 0);
  std::optional<LinearForm> whenFalse;
  if (whenTrue)
    whenFalse = sumOf({{}, -1, {}}, *whenTrue, -1);
  if (!whenFalse)
    return std::nullopt;
  return std::pair(*whenTrue, *whenFalse);
}

/// Returns true if the condition says that the element is hidden, false if that
/// it is not; nothing where the forms are not those of the mask.
std::optional<bool>
MaskedElements::hiddenValueOf(Value condition, const LinearForms &forms) const {
  auto sides = formsOf(condition, forms);
  if (!sides)
    return std::nullopt;
  if (sides->first == hidden)
    return true;
  return sides->second == hidden ? std::optional(false) : std::nullopt;
}

static bool isMinusInfinity(Value value) {
  return matchPattern(value, m_NegInfFloat());
}

/// The loop that hidden elements are the last ones of, after ever more in the
/// next rows.
static std::string columnOf(const LinearForm &form) {
  bool hasRows = llvm::any_of(form.factors,
                              [](const auto &term) { return term.second < 0; });
  for (const auto &[loop, factor] : form.factors)
    if (hasRows && factor == 1)
      return loop;
  return {};
}

/// A choice between -infinity and something else, by indices.
bool MaskedElements::findMask(ComputeOp op) {
  if (op.getBody()->getOps<IndexOp>().empty())
    return false;
  LinearForms forms(op);
  for (auto choice : op.getBody()->getOps<arith::SelectOp>()) {
    bool whenTrue = isMinusInfinity(choice.getTrueValue());
    if (whenTrue == isMinusInfinity(choice.getFalseValue()))
      continue;
    auto sides = formsOf(choice.getCondition(), forms);
    if (!sides)
      continue;
    hidden = whenTrue ? sides->first : sides->second;
    along = columnOf(hidden);
    if (!along.empty())
      return true;
  }
  return false;
}

/// Returns true if each iteration reads what another op wrote at the same ones.
bool MaskedElements::readsAtLoops(ComputeOp op, OpOperand &operand) const {
  auto producer = operand.get().getDefiningOp<ComputeOp>();
  if (!producer)
    return false;
  OpOperand &made = *producer.getTiedOpOperand(cast<OpResult>(operand.get()));
  Subscripts written = producer.getSubscripts(made),
             read = op.getSubscripts(operand);
  SmallVector<StringRef> from = producer.getAxes(), to = op.getAxes();
  return written.size() == read.size() &&
         llvm::all_of(llvm::zip_equal(written, read), [&](auto pair) {
           auto [at, there] = pair;
           std::optional<unsigned> loop = at.getLoop(), other = there.getLoop();
           return loop && other ? from[*loop] == to[*other]
                                : isa<AffineConstantExpr>(at.index) &&
                                      at.index == there.index;
         });
}

/// Payloads use constants of the kernel, too.
static MaskedElements::State
knownState(const DenseMap<Value, MaskedElements::State> &states, Value value) {
  using State = MaskedElements::State;
  if (auto found = states.find(value); found != states.end())
    return found->second;
  if (isMinusInfinity(value))
    return State::MinusInfinity;
  return matchPattern(value, m_AnyZeroFloat()) ? State::Zero : State::Any;
}

MaskedElements::State
MaskedElements::stateOfChoice(arith::SelectOp choice, const LinearForms &forms,
                              const States &states) const {
  if (auto known = hiddenValueOf(choice.getCondition(), forms))
    return knownState(states,
                      *known ? choice.getTrueValue() : choice.getFalseValue());
  State one = knownState(states, choice.getTrueValue()),
        other = knownState(states, choice.getFalseValue());
  if (one == other)
    return one;
  // x, but another number where x is -infinity.
  auto compare = choice.getCondition().getDefiningOp<arith::CmpFOp>();
  bool isGuard = compare &&
                 compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                 compare.getLhs() == choice.getFalseValue() &&
                 isMinusInfinity(compare.getRhs()) && one == State::Zero;
  return isGuard ? State::Guarded : State::Any;
}

MaskedElements::State MaskedElements::stateOf(Operation &inner,
                                              const LinearForms &forms,
                                              const States &states) {
  auto is = [&](unsigned operand, State state) {
    return knownState(states, inner.getOperand(operand)) == state;
  };
  auto either = [&](State state) { return is(0, state) || is(1, state); };
  if (inner.hasTrait<OpTrait::ConstantLike>())
    return isMinusInfinity(inner.getResult(0)) ? State::MinusInfinity
           : matchPattern(inner.getResult(0), m_AnyZeroFloat()) ? State::Zero
                                                                : State::Any;
  if (auto choice = dyn_cast<arith::SelectOp>(inner))
    return stateOfChoice(choice, forms, states);
  if (isa<arith::ExtFOp, arith::TruncFOp>(inner))
    return knownState(states, inner.getOperand(0));
  if (isa<arith::AddFOp>(inner) && either(State::Accumulator))
    return either(State::Zero) ? State::Accumulator : State::Any;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(inner) &&
      either(State::Accumulator))
    return either(State::MinusInfinity) ? State::Accumulator : State::Any;
  if (isa<arith::AddFOp>(inner) && either(State::MinusInfinity))
    return State::MinusInfinity;
  if (isa<arith::SubFOp>(inner) && is(0, State::MinusInfinity)) {
    isUnguarded |= !is(1, State::Guarded);
    return State::MinusInfinity;
  }
  if (isa<math::ExpOp>(inner) && is(0, State::MinusInfinity))
    return State::Zero;
  // Rows that are hidden wholly may have infinity or 0 for these.
  if (isa<arith::MulFOp>(inner) && either(State::Zero)) {
    isUnguarded |= either(State::OfRow);
    return State::Zero;
  }
  if (isa<arith::DivFOp>(inner) && is(0, State::Zero)) {
    isUnguarded |= is(1, State::OfRow);
    return State::Zero;
  }
  bool isOfRow = llvm::any_of(inner.getOperands(), [&](Value operand) {
    return knownState(states, operand) == State::OfRow;
  });
  return isOfRow ? State::OfRow : State::Any;
}

/// The number that all elements of a tensor start with.
static MaskedElements::State stateOfStart(Value init) {
  auto start = init.getDefiningOp<ComputeOp>();
  if (!start)
    return MaskedElements::State::Any;
  unsigned number = cast<OpResult>(init).getResultNumber();
  Value value = start.getBody()->getTerminator()->getOperand(number);
  return knownState(DenseMap<Value, MaskedElements::State>(), value);
}

/// An op that merges parts of rows keeps its running values where all elements
/// of a part are hidden.
void MaskedElements::evaluateParts(ComputeOp op) {
  if (op.getNumReductionLoops() == 0 || isOrdered(op))
    return;
  HiddenPart part(op);
  for (OpOperand *input : op.getDpsInputOperands()) {
    State state = ofHiddenRows.lookup(input->get());
    if (state == State::MinusInfinity || state == State::Zero)
      part.set(op.getMatchingBlockArgument(input), state == State::Zero);
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    State state = stateOfStart(init.get());
    if (state == State::MinusInfinity || state == State::Zero)
      part.setStart(op.getMatchingBlockArgument(&init), state == State::Zero);
  }
  if (part.keepsRunningValues())
    neutral.insert(op);
}

void MaskedElements::evaluate(ComputeOp op) {
  if (!llvm::is_contained(op.getAxes(), along))
    return evaluateParts(op);
  if (op->getNumResults() != 1)
    return;
  bool reduces = dimOf(op, along) >= op.getNumParallelLoops();
  LinearForms forms(op);
  States states;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (reduces && op.isDpsInit(&operand))
      states[argument] = State::Accumulator;
    else if (operand.get().getDefiningOp<ComputeOp>() &&
             !Access(operand).dependsOn(dimOf(op, along)))
      states[argument] = State::OfRow;
    else if (readsAtLoops(op, operand))
      states[argument] = tensors.lookup(operand.get());
  }
  for (Operation &inner : op.getBody()->without_terminator())
    for (Value result : inner.getResults())
      states[result] = inner.getNumResults() == 1
                           ? stateOf(inner, forms, states)
                           : State::Any;
  State state =
      knownState(states, op.getBody()->getTerminator()->getOperand(0));
  if (!reduces) {
    tensors[op->getResult(0)] = state;
  } else if (state == State::Accumulator) {
    neutral.insert(op);
    ofHiddenRows[op->getResult(0)] = stateOfStart(op.getDpsInits().front());
  }
}

/// From the last op on: a result is needed where it is returned, where it is
/// read at other iterations, and where a reader does not replace it.
void MaskedElements::findUnneeded(KernelOp kernel) {
  SmallVector<ComputeOp> ops =
      llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  for (ComputeOp op : llvm::reverse(ops)) {
    if (!llvm::is_contained(op.getAxes(), along) ||
        dimOf(op, along) >= op.getNumParallelLoops() ||
        op->getNumResults() != 1)
      continue;
    bool isUnneeded =
        llvm::all_of(op->getResult(0).getUses(), [&](OpOperand &use) {
          auto reader = dyn_cast<ComputeOp>(use.getOwner());
          if (!reader || !readsAtLoops(reader, use))
            return false;
          if (neutral.contains(reader) || unneeded.contains(reader))
            return true;
          State state = reader->getNumResults() == 1
                            ? tensors.lookup(reader->getResult(0))
                            : State::Any;
          return state == State::MinusInfinity || state == State::Zero;
        });
    if (isUnneeded)
      unneeded.insert(op);
  }
}

std::optional<MaskedElements> MaskedElements::find(KernelOp kernel) {
  MaskedElements masked;
  auto ops = kernel.getBody().getOps<ComputeOp>();
  if (llvm::none_of(ops, [&](ComputeOp op) { return masked.findMask(op); }))
    return std::nullopt;
  for (ComputeOp op : ops)
    masked.evaluate(op);
  masked.findUnneeded(kernel);
  return masked;
}

} // namespace onnxc::krnl
