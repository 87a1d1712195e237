//===- ArithmeticContents.cpp - Arithmetic on small integers ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Propagates the elements of small integer and boolean tensors through the
// arithmetic that exporters compute shapes with.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;
using Elements = SmallVector<AffineExpr>;

/// Applies `combine` to elements that stand at the same position, null where
/// unknown; a single one stands at every position.
template <typename Combine>
static void zipElements(RuleNode &node, Value a, Value b, Combine combine) {
  auto left = node.contents(a), right = node.contents(b);
  if (!left || !right)
    return;
  // Shapes of more than one dimension may interleave when they broadcast.
  bool aligned =
      (node.rank(a) <= 1 && node.rank(b) <= 1) || node.dims(a) == node.dims(b);
  size_t size = std::max(left->size(), right->size());
  if (!aligned || (left->size() != size && left->size() != 1) ||
      (right->size() != size && right->size() != 1))
    return;
  if (left->empty() || right->empty())
    size = 0;
  Elements result;
  for (size_t i = 0; i < size; ++i)
    result.push_back(combine((*left)[left->size() == 1 ? 0 : i],
                             (*right)[right->size() == 1 ? 0 : i]));
  node.setContents(0, result);
}

/// The same for what says nothing where an operand is unknown.
template <typename Combine>
static void zipContents(RuleNode &node, Value a, Value b, Combine combine) {
  zipElements(node, a, b, [&](AffineExpr x, AffineExpr y) {
    return x && y ? combine(x, y) : AffineExpr();
  });
}

template <typename Map>
static void mapContents(RuleNode &node, Value input, Map map) {
  auto contents = node.contents(input);
  if (!contents)
    return;
  for (AffineExpr &element : *contents)
    element = element ? map(element) : AffineExpr();
  node.setContents(0, *contents);
}

/// Integer division in ONNX truncates, which is flooring for non-negative
/// operands.
static AffineExpr divide(DimSpace &space, AffineExpr a, AffineExpr b) {
  std::optional<int64_t> x = constantValue(a), y = constantValue(b);
  if (x && y) {
    bool overflows = *x == INT64_MIN && *y == -1;
    return *y == 0 || overflows ? AffineExpr() : space.constant(*x / *y);
  }
  if (!space.isNonNegative(a) || !space.isNonNegative(b))
    return {};
  // Sizes divide as shapes do; only a divisor that may be zero would not.
  return y ? space.floorDiv(a, b) : AffineExpr();
}

/// The sign follows the divisor, or with `fmod` the dividend.
static AffineExpr modulo(DimSpace &space, AffineExpr a, AffineExpr b,
                         bool fmod) {
  std::optional<int64_t> divisor = constantValue(b);
  if (!divisor || *divisor <= 0)
    return {};
  if (std::optional<int64_t> dividend = constantValue(a); fmod && dividend)
    return space.constant(*dividend % *divisor);
  if (fmod && !space.isNonNegative(a))
    return {};
  return space.sub(a, space.mul(b, space.floorDiv(a, b)));
}

/// A truth value as 0 or 1 if a and b are ordered alike in every run.
template <typename Test>
static AffineExpr compare(DimSpace &space, AffineExpr a, AffineExpr b,
                          Test test) {
  std::optional<int64_t> difference = constantValue(space.sub(a, b));
  if (!difference)
    return {};
  return space.constant(test(*difference) ? 1 : 0);
}

/// A size never equals a negative number, as in `Equal(shape, -1)`.
static AffineExpr equal(DimSpace &space, AffineExpr a, AffineExpr b) {
  auto isNegative = [](AffineExpr expr) {
    return constantValue(expr).value_or(0) < 0;
  };
  if ((isNegative(a) && space.isNonNegative(b)) ||
      (isNegative(b) && space.isNonNegative(a)))
    return space.constant(0);
  return compare(space, a, b, [](int64_t d) { return d == 0; });
}

/// One operand may decide alone: false and x is false, true or x is true.
static AffineExpr logical(DimSpace &space, AffineExpr a, AffineExpr b,
                          bool isAnd) {
  std::optional<int64_t> x = constantValue(a), y = constantValue(b);
  for (std::optional<int64_t> known : {x, y})
    if (known && (*known != 0) != isAnd)
      return space.constant(!isAnd);
  return x && y ? space.constant(isAnd) : AffineExpr();
}

/// where({1, 0}, {a, b}, {c, d}) -> {a, d}
static void select(RuleNode &node, WhereOp op) {
  auto condition = node.contents(op.getCondition());
  auto yes = node.contents(op.getX()), no = node.contents(op.getY());
  if (!condition || !yes || !no || node.rank(op.getCondition()) > 1 ||
      node.rank(op.getX()) > 1 || node.rank(op.getY()) > 1)
    return;
  size_t size = std::max({condition->size(), yes->size(), no->size()});
  for (auto *part : {&*condition, &*yes, &*no}) {
    if (part->size() == 1)
      part->assign(size, AffineExpr(part->front()));
    if (part->size() != size)
      return;
  }
  Elements result;
  for (size_t i = 0; i < size; ++i) {
    std::optional<int64_t> known = constantValue((*condition)[i]);
    bool same = (*yes)[i] == (*no)[i];
    result.push_back(known  ? (*known ? (*yes)[i] : (*no)[i])
                     : same ? (*yes)[i]
                            : AffineExpr());
  }
  node.setContents(0, result);
}

/// Values of the attribute `to`, as ONNX numbers element types.
static constexpr int64_t toInt32 = 6, toInt64 = 7, toBool = 9;

/// cast between integers keeps values that fit; to bool it is x != 0.
static void cast(RuleNode &node, CastOp op) {
  auto from = dyn_cast<TensorType>(node.analysis.type(op.getInput()));
  if (!from || !from.getElementType().isInteger())
    return;
  int64_t to = op.getTo();
  if (to == toInt64 || to == toInt32)
    mapContents(node, op.getInput(), [](AffineExpr e) { return e; });
  else if (to == toBool)
    mapContents(node, op.getInput(), [&](AffineExpr e) {
      std::optional<int64_t> number = constantValue(e);
      return number ? node.constantExpr(*number != 0) : AffineExpr();
    });
}

/// reduce_prod({a, b}) -> {a * b}, over a whole vector
template <typename Combine>
static void reduce(RuleNode &node, Value data, Value axes, Combine combine) {
  auto contents = node.contents(data);
  if (!contents || contents->empty() || node.rank(data) != 1)
    return;
  if (axes && !node.constants(axes))
    return;
  if (axes && node.constants(axes)->empty())
    return;
  AffineExpr result = contents->front();
  for (AffineExpr element : ArrayRef(*contents).drop_front())
    result = result && element ? combine(result, element) : AffineExpr();
  node.setContents(0, {result});
}

/// Arithmetic of two operands, element by element.
static void inferArithmetic(RuleNode &node) {
  DimSpace &space = node.space;
  auto with = [&](auto combine) {
    zipContents(node, node.op->getOperand(0), node.op->getOperand(1),
                [&](AffineExpr a, AffineExpr b) { return combine(a, b); });
  };
  llvm::TypeSwitch<Operation *>(node.op)
      .Case(
          [&](AddOp) { with([&](auto a, auto b) { return space.add(a, b); }); })
      .Case(
          [&](SubOp) { with([&](auto a, auto b) { return space.sub(a, b); }); })
      .Case(
          [&](MulOp) { with([&](auto a, auto b) { return space.mul(a, b); }); })
      .Case(
          [&](MaxOp) { with([&](auto a, auto b) { return space.max(a, b); }); })
      .Case(
          [&](MinOp) { with([&](auto a, auto b) { return space.min(a, b); }); })
      .Case([&](DivOp) {
        with([&](auto a, auto b) { return divide(space, a, b); });
      })
      .Case([&](ModOp op) {
        with([&](auto a, auto b) {
          return modulo(space, a, b, op.getFmod() != 0);
        });
      });
}

/// Comparisons, by the difference of the operands, and logic.
static void inferLogic(RuleNode &node) {
  DimSpace &space = node.space;
  auto with = [&](auto combine) {
    zipContents(node, node.op->getOperand(0), node.op->getOperand(1), combine);
  };
  auto comparing = [&](auto test) {
    with([&space, test](AffineExpr a, AffineExpr b) {
      return compare(space, a, b, test);
    });
  };
  auto deciding = [&](bool isAnd) {
    zipElements(node, node.op->getOperand(0), node.op->getOperand(1),
                [&](AffineExpr a, AffineExpr b) {
                  return logical(space, a, b, isAnd);
                });
  };
  llvm::TypeSwitch<Operation *>(node.op)
      .Case([&](LessOp) { comparing([](int64_t d) { return d < 0; }); })
      .Case([&](LessOrEqualOp) { comparing([](int64_t d) { return d <= 0; }); })
      .Case([&](GreaterOp) { comparing([](int64_t d) { return d > 0; }); })
      .Case([&](GreaterOrEqualOp) {
        comparing([](int64_t d) { return d >= 0; });
      })
      .Case([&](EqualOp) {
        with([&](auto a, auto b) { return equal(space, a, b); });
      })
      .Case([&](AndOp) { deciding(true); })
      .Case([&](OrOp) { deciding(false); });
}

void onnxc::onnx::inferArithmeticContents(RuleNode &node) {
  DimSpace &space = node.space;
  if (node.op->getNumOperands() == 2) {
    inferArithmetic(node);
    inferLogic(node);
  }
  llvm::TypeSwitch<Operation *>(node.op)
      .Case([&](NegOp op) {
        mapContents(node, op.getX(), [&](AffineExpr e) {
          return space.mul(e, space.constant(-1));
        });
      })
      .Case([&](AbsOp op) {
        mapContents(node, op.getX(), [&](AffineExpr e) {
          return space.isNonNegative(e) ? e : AffineExpr();
        });
      })
      .Case([&](NotOp op) {
        mapContents(node, op.getX(), [&](AffineExpr e) {
          std::optional<int64_t> truth = constantValue(e);
          return truth ? space.constant(*truth == 0) : AffineExpr();
        });
      })
      .Case([&](WhereOp op) { select(node, op); })
      .Case([&](CastOp op) { cast(node, op); })
      .Case([&](ReduceProdOp op) {
        reduce(node, op.getData(), op.getAxes(),
               [&](auto a, auto b) { return space.mul(a, b); });
      })
      .Case([&](ReduceSumOp op) {
        reduce(node, op.getData(), op.getAxes(),
               [&](auto a, auto b) { return space.add(a, b); });
      })
      .Case([&](ReduceMaxOp op) {
        reduce(node, op.getData(), op.getAxes(),
               [&](auto a, auto b) { return space.max(a, b); });
      })
      .Case([&](ReduceMinOp op) {
        reduce(node, op.getData(), op.getAxes(),
               [&](auto a, auto b) { return space.min(a, b); });
      });
}
