//===- Activations.cpp - Activation functions -------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Elementwise/Elementwise.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {

/// exp(min(x, 0)) - 1: a large x would overflow.
static Value expM1Below(ScalarBuilder &s, Value x) {
  return s.math<math::ExpM1Op>(s.min(x, s.constant(0)));
}

/// x where it is positive, `otherwise` elsewhere.
static Value positiveOr(ScalarBuilder &s, Value x, Value otherwise) {
  return s.select(s.lt(s.constant(0), x), x, otherwise);
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)), for either sign of alpha.
static Value celu(ScalarBuilder &s, onnx::CeluOp op, ValueRange x) {
  Value alpha = s.constant(op.getAlpha()), zero = s.constant(0);
  Value ratio = s.div(s.min(x[0], zero), alpha);
  Value below = s.mul(alpha, s.math<math::ExpM1Op>(ratio));
  return s.add(s.max(x[0], zero), s.min(below, zero));
}

static Value elu(ScalarBuilder &s, onnx::EluOp op, ValueRange x) {
  Value alpha = s.constant(op.getAlpha());
  return positiveOr(s, x[0], s.mul(alpha, expM1Below(s, x[0])));
}

static Value selu(ScalarBuilder &s, onnx::SeluOp op, ValueRange x) {
  Value alpha = s.constant(op.getAlpha());
  Value y = positiveOr(s, x[0], s.mul(alpha, expM1Below(s, x[0])));
  return s.mul(s.constant(op.getGamma()), y);
}

static Value gelu(ScalarBuilder &s, onnx::GeluOp op, ValueRange x) {
  Value half = s.constant(0.5), one = s.constant(1), inner;
  if (op.getApproximate() == "tanh") {
    Value cube = s.mul(x[0], s.mul(x[0], x[0]));
    Value argument = s.add(x[0], s.mul(s.constant(0.044715), cube));
    inner = s.tanh(s.mul(s.constant(0.797884560802865355880), argument));
  } else {
    inner = s.erf(s.mul(x[0], s.constant(0.707106781186547524401)));
  }
  return s.mul(s.mul(half, x[0]), s.add(one, inner));
}

/// x scaled and shifted, cut to [0, 1].
static Value ramp(ScalarBuilder &s, Value x, double scale, double shift) {
  Value y = s.add(s.mul(x, s.constant(scale)), s.constant(shift));
  return s.max(s.constant(0), s.min(s.constant(1), y));
}

static Value hardSigmoid(ScalarBuilder &s, onnx::HardSigmoidOp op,
                         ValueRange x) {
  return ramp(s, x[0], op.getAlpha(), op.getBeta());
}

static Value hardSwish(ScalarBuilder &s, onnx::HardSwishOp, ValueRange x) {
  return s.mul(x[0], ramp(s, x[0], 1.0 / 6, 0.5));
}

static Value leakyRelu(ScalarBuilder &s, onnx::LeakyReluOp op, ValueRange x) {
  Value scaled = s.mul(x[0], s.constant(op.getAlpha()));
  return s.select(s.lt(x[0], s.constant(0)), scaled, x[0]);
}

/// log(1 + exp(x)), by the larger of the two terms.
static Value softplus(ScalarBuilder &s, Value x) {
  Value rest = s.math<math::Log1pOp>(s.exp(s.neg(s.abs(x))));
  return s.add(s.max(x, s.constant(0)), rest);
}

static Value mish(ScalarBuilder &s, onnx::MishOp, ValueRange x) {
  return s.mul(x[0], s.tanh(softplus(s, x[0])));
}

static Value pRelu(ScalarBuilder &s, onnx::PReluOp, ValueRange x) {
  return s.select(s.lt(x[0], s.constant(0)), s.mul(x[0], x[1]), x[0]);
}

/// Bounds and bias are real numbers also where the elements are integers.
static Value shrink(ScalarBuilder &s, onnx::ShrinkOp op, ValueRange x) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Type wide = s.isFloat() ? element : Type(s.builder().getF64Type());
  ScalarBuilder real(s.builder(), s.getLoc(), wide);
  Value v = s.castTo(x[0], wide);
  Value limit = real.constant(op.getLambd()),
        bias = real.constant(op.getBias());
  Value y = real.select(real.lt(limit, v), real.sub(v, bias), real.constant(0));
  y = real.select(real.lt(v, real.neg(limit)), real.add(v, bias), y);
  return real.castTo(y, element);
}

static Value softsign(ScalarBuilder &s, onnx::SoftsignOp, ValueRange x) {
  return s.div(x[0], s.add(s.constant(1), s.abs(x[0])));
}

static Value swish(ScalarBuilder &s, Value x, double alpha) {
  return s.mul(x, s.sigmoid(alpha == 1 ? x : s.mul(s.constant(alpha), x)));
}

static Value thresholdedRelu(ScalarBuilder &s, onnx::ThresholdedReluOp op,
                             ValueRange x) {
  Value alpha = s.constant(op.getAlpha());
  return s.select(s.lt(alpha, x[0]), x[0], s.constant(0));
}

void populateONNXToKrnlActivationsPatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
#define ROW(OP, FN) addElementwise<onnx::OP>(converter, patterns, FN);
  ROW(CeluOp, celu)
  ROW(EluOp, elu)
  ROW(GeluOp, gelu)
  ROW(HardSigmoidOp, hardSigmoid)
  ROW(HardSwishOp, hardSwish)
  ROW(LeakyReluOp, leakyRelu)
  ROW(MishOp, mish)
  ROW(PReluOp, pRelu)
  ROW(ReluOp, [](ScalarBuilder &s, Operation *, ValueRange x) {
    return s.max(x[0], s.constant(0));
  })
  ROW(SeluOp, selu)
  ROW(ShrinkOp, shrink)
  ROW(SigmoidOp, [](ScalarBuilder &s, Operation *, ValueRange x) {
    return s.sigmoid(x[0]);
  })
  ROW(SoftplusOp, [](ScalarBuilder &s, Operation *, ValueRange x) {
    return softplus(s, x[0]);
  })
  ROW(SoftsignOp, softsign)
  ROW(SwiGLUOp, [](ScalarBuilder &s, onnx::SwiGLUOp op, ValueRange x) {
    return s.mul(swish(s, x[0], op.getAlpha()), x[1]);
  })
  ROW(SwishOp, [](ScalarBuilder &s, onnx::SwishOp op, ValueRange x) {
    return swish(s, x[0], op.getAlpha());
  })
  ROW(ThresholdedReluOp, thresholdedRelu)
#undef ROW
}

} // namespace onnxc
