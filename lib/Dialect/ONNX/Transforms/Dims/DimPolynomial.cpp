//===- DimPolynomial.cpp - Normal form of dimension expressions -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimPolynomial.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace onnxc::onnx;

/// Orders expressions by structure, never by address, so that texts do not
/// change from run to run.
static int compare(AffineExpr a, AffineExpr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() > b.getKind() ? -1 : 1; // symbols first
  if (auto left = dyn_cast<AffineSymbolExpr>(a))
    return left.getPosition() < cast<AffineSymbolExpr>(b).getPosition() ? -1
                                                                        : 1;
  if (auto left = dyn_cast<AffineConstantExpr>(a))
    return left.getValue() < cast<AffineConstantExpr>(b).getValue() ? -1 : 1;
  auto left = cast<AffineBinaryOpExpr>(a);
  auto right = cast<AffineBinaryOpExpr>(b);
  if (int order = compare(left.getLHS(), right.getLHS()))
    return order;
  return compare(left.getRHS(), right.getRHS());
}

bool DimPolynomial::AtomLess::operator()(AffineExpr a, AffineExpr b) const {
  return compare(a, b) < 0;
}

bool DimPolynomial::ProductLess::operator()(const Product &a,
                                            const Product &b) const {
  if (a.size() != b.size()) // higher degrees first, the constant last
    return a.size() > b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      AtomLess());
}

bool DimPolynomial::addTerm(const Product &product, int64_t coefficient) {
  int64_t &sum = terms[product];
  if (llvm::AddOverflow(sum, coefficient, sum))
    return false;
  if (sum == 0)
    terms.erase(product);
  return true;
}

bool DimPolynomial::add(const DimPolynomial &other, int64_t scale) {
  for (const auto &[product, coefficient] : other.terms) {
    int64_t scaled;
    if (llvm::MulOverflow(coefficient, scale, scaled) ||
        !addTerm(product, scaled))
      return false;
  }
  return true;
}

std::optional<DimPolynomial>
DimPolynomial::times(const DimPolynomial &other) const {
  DimPolynomial result;
  for (const auto &[left, leftCoefficient] : terms) {
    for (const auto &[right, rightCoefficient] : other.terms) {
      Product product(left);
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end(), AtomLess());
      int64_t coefficient;
      if (llvm::MulOverflow(leftCoefficient, rightCoefficient, coefficient) ||
          !result.addTerm(product, coefficient))
        return std::nullopt;
    }
  }
  return result;
}

/// The division if `polynomial` is just one, plus perhaps a constant.
static AffineBinaryOpExpr soleDivision(const DimPolynomial &polynomial) {
  AffineBinaryOpExpr division(nullptr);
  for (const auto &[product, coefficient] : polynomial.getTerms()) {
    if (product.empty())
      continue;
    auto atom = product.size() == 1 && coefficient == 1
                    ? dyn_cast<AffineBinaryOpExpr>(product.front())
                    : nullptr;
    if (!atom || division)
      return nullptr;
    division = atom;
  }
  return division;
}

/// Takes the greatest factor common to the divisor and all coefficients but
/// the constant's out of both: (2 * h + 3) floordiv 4 -> (h + 1) floordiv 2.
static void cancelFactor(DimPolynomial::Terms &terms, int64_t &divisor) {
  int64_t factor = divisor;
  for (const auto &[product, coefficient] : terms)
    if (!product.empty())
      factor = std::gcd(factor, coefficient);
  divisor /= factor;
  for (auto &[product, coefficient] : terms)
    coefficient = llvm::divideFloorSigned(coefficient, factor);
  if (auto offset = terms.find({});
      offset != terms.end() && offset->second == 0)
    terms.erase(offset);
}

std::optional<DimPolynomial>
DimPolynomial::floorDiv(int64_t divisor, MLIRContext *context) const {
  DimPolynomial quotient, rest;
  for (const auto &[product, coefficient] : terms) {
    int64_t whole = llvm::divideFloorSigned(coefficient, divisor);
    if (whole != 0)
      quotient.terms[product] = whole;
    if (int64_t left = coefficient - whole * divisor)
      rest.terms[product] = left;
  }
  cancelFactor(rest.terms, divisor);
  // A constant rest is below the divisor and disappears.
  if (rest.terms.empty() || rest.terms.begin()->first.empty())
    return quotient;
  std::optional<DimPolynomial> fraction;
  if (AffineBinaryOpExpr inner = soleDivision(rest)) {
    fraction = rest.flattenDivision(inner, divisor, context);
  } else {
    fraction.emplace();
    AffineExpr atom =
        getAffineBinaryOpExpr(AffineExprKind::FloorDiv, rest.toExpr(context),
                              getAffineConstantExpr(divisor, context));
    fraction->terms[{atom}] = 1;
  }
  if (!fraction || !quotient.add(*fraction, 1))
    return std::nullopt;
  return quotient;
}

std::optional<DimPolynomial>
DimPolynomial::flattenDivision(AffineBinaryOpExpr inner, int64_t divisor,
                               MLIRContext *context) const {
  int64_t innerDivisor = cast<AffineConstantExpr>(inner.getRHS()).getValue();
  std::optional<DimPolynomial> dividend = get(inner.getLHS());
  auto offset = terms.find({});
  int64_t shift = offset == terms.end() ? 0 : offset->second;
  int64_t product;
  if (!dividend || llvm::MulOverflow(innerDivisor, divisor, product) ||
      llvm::MulOverflow(shift, innerDivisor, shift) ||
      !dividend->addTerm({}, shift))
    return std::nullopt;
  return dividend->floorDiv(product, context);
}

std::optional<DimPolynomial>
DimPolynomial::exactDiv(const DimPolynomial &other) const {
  if (other.terms.size() != 1)
    return std::nullopt;
  const auto &[divisorProduct, divisor] = *other.terms.begin();
  DimPolynomial result;
  for (const auto &[product, coefficient] : terms) {
    if (coefficient % divisor != 0 ||
        !std::includes(product.begin(), product.end(), divisorProduct.begin(),
                       divisorProduct.end(), AtomLess()))
      return std::nullopt;
    Product left;
    std::set_difference(product.begin(), product.end(), divisorProduct.begin(),
                        divisorProduct.end(), std::back_inserter(left),
                        AtomLess());
    result.terms[left] = coefficient / divisor;
  }
  return result;
}

static std::optional<DimPolynomial> getBinary(AffineBinaryOpExpr expr) {
  std::optional<DimPolynomial> left = DimPolynomial::get(expr.getLHS());
  std::optional<DimPolynomial> right = DimPolynomial::get(expr.getRHS());
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return left->add(*right, 1) ? left : std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return left->times(*right);
  auto divisor = dyn_cast<AffineConstantExpr>(expr.getRHS());
  if (!divisor || divisor.getValue() <= 0)
    return std::nullopt;
  int64_t by = divisor.getValue();
  if (expr.getKind() == AffineExprKind::CeilDiv) {
    std::optional<DimPolynomial> bias =
        DimPolynomial::get(getAffineConstantExpr(by - 1, expr.getContext()));
    if (!left->add(*bias, 1))
      return std::nullopt;
    return left->floorDiv(by, expr.getContext());
  }
  std::optional<DimPolynomial> quotient = left->floorDiv(by, expr.getContext());
  if (!quotient || expr.getKind() == AffineExprKind::FloorDiv)
    return quotient;
  // x mod b == x - b * (x floordiv b)
  return left->add(*quotient, -by) ? left : std::nullopt;
}

std::optional<DimPolynomial> DimPolynomial::get(AffineExpr expr) {
  DimPolynomial result;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    if (constant.getValue() != 0)
      result.terms[{}] = constant.getValue();
    return result;
  }
  if (isa<AffineSymbolExpr>(expr)) {
    result.terms[{expr}] = 1;
    return result;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary ? getBinary(binary) : std::nullopt;
}

AffineExpr DimPolynomial::toExpr(MLIRContext *context) const {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const auto &[product, coefficient] : terms) {
    AffineExpr term = getAffineConstantExpr(1, context);
    for (AffineExpr atom : product)
      term = term * atom;
    sum = sum + term * coefficient;
  }
  return sum;
}
