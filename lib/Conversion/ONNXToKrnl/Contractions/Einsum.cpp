//===- Einsum.cpp - Sums of products by an equation -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// "ij,jk->ik": every letter is a loop. Operands are multiplied two at a time,
// from left to right, each product being a contraction that sums over the
// letters that do not occur later. Before that each operand loses repeated
// letters (diagonals) and letters that no other term has (sums).
//===----------------------------------------------------------------------===//

#include "Builders/Accumulate.h"
#include "Builders/Broadcasting.h"
#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Contractions/Contraction.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// A letter; the dimensions of an ellipsis are those below zero, the last being
/// -1.
using Label = int;
using Labels = SmallVector<Label>;

/// An equation for operands of these ranks.
struct Equation {
  SmallVector<Labels> operands;
  Labels result;
};

/// A tensor and the label of each of its dimensions.
struct Term {
  Value tensor;
  Labels labels;
};

} // namespace

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
static Labels implicitResult(const Equation &equation) {
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

static FailureOr<Equation> parseEquation(StringRef text, ValueRange operands) {
  std::string compact;
  llvm::copy_if(text, std::back_inserter(compact),
                [](char c) { return c != ' '; });
  auto [left, right] = StringRef(compact).split("->");
  bool hasArrow = StringRef(compact).contains("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != operands.size())
    return failure();
  Equation equation;
  int64_t widest = 0;
  for (auto [term, operand] : llvm::zip(terms, operands)) {
    bool dotted = term.contains("...");
    int64_t letters = int64_t(term.size()) - (dotted ? 3 : 0);
    int64_t ellipsis = rankedType(operand).getRank() - letters;
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

/// Returns true if each letter has one size, as far as it is static. 1 is
/// compatible with any size, but the result has the size of the first operand
/// that has the letter.
static bool sizesAgree(const Equation &equation, ValueRange operands,
                       Type resultType) {
  std::map<Label, int64_t> sizes;
  for (auto [operand, labels] : llvm::zip(operands, equation.operands))
    for (auto [size, label] :
         llvm::zip(rankedType(operand).getShape(), labels)) {
      if (size == 1 || ShapedType::isDynamic(size))
        continue;
      if (sizes.try_emplace(label, size).first->second != size)
        return false;
    }
  auto result = dyn_cast<RankedTensorType>(resultType);
  if (!result || result.getRank() != int64_t(equation.result.size()))
    return true;
  return llvm::all_of(
      llvm::zip(result.getShape(), equation.result), [&](auto pair) {
        auto [size, label] = pair;
        auto known = sizes.find(label);
        return known == sizes.end() || ShapedType::isDynamic(size) ||
               known->second == size;
      });
}

namespace {

/// Emits the kernels of one Einsum.
class EinsumBuilder {
public:
  EinsumBuilder(OpBuilder &b, Location loc, Type element)
      : b(b), loc(loc), element(element) {}

  Value build(const Equation &equation, ValueRange operands);

private:
  Term reduceAlone(Term term, const Labels &kept);
  Term multiply(const Term &lhs, const Term &rhs, const Labels &kept);
  Term dropUnits(Term term, const std::map<Label, int64_t> &extents);
  void broadcastEllipsis(MutableArrayRef<Term> terms);
  void unify(MutableArrayRef<Term> terms);
  Labels labelsKept(ArrayRef<Term> rest, const Labels &result,
                    const Labels &present);

  /// The loop of each label in a kernel, made where it occurs first.
  struct Loops {
    KernelBuilder &kernel;
    std::map<Label, AffineExpr> of;
    std::map<Label, Value> sizes;
  };
  KernelBuilder::Access access(Loops &loops, const Term &term);
  Value runKernel(Loops &loops, const Labels &kept,
                  llvm::function_ref<Value(const KernelBuilder::Access &,
                                           ArrayRef<AffineExpr>)>
                      sum);

  OpBuilder &b;
  Location loc;
  Type element;
};

} // namespace

KernelBuilder::Access EinsumBuilder::access(Loops &loops, const Term &term) {
  RankedTensorType type = rankedType(term.tensor);
  KernelBuilder::Access access{loops.kernel.input(term.tensor), {}};
  for (auto [d, label] : llvm::enumerate(term.labels)) {
    auto [it, isNew] = loops.of.try_emplace(label);
    if (isNew) {
      std::string name = label < 0 ? "e" + std::to_string(-label)
                                   : std::string(1, char(label));
      it->second = loops.kernel.loop(name, type.getDimSize(d));
      loops.sizes[label] = sizeOf(b, loc, term.tensor, d);
    }
    access.at.push_back(it->second);
  }
  return access;
}

/// Completes a kernel whose result has the labels `kept`: summed up in the
/// type that is computed with, and stored in that of the elements.
Value EinsumBuilder::runKernel(
    Loops &loops, const Labels &kept,
    llvm::function_ref<Value(const KernelBuilder::Access &,
                             ArrayRef<AffineExpr>)>
        sum) {
  SmallVector<Value> sizes;
  SmallVector<AffineExpr> at, reduced;
  for (Label label : kept) {
    at.push_back(loops.of[label]);
    sizes.push_back(loops.sizes[label]);
  }
  for (auto [label, loop] : loops.of)
    if (!llvm::is_contained(kept, label))
      reduced.push_back(loop);
  RankedTensorType type =
      typeOfSizes(sizes, ScalarBuilder::storageType(element));
  KernelBuilder &kernel = loops.kernel;
  Value out = kernel.output(type, sizes);
  Value y = storeTotals(
      kernel, element, {out, at},
      [&](const KernelBuilder::Access &to) { return sum(to, reduced); });
  return kernel.finish({y}).front();
}

/// The term with each of the labels `kept` once, in that order, summed over all
/// others.
Term EinsumBuilder::reduceAlone(Term term, const Labels &kept) {
  if (term.labels == kept)
    return term;
  KernelBuilder kernel(b, loc, "Einsum");
  Loops loops{kernel, {}, {}};
  KernelBuilder::Access in = access(loops, term);
  Value y = runKernel(
      loops, kept,
      [&](const KernelBuilder::Access &out, ArrayRef<AffineExpr> reduced) {
        ScalarBuilder outside(kernel.inside(), loc, element);
        Value zero = kernel.fill(outside.constant(0), out);
        return kernel.generic({in}, {zero, out.at}, reduced,
                              [&](OpBuilder &nb, Location l, ValueRange v) {
                                ScalarBuilder s(nb, l, element);
                                return s.add(v[1], s.widen(v[0]));
                              });
      });
  return {y, kept};
}

Term EinsumBuilder::multiply(const Term &lhs, const Term &rhs,
                             const Labels &kept) {
  KernelBuilder kernel(b, loc, "Einsum");
  Loops loops{kernel, {}, {}};
  KernelBuilder::Access x = access(loops, lhs), y = access(loops, rhs);
  Value product = runKernel(
      loops, kept,
      [&](const KernelBuilder::Access &out, ArrayRef<AffineExpr> reduced) {
        return buildContraction(kernel, element, x, y, out, reduced);
      });
  return {product, kept};
}

/// Dimensions of size 1 where another operand has more are left out.
Term EinsumBuilder::dropUnits(Term term,
                              const std::map<Label, int64_t> &extents) {
  RankedTensorType type = rankedType(term.tensor);
  SmallVector<Value> sizes;
  Labels labels;
  for (auto [d, label] : llvm::enumerate(term.labels)) {
    if (type.getDimSize(d) == 1 && extents.at(label) != 1)
      continue;
    sizes.push_back(sizeOf(b, loc, term.tensor, d));
    labels.push_back(label);
  }
  if (labels.size() != term.labels.size())
    term.tensor = reshapeTo(b, loc, term.tensor,
                            typeOfSizes(sizes, type.getElementType()), sizes);
  return {term.tensor, labels};
}

/// The dimensions of an ellipsis broadcast, also where sizes of 1 are dynamic.
void EinsumBuilder::broadcastEllipsis(MutableArrayRef<Term> terms) {
  std::map<Label, SmallVector<Value>> given;
  for (const Term &term : terms)
    for (auto [d, label] : llvm::enumerate(term.labels))
      if (label < 0)
        given[label].push_back(sizeOf(b, loc, term.tensor, d));
  std::map<Label, Value> sizes;
  for (const auto &[label, all] : given)
    sizes[label] = broadcastSize(b, loc, all);
  for (Term &term : terms) {
    SmallVector<Value> wanted;
    for (Label label : term.labels)
      wanted.push_back(label < 0 ? sizes[label] : Value());
    term.tensor = expandTo(b, loc, term.tensor, wanted);
  }
}

/// One size for each label, as far as it is static; the run checks the rest.
void EinsumBuilder::unify(MutableArrayRef<Term> terms) {
  std::map<Label, int64_t> extents;
  for (const Term &term : terms)
    for (auto [size, label] :
         llvm::zip(rankedType(term.tensor).getShape(), term.labels)) {
      int64_t &known = extents.try_emplace(label, 1).first->second;
      if (known == 1 || (ShapedType::isDynamic(known) && size != 1))
        known = size;
    }
  std::map<Label, Value> sizes;
  for (Term &term : terms) {
    term = dropUnits(term, extents);
    for (auto [d, label] : llvm::enumerate(term.labels)) {
      Value size = sizeOf(b, loc, term.tensor, d);
      checkEqualSizes(b, loc, sizes.try_emplace(label, size).first->second,
                      size, "Einsum: sizes of one letter differ");
      term.tensor = withSize(b, loc, term.tensor, d, extents[label]);
    }
  }
}

/// The labels of `present`, each once, that the result or a later operand has:
/// first the result's, in its order.
Labels EinsumBuilder::labelsKept(ArrayRef<Term> rest, const Labels &result,
                                 const Labels &present) {
  Labels kept;
  for (Label label : result)
    if (llvm::is_contained(present, label))
      kept.push_back(label);
  for (Label label : present)
    if (!llvm::is_contained(kept, label) &&
        llvm::any_of(rest, [&](const Term &term) {
          return llvm::is_contained(term.labels, label);
        }))
      kept.push_back(label);
  return kept;
}

Value EinsumBuilder::build(const Equation &equation, ValueRange operands) {
  SmallVector<Term> terms;
  for (auto [operand, labels] : llvm::zip(operands, equation.operands))
    terms.push_back({operand, labels});
  broadcastEllipsis(terms);
  unify(terms);
  // Labels of one operand alone are summed up before the product.
  for (size_t i = 0; i < terms.size(); ++i) {
    SmallVector<Term> others(terms);
    others.erase(others.begin() + i);
    Labels kept = labelsKept(others, equation.result, terms[i].labels);
    if (terms.size() == 1 || kept.size() != terms[i].labels.size())
      terms[i] = reduceAlone(terms[i], kept);
  }
  Term product = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    Labels present = product.labels;
    for (Label label : terms[i].labels)
      if (!llvm::is_contained(present, label))
        present.push_back(label);
    product = multiply(product, terms[i],
                       labelsKept(ArrayRef(terms).drop_front(i + 1),
                                  equation.result, present));
  }
  return product.tensor;
}

namespace {

Lowered lowerEinsum(onnx::EinsumOp op, onnx::EinsumOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  FailureOr<Equation> equation =
      parseEquation(op.getEquation(), adaptor.getOperands());
  if (failed(equation))
    return rewriter.notifyMatchFailure(
        op, "the equation is none, or not one for these ranks");
  if (!sizesAgree(*equation, adaptor.getOperands(), op->getResult(0).getType()))
    return neverMade(rewriter, op, "Einsum: sizes of one letter differ");
  EinsumBuilder builder(rewriter, op.getLoc(),
                        getElementTypeOrSelf(op->getOperand(0).getType()));
  return builder.build(*equation, adaptor.getOperands());
}

} // namespace

void populateONNXToKrnlEinsumPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerEinsum);
}

} // namespace onnxc
