//===- RecurrentActivations.cpp - Activations by name -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Recurrent/Recurrent.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace onnxc;

static const KnownActivation knownActivations[] = {
    {"affine", 1, 0, true, true,
     [](ScalarBuilder &s, Value x, double alpha, double beta) {
       return s.add(s.mul(x, s.constant(alpha)), s.constant(beta));
     }},
    {"elu", 1, 0, true, false,
     [](ScalarBuilder &s, Value x, double alpha, double) {
       Value below = s.mul(s.constant(alpha), s.sub(s.exp(x), s.constant(1)));
       return s.select(s.lt(x, s.constant(0)), below, x);
     }},
    {"hardsigmoid", 0.2, 0.5, true, true,
     [](ScalarBuilder &s, Value x, double alpha, double beta) {
       Value y = s.add(s.mul(x, s.constant(alpha)), s.constant(beta));
       return s.min(s.max(y, s.constant(0)), s.constant(1));
     }},
    {"leakyrelu", 0.01, 0, true, false,
     [](ScalarBuilder &s, Value x, double alpha, double) {
       return s.select(s.lt(x, s.constant(0)), s.mul(x, s.constant(alpha)), x);
     }},
    {"relu", 0, 0, false, false,
     [](ScalarBuilder &s, Value x, double, double) {
       return s.max(x, s.constant(0));
     }},
    {"scaledtanh", 1, 1, true, true,
     [](ScalarBuilder &s, Value x, double alpha, double beta) {
       return s.mul(s.constant(alpha), s.tanh(s.mul(s.constant(beta), x)));
     }},
    {"sigmoid", 0, 0, false, false,
     [](ScalarBuilder &s, Value x, double, double) { return s.sigmoid(x); }},
    {"softplus", 0, 0, false, false,
     [](ScalarBuilder &s, Value x, double, double) {
       Value tail = s.log(s.add(s.constant(1), s.exp(s.neg(s.abs(x)))));
       return s.add(s.max(x, s.constant(0)), tail);
     }},
    {"softsign", 0, 0, false, false,
     [](ScalarBuilder &s, Value x, double, double) {
       return s.div(x, s.add(s.constant(1), s.abs(x)));
     }},
    {"tanh", 0, 0, false, false,
     [](ScalarBuilder &s, Value x, double, double) { return s.tanh(x); }},
    {"thresholdedrelu", 1, 0, true, false,
     [](ScalarBuilder &s, Value x, double alpha, double) {
       return s.select(s.lt(x, s.constant(alpha)), s.constant(0), x);
     }},
};

static const KnownActivation *findActivation(StringRef name) {
  for (const KnownActivation &known : knownActivations)
    if (name.equals_insensitive(known.name))
      return &known;
  return nullptr;
}

LogicalResult onnxc::bindActivations(Operation *op, CellKind kind,
                                     int64_t directions,
                                     SmallVector<BoundActivation> &result) {
  SmallVector<StringRef> names;
  if (auto given = op->getAttrOfType<ArrayAttr>("activations"))
    for (Attribute name : given)
      names.push_back(cast<StringAttr>(name).getValue());
  static const StringRef defaults[][3] = {
      {"Tanh", "", ""}, {"Sigmoid", "Tanh", ""}, {"Sigmoid", "Tanh", "Tanh"}};
  unsigned each = unsigned(kind) + 1;
  if (names.empty() || kind == CellKind::RNN)
    while (int64_t(names.size()) < directions * each)
      names.push_back(defaults[unsigned(kind)][names.size() % each]);
  if (int64_t(names.size()) != directions * each)
    return failure();
  auto alphas = op->getAttrOfType<DenseF32ArrayAttr>("activation_alpha");
  auto betas = op->getAttrOfType<DenseF32ArrayAttr>("activation_beta");
  int64_t nextAlpha = 0, nextBeta = 0;
  for (StringRef name : names) {
    const KnownActivation *known = findActivation(name);
    if (!known)
      return failure();
    BoundActivation bound{known, known->alpha, known->beta};
    if (known->takesAlpha && alphas && nextAlpha < alphas.size())
      bound.alpha = alphas[nextAlpha++];
    if (known->takesBeta && betas && nextBeta < betas.size())
      bound.beta = betas[nextBeta++];
    result.push_back(bound);
  }
  return success();
}
