//===- EinsumEquation.cpp - The equation of an Einsum ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/EinsumEquation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using onnxc::onnx::EinsumEquation;
using Label = EinsumEquation::Label;
using Labels = EinsumEquation::Labels;

/// The labels of "b...ij" for `ellipsis` dimensions in the place of the dots;
/// fails for texts that are no terms.
static FailureOr<Labels> parseTerm(StringRef text, int64_t ellipsis) {
  Labels labels;
  bool dotted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (llvm::isAlpha(text[i])) {
      labels.push_back(text[i]);
    } else if (text.substr(i).starts_with("...") && !dotted) {
      dotted = true;
      for (int64_t d = ellipsis; d > 0; --d)
        labels.push_back(-int(d));
      i += 2;
    } else {
      return failure();
    }
  }
  return labels;
}

/// Labels that occur once, in alphabetical order after those of the ellipsis:
/// the result's labels in equations without an arrow.
static Labels implicitResult(const EinsumEquation &equation) {
  std::map<Label, unsigned> uses;
  for (const Labels &labels : equation.operands)
    for (Label label : labels)
      ++uses[label];
  Labels result;
  for (auto [label, count] : uses)
    if (label < 0 || count == 1)
      result.push_back(label);
  return result;
}

FailureOr<EinsumEquation> EinsumEquation::parse(StringRef text,
                                                ArrayRef<int64_t> ranks) {
  std::string compact;
  llvm::copy_if(text, std::back_inserter(compact),
                [](char c) { return c != ' '; });
  auto [left, right] = StringRef(compact).split("->");
  bool hasArrow = StringRef(compact).contains("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != ranks.size())
    return failure();
  EinsumEquation equation;
  int64_t widest = 0;
  for (auto [term, rank] : llvm::zip_equal(terms, ranks)) {
    bool dotted = term.contains("...");
    int64_t letters = int64_t(term.size()) - (dotted ? 3 : 0);
    int64_t ellipsis = rank - letters;
    if (ellipsis < 0 || (ellipsis > 0 && !dotted))
      return failure();
    FailureOr<Labels> labels = parseTerm(term, ellipsis);
    if (failed(labels))
      return failure();
    equation.operands.push_back(*labels);
    widest = std::max(widest, ellipsis);
  }
  if (!hasArrow) {
    equation.result = implicitResult(equation);
    return equation;
  }
  FailureOr<Labels> result = parseTerm(right, widest);
  if (failed(result))
    return failure();
  for (auto [i, label] : llvm::enumerate(*result)) {
    bool known = llvm::any_of(equation.operands, [&](const Labels &labels) {
      return llvm::is_contained(labels, label);
    });
    if (!known || llvm::is_contained(ArrayRef(*result).take_front(i), label))
      return failure();
  }
  equation.result = *result;
  return equation;
}
