//===- Training.cpp - Steps of gradient descent -----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Adagrad, Adam and Momentum update any number of tensors, each on its own: a
// kernel for each of them reads the tensor, its gradient and its state and
// writes the new tensor and the new state.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Elementwise/Elementwise.h"
#include "Lowering.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// A constant of the compute type.
struct Numbers {
  Value operator()(double value) { return s.constant(value); }
  ScalarBuilder &s;
};

/// The learning rate of step `t`, in the compute type of `s`.
Value rate(ScalarBuilder &s, onnx::TrainingAdagradOp op, Value r, Value t) {
  Value decay = s.mul(t, s.constant(op.getDecayFactor()));
  return s.div(r, s.add(s.constant(1), decay));
}

Value rate(ScalarBuilder &s, onnx::TrainingAdamOp op, Value r, Value t) {
  Value one = s.constant(1);
  auto rest = [&](double base) {
    return s.sub(one, s.math<math::PowFOp>(s.constant(base), t));
  };
  Value adjusted =
      s.div(s.mul(r, s.sqrt(rest(op.getBeta()))), rest(op.getAlpha()));
  return s.select(s.lt(s.constant(0), t), adjusted, r);
}

Value rate(ScalarBuilder &, onnx::TrainingMomentumOp, Value r, Value) {
  return r;
}

/// The gradient with that of the norm's penalty.
template <typename OnnxOp>
Value regularized(ScalarBuilder &s, OnnxOp op, Value x, Value g) {
  return s.add(s.mul(s.constant(op.getNormCoefficient()), x), g);
}

/// New tensor and new state from the rate, the step's number, the tensor, its
/// gradient and its state.
SmallVector<Value> update(ScalarBuilder &s, onnx::TrainingAdagradOp op,
                          ValueRange v) {
  Value g = regularized(s, op, v[2], v[3]);
  Value squares = s.add(v[4], s.mul(g, g));
  Value step = s.div(s.mul(v[0], g),
                     s.add(s.sqrt(squares), s.constant(op.getEpsilon())));
  return {s.sub(v[2], step), squares};
}

SmallVector<Value> update(ScalarBuilder &s, onnx::TrainingAdamOp op,
                          ValueRange v) {
  Numbers number{s};
  Value g = regularized(s, op, v[2], v[3]);
  double alpha = op.getAlpha(), beta = op.getBeta();
  Value mean = s.add(s.mul(number(alpha), v[4]), s.mul(number(1 - alpha), g));
  Value squares =
      s.add(s.mul(number(beta), v[5]), s.mul(number(1 - beta), s.mul(g, g)));
  Value step =
      s.div(s.mul(v[0], mean), s.add(s.sqrt(squares), number(op.getEpsilon())));
  Value x = s.mul(number(1 - op.getNormCoefficientPost()), s.sub(v[2], step));
  return {x, mean, squares};
}

SmallVector<Value> update(ScalarBuilder &s, onnx::TrainingMomentumOp op,
                          ValueRange v) {
  Numbers number{s};
  Value g = regularized(s, op, v[2], v[3]);
  Value beta = s.select(s.lt(number(0), v[1]), number(op.getBeta()), number(1));
  Value alpha = number(op.getAlpha());
  Value moment = s.add(s.mul(alpha, v[4]), s.mul(beta, g));
  Value step = moment;
  if (op.getMode() == "nesterov")
    step = s.add(g, s.mul(alpha, moment));
  return {s.sub(v[2], s.mul(v[0], step)), moment};
}

/// The rate is the same for all elements: computed once.
template <typename OnnxOp>
Value stepRate(OpBuilder &b, Location loc, OnnxOp op, ValueRange operands,
               Type element) {
  Type rateType = getElementTypeOrSelf(op->getOperand(0).getType());
  Type stepType = getElementTypeOrSelf(op->getOperand(1).getType());
  return buildElementwise(
      b, loc, "rate", operands.take_front(2), element,
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder r(nb, l, rateType), t(nb, l, stepType);
        ScalarBuilder s(nb, l, element);
        return s.narrow(rate(s, op, r.castTo(r.widen(v[0]), element),
                             t.castTo(t.widen(v[1]), element)));
      });
}

template <unsigned kinds, typename OnnxOp>
SmallVector<Value> updateOne(OpBuilder &b, Location loc, OnnxOp op, Value step,
                             Value number, ValueRange own, Type element) {
  Type numberType = getElementTypeOrSelf(op->getOperand(1).getType());
  auto type = cast<RankedTensorType>(own[0].getType());
  KernelBuilder kernel(b, loc, op->getName().stripDialect());
  SmallVector<AffineExpr> loops = kernel.loopsOf(type);
  SmallVector<KernelBuilder::Access> ins, outs;
  for (Value scalar : {step, number}) {
    int64_t rank = cast<RankedTensorType>(scalar.getType()).getRank();
    ins.push_back(
        {kernel.input(scalar), SmallVector<AffineExpr>(rank, kernel.zero())});
  }
  for (Value tensor : own)
    ins.push_back({kernel.input(tensor), loops});
  SmallVector<Value> sizes = sizesOf(b, loc, own[0]);
  for (unsigned kind = 0; kind + 1 < kinds; ++kind)
    outs.push_back({kernel.output(type, sizes), loops});
  return kernel.finish(kernel.generic(
      ins, outs, {}, [&](OpBuilder &nb, Location l, ValueRange args) {
        ScalarBuilder s(nb, l, element), t(nb, l, numberType);
        SmallVector<Value> v;
        for (auto [i, arg] : llvm::enumerate(args.take_front(ins.size())))
          v.push_back(i == 1 ? t.castTo(t.widen(arg), element) : s.widen(arg));
        SmallVector<Value> y = update(s, op, v);
        for (Value &value : y)
          value = s.narrow(value);
        return y;
      }));
}

/// The operand that does not have the elements and the rank of the tensor that
/// it is the gradient or a state of; null without one. The schema lets types
/// differ, as each tensor may have its own.
OpOperand *findMisfit(Operation *op, unsigned count) {
  for (OpOperand &operand : op->getOpOperands().drop_front(2 + count)) {
    unsigned tensor = 2 + (operand.getOperandNumber() - 2) % count;
    auto own = cast<RankedTensorType>(operand.get().getType());
    auto type = cast<RankedTensorType>(op->getOperand(tensor).getType());
    if (own.getElementType() != type.getElementType() ||
        own.getRank() != type.getRank())
      return &operand;
  }
  return nullptr;
}

/// Operands are the rate, the step's number, and then by kind, not by tensor:
/// all tensors, all gradients, all states. Results likewise.
template <typename OnnxOp, unsigned kinds>
Lowered lowerTraining(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                      ConversionPatternRewriter &rewriter) {
  ValueRange operands = adaptor.getOperands();
  ValueRange tensors = operands.drop_front(2);
  if (tensors.size() % kinds != 0)
    return rewriter.notifyMatchFailure(op, "incomplete set of tensors");
  unsigned count = tensors.size() / kinds;
  if (OpOperand *misfit = findMisfit(op, count)) {
    unsigned tensor = 2 + (misfit->getOperandNumber() - 2) % count;
    return rewriter.notifyMatchFailure(
        op, onnx::inputName(*misfit) + " differs in type or rank from " +
                onnx::inputName(op->getOpOperand(tensor)) +
                ", which it belongs to");
  }
  Location loc = op.getLoc();
  SmallVector<Value> results(count * (kinds - 1));
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Value> own;
    for (unsigned kind = 0; kind < kinds; ++kind)
      own.push_back(tensors[kind * count + i]);
    Type element = getElementTypeOrSelf(op->getOperand(2 + i).getType());
    Value step = stepRate(rewriter, loc, op, operands, element);
    SmallVector<Value> updated =
        updateOne<kinds>(rewriter, loc, op, step, operands[1], own, element);
    for (unsigned kind = 0; kind + 1 < kinds; ++kind)
      results[kind * count + i] = updated[kind];
  }
  return results;
}

} // namespace

void populateONNXToKrnlTrainingPatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerTraining<onnx::TrainingAdagradOp, 3>,
               lowerTraining<onnx::TrainingAdamOp, 4>,
               lowerTraining<onnx::TrainingMomentumOp, 3>);
}

} // namespace onnxc
