//===- DimSpace.cpp - Canonical expressions over dimensions ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/DimSpace.h"

#include "DimPolynomial.h"

using namespace mlir;
using namespace onnxc::onnx;

std::optional<int64_t> onnxc::onnx::constantValue(AffineExpr expr) {
  if (auto constant = dyn_cast_or_null<AffineConstantExpr>(expr))
    return constant.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

AffineExpr DimSpace::constant(int64_t value) const {
  return getAffineConstantExpr(value, context);
}

std::string DimSpace::uniqueName(StringRef base) {
  std::string name = base.str();
  for (unsigned n = 0; byName.contains(name); ++n)
    name = (base + "_" + Twine(n)).str();
  return name;
}

AffineExpr DimSpace::addSymbol(DimSymbol symbol) {
  unsigned position = symbols.size();
  byName[symbol.name] = position;
  AffineExpr expr = getAffineSymbolExpr(position, context);
  byText[symbol.name] = expr;
  symbols.push_back(std::move(symbol));
  return expr;
}

AffineExpr DimSpace::input(StringRef name, Value value, unsigned dim) {
  auto found = byName.find(name);
  if (found != byName.end() &&
      symbols[found->second].kind == DimSymbol::Kind::Input)
    return getAffineSymbolExpr(found->second, context);
  return addSymbol({DimSymbol::Kind::Input, uniqueName(name), value, dim, {}});
}

AffineExpr DimSpace::result(Value value, unsigned dim) {
  auto [entry, isNew] = byResult.try_emplace({value, dim}, symbols.size());
  if (!isNew)
    return getAffineSymbolExpr(entry->second, context);
  std::string name = uniqueName("u" + std::to_string(byResult.size() - 1));
  return addSymbol({DimSymbol::Kind::Result, std::move(name), value, dim, {}});
}

AffineExpr DimSpace::element(Value value, unsigned index) {
  auto [entry, isNew] = byElement.try_emplace({value, index}, symbols.size());
  if (!isNew)
    return getAffineSymbolExpr(entry->second, context);
  std::string name = uniqueName("v" + std::to_string(byElement.size() - 1));
  return addSymbol(
      {DimSymbol::Kind::Element, std::move(name), value, index, {}});
}

AffineExpr DimSpace::defined(DimSymbol::Kind kind, StringRef name, AffineExpr a,
                             AffineExpr b) {
  unsigned size = sizeOf(a) + sizeOf(b);
  if (size > maxSize)
    return {};
  std::string text =
      (name + "(" + print(a, 0) + ", " + print(b, 0) + ")").str();
  auto found = byName.find(text);
  if (found != byName.end())
    return getAffineSymbolExpr(found->second, context);
  return addSymbol({kind, std::move(text), Value(), 0, {a, b}, size});
}

unsigned DimSpace::sizeOf(AffineExpr expr) const {
  unsigned size = 0;
  expr.walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      size += symbols[symbol.getPosition()].size;
    else
      size += isa<AffineConstantExpr>(part);
  });
  return size;
}

AffineExpr
DimSpace::toExpr(const std::optional<DimPolynomial> &polynomial) const {
  if (!polynomial || polynomial->getTerms().size() > maxSize)
    return {};
  AffineExpr expr = polynomial->toExpr(context);
  return sizeOf(expr) > maxSize ? AffineExpr() : expr;
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

AffineExpr DimSpace::add(AffineExpr a, AffineExpr b) {
  if (!a || !b)
    return {};
  std::optional<DimPolynomial> sum = DimPolynomial::get(a);
  std::optional<DimPolynomial> right = DimPolynomial::get(b);
  if (!sum || !right || !sum->add(*right, 1))
    return {};
  return toExpr(sum);
}

AffineExpr DimSpace::sub(AffineExpr a, AffineExpr b) {
  return add(a, mul(b, constant(-1)));
}

AffineExpr DimSpace::mul(AffineExpr a, AffineExpr b) {
  if (!a || !b)
    return {};
  std::optional<DimPolynomial> left = DimPolynomial::get(a);
  std::optional<DimPolynomial> right = DimPolynomial::get(b);
  if (!left || !right)
    return {};
  return left->getTerms().size() * right->getTerms().size() > maxSize
             ? AffineExpr()
             : toExpr(left->times(*right));
}

AffineExpr DimSpace::floorDiv(AffineExpr a, AffineExpr b) {
  if (!a || !b)
    return {};
  std::optional<int64_t> divisor = constantValue(b);
  if (!divisor)
    return defined(DimSymbol::Kind::FloorDiv, "floordiv", a, b);
  if (*divisor == 0 || *divisor == INT64_MIN)
    return {};
  if (*divisor < 0)
    return floorDiv(mul(a, constant(-1)), constant(-*divisor));
  std::optional<DimPolynomial> dividend = DimPolynomial::get(a);
  if (!dividend)
    return {};
  return toExpr(dividend->floorDiv(*divisor, context));
}

AffineExpr DimSpace::ceilDiv(AffineExpr a, int64_t b) {
  return floorDiv(add(a, constant(b - 1)), constant(b));
}

AffineExpr DimSpace::exactDiv(AffineExpr a, AffineExpr b) {
  if (!a || !b)
    return {};
  std::optional<DimPolynomial> dividend = DimPolynomial::get(a);
  std::optional<DimPolynomial> divisor = DimPolynomial::get(b);
  if (dividend && divisor)
    if (std::optional<DimPolynomial> quotient = dividend->exactDiv(*divisor))
      return toExpr(quotient);
  return floorDiv(a, b);
}

AffineExpr DimSpace::max(AffineExpr a, AffineExpr b) {
  AffineExpr difference = sub(a, b);
  if (!difference)
    return {};
  if (isNonNegative(difference))
    return a;
  if (isNonNegative(sub(b, a)))
    return b;
  return defined(DimSymbol::Kind::Max, "max", a, b);
}

AffineExpr DimSpace::min(AffineExpr a, AffineExpr b) {
  AffineExpr difference = sub(a, b);
  if (!difference)
    return {};
  if (isNonNegative(difference))
    return b;
  if (isNonNegative(sub(b, a)))
    return a;
  return defined(DimSymbol::Kind::Min, "min", a, b);
}

/// Returns true if `expr` is min(whole, c) or min(c, whole) for a constant c >
/// 1.
bool DimSpace::isCutBelow(AffineExpr expr, AffineExpr whole) const {
  auto symbol = dyn_cast<AffineSymbolExpr>(expr);
  if (!symbol || symbols[symbol.getPosition()].kind != DimSymbol::Kind::Min)
    return false;
  ArrayRef<AffineExpr> args = symbols[symbol.getPosition()].args;
  return (args[0] == whole && constantValue(args[1]).value_or(0) > 1) ||
         (args[1] == whole && constantValue(args[0]).value_or(0) > 1);
}

/// Returns true if `broadcast` is `size`, or of it and other sizes.
static bool isPartOf(const DimSpace &space, AffineExpr size,
                     AffineExpr broadcast) {
  if (size == broadcast)
    return true;
  auto symbol = dyn_cast<AffineSymbolExpr>(broadcast);
  if (!symbol)
    return false;
  const DimSymbol &is = space.symbol(symbol.getPosition());
  return is.kind == DimSymbol::Kind::Broadcast &&
         llvm::any_of(is.args, [&](AffineExpr arg) {
           return isPartOf(space, size, arg);
         });
}

AffineExpr DimSpace::broadcast(AffineExpr a, AffineExpr b) {
  if (!a || !b)
    return {};
  std::optional<int64_t> left = constantValue(a), right = constantValue(b);
  if (left.value_or(1) != 1 || isPartOf(*this, b, a))
    return a;
  if (left == 1 || right.value_or(1) != 1)
    return b;
  if (right == 1)
    return a;
  if (isPartOf(*this, a, b))
    return b;
  // min(x, 7) broadcasts with x only if it is x: were it 1, x would be.
  if (isCutBelow(a, b))
    return b;
  if (isCutBelow(b, a))
    return a;
  // Which comes first must not matter: compare by text.
  if (print(b, 0) < print(a, 0))
    std::swap(a, b);
  return defined(DimSymbol::Kind::Broadcast, "broadcast", a, b);
}

bool DimSpace::isNonNegative(AffineExpr expr) const {
  if (expr && sizes.contains(expr))
    return true;
  if (auto value = constantValue(expr))
    return *value >= 0;
  if (auto symbol = dyn_cast_or_null<AffineSymbolExpr>(expr)) {
    const DimSymbol &is = symbols[symbol.getPosition()];
    switch (is.kind) {
    case DimSymbol::Kind::Input:
    case DimSymbol::Kind::Result:
    case DimSymbol::Kind::Broadcast:
      return true;
    case DimSymbol::Kind::Element:
      return false;
    case DimSymbol::Kind::Max:
      return isNonNegative(is.args[0]) || isNonNegative(is.args[1]);
    case DimSymbol::Kind::Min:
    case DimSymbol::Kind::FloorDiv:
      return isNonNegative(is.args[0]) && isNonNegative(is.args[1]);
    }
  }
  auto binary = dyn_cast_or_null<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Mod)
    return true;
  return isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS());
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string DimSpace::text(AffineExpr expr) {
  if (!expr)
    return {};
  std::string printed = print(expr, 0);
  byText[printed] = expr;
  return printed;
}

AffineExpr DimSpace::fromText(StringRef text) const {
  return byText.lookup(text);
}

/// Prints with parentheses where an operator binds weaker than `precedence`:
/// 0 for a sum, 1 for a factor.
std::string DimSpace::print(AffineExpr expr, int precedence) const {
  if (auto value = constantValue(expr))
    return std::to_string(*value);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()].name;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  AffineExpr left = binary.getLHS(), right = binary.getRHS();
  if (binary.getKind() != AffineExprKind::Add) {
    const char *name = binary.getKind() == AffineExprKind::Mul   ? " * "
                       : binary.getKind() == AffineExprKind::Mod ? " mod "
                                                                 : " floordiv ";
    // a * b * c needs no parentheses.
    bool chain = binary.getKind() == AffineExprKind::Mul &&
                 left.getKind() == AffineExprKind::Mul;
    std::string text = print(left, chain ? 0 : 1) + name + print(right, 1);
    return precedence > 0 ? "(" + text + ")" : text;
  }
  // a + b * -c reads better as a - b * c.
  std::string text = print(left, 0);
  std::optional<int64_t> offset = constantValue(right);
  auto product = dyn_cast<AffineBinaryOpExpr>(right);
  std::optional<int64_t> factor =
      product && product.getKind() == AffineExprKind::Mul
          ? constantValue(product.getRHS())
          : std::nullopt;
  if (offset && *offset < 0)
    text += " - " + std::to_string(-*offset);
  else if (factor && *factor == -1)
    text += " - " + print(product.getLHS(), 1);
  else if (factor && *factor < 0)
    text +=
        " - " + print(product.getLHS(), 1) + " * " + std::to_string(-*factor);
  else
    text += " + " + print(right, 0);
  return precedence > 0 ? "(" + text + ")" : text;
}
