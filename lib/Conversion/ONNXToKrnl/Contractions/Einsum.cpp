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
#include "onnxc/Dialect/ONNX/IR/EinsumEquation.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

using Equation = onnx::EinsumEquation;
using Label = Equation::Label;
using Labels = Equation::Labels;

constexpr llvm::StringLiteral lettersDisagreeText =
    "Einsum: sizes of one letter differ";

/// A tensor and the label of each of its dimensions.
struct Term {
  Value tensor;
  Labels labels;
};

} // namespace

/// Returns true if each letter has one size, as far as it is static. 1 is
/// compatible with any size.
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
  void broadcastLabels(MutableArrayRef<Term> terms);
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

/// Dimensions of one label broadcast, also where sizes of 1 are dynamic; those
/// of one operand have the same size.
void EinsumBuilder::broadcastLabels(MutableArrayRef<Term> terms) {
  std::map<Label, SmallVector<Value>> given;
  for (const Term &term : terms) {
    std::map<Label, Value> own;
    for (auto [d, label] : llvm::enumerate(term.labels)) {
      Value size = sizeOf(b, loc, term.tensor, d);
      auto [first, isNew] = own.try_emplace(label, size);
      if (isNew)
        given[label].push_back(size);
      else
        checkEqualSizes(b, loc, first->second, size, lettersDisagreeText);
    }
  }
  std::map<Label, Value> sizes;
  for (const auto &[label, all] : given)
    sizes[label] = broadcastSize(b, loc, all);
  for (Term &term : terms) {
    SmallVector<Value> wanted;
    for (Label label : term.labels)
      wanted.push_back(given[label].size() > 1 ? sizes[label] : Value());
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
                      size, lettersDisagreeText);
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
  broadcastLabels(terms);
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
  SmallVector<int64_t> ranks;
  for (Value operand : adaptor.getOperands())
    ranks.push_back(rankedType(operand).getRank());
  FailureOr<Equation> equation = Equation::parse(op.getEquation(), ranks);
  if (failed(equation))
    return rewriter.notifyMatchFailure(
        op, "the equation is none, or not one for these ranks");
  if (!sizesAgree(*equation, adaptor.getOperands(), op->getResult(0).getType()))
    return neverMade(rewriter, op, lettersDisagreeText);
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
