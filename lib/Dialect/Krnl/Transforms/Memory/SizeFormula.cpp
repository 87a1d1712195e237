//===- SizeFormula.cpp - Sizes as sums of products -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SizeFormula.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace onnxc::krnl;

/// Longer ones are no use to a reader.
static constexpr size_t maxTerms = 24, maxLetters = 48;
static constexpr llvm::StringLiteral dots = "...";

static int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? std::numeric_limits<int64_t>::max()
                                         : result;
}

static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t result;
  return llvm::AddOverflow(a, b, result) ? std::numeric_limits<int64_t>::max()
                                         : result;
}

SizeFormula::SizeFormula(int64_t constant) {
  if (constant != 0)
    terms[{}] = constant;
}

SizeFormula SizeFormula::named(llvm::StringRef name) {
  SizeFormula formula;
  formula.terms[{
      (name.size() > maxLetters ? llvm::StringRef(dots) : name).str()}] = 1;
  return formula;
}

SizeFormula SizeFormula::plus(const SizeFormula &other, int64_t scale) const {
  SizeFormula sum = *this;
  for (const auto &[names, coefficient] : other.terms) {
    int64_t &offset = sum.terms[names];
    offset = saturatingAdd(offset, saturatingMul(coefficient, scale));
    if (offset == 0)
      sum.terms.erase(names);
  }
  return sum;
}

SizeFormula SizeFormula::times(const SizeFormula &other) const {
  if (terms.size() * other.terms.size() > maxTerms)
    return named("(" + text() + ")*(" + other.text() + ")");
  SizeFormula product;
  for (const auto &[names, coefficient] : terms)
    for (const auto &[otherNames, otherCoefficient] : other.terms) {
      std::vector<std::string> all = names;
      all.insert(all.end(), otherNames.begin(), otherNames.end());
      std::sort(all.begin(), all.end());
      SizeFormula term;
      term.terms[all] = saturatingMul(coefficient, otherCoefficient);
      product = product.plus(term);
    }
  return product;
}

std::optional<SizeFormula>
SizeFormula::dividedBy(const SizeFormula &other) const {
  auto divisor = other.terms.find({});
  if (other.terms.size() != 1 || divisor == other.terms.end())
    return std::nullopt;
  SizeFormula quotient = *this;
  for (auto &[names, coefficient] : quotient.terms) {
    if (coefficient % divisor->second != 0)
      return std::nullopt;
    coefficient /= divisor->second;
  }
  return quotient;
}

SizeFormula SizeFormula::atLeast(const SizeFormula &other) const {
  SizeFormula bound = *this;
  for (const auto &[names, coefficient] : other.terms) {
    auto [it, isNew] = bound.terms.try_emplace(names, coefficient);
    if (!isNew)
      it->second = std::max(it->second, coefficient);
  }
  // Terms missing in the other are 0 there.
  for (auto &[names, coefficient] : bound.terms)
    if (!other.terms.contains(names))
      coefficient = std::max<int64_t>(coefficient, 0);
  std::erase_if(bound.terms, [](const auto &term) { return term.second == 0; });
  return bound;
}

bool SizeFormula::isReadable() const {
  return llvm::none_of(terms, [](const auto &term) {
    return llvm::any_of(
        term.first, [](llvm::StringRef name) { return name.contains(dots); });
  });
}

std::string SizeFormula::text() const {
  std::string text;
  for (const auto &[names, coefficient] : terms) {
    if (!text.empty())
      text += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0)
      text += "-";
    int64_t factor = coefficient < 0 ? -coefficient : coefficient;
    if (factor != 1 || names.empty()) {
      text += std::to_string(factor);
      text += names.empty() ? "" : "*";
    }
    text += llvm::join(names, "*");
  }
  return text.empty() ? "0" : text;
}
