//===- Signal.cpp - Fourier transforms and complex numbers -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

using namespace onnxc::schema::microsoft;

static void refuseOther(const Body &b) {
  if (b.integer("signal_ndim", 1) != 1 || b.integer("onesided", 1) != 1 ||
      b.integer("normalized", 0) != 0)
    b.refuse("signal_ndim");
}

static bool fillRfft(Body &b) {
  refuseOther(b);
  b.ints("last", {-1});
  b << "pairs = Unsqueeze(X, last)" << "Y = DFT<onesided = 1>(pairs)";
  return true;
}

static bool fillIrfft(Body &b) {
  refuseOther(b);
  b.ints("last", {-1});
  b << "reals = DFT<onesided = 1, inverse = 1>(X)"
    << "Y = Squeeze(reals, last)";
  return true;
}
/// (a + bi) * (c + di), or (c - di)
static bool multiply(Body &b, bool isConjugate) {
  b << "a, b = Split<axis = -1, num_outputs = 2>(A)"
    << "c, d = Split<axis = -1, num_outputs = 2>(B)" << "ac = Mul(a, c)"
    << "bd = Mul(b, d)" << "ad = Mul(a, d)" << "bc = Mul(b, c)"
    << (isConjugate ? "real = Add(ac, bd)" : "real = Sub(ac, bd)")
    << (isConjugate ? "imaginary = Sub(bc, ad)" : "imaginary = Add(bc, ad)")
    << "C = Concat<axis = -1>(real, imaginary)";
  return true;
}

static bool fillComplexMul(Body &b) { return multiply(b, false); }
static bool fillComplexMulConj(Body &b) { return multiply(b, true); }

void onnxc::schema::microsoft::registerSignal() {
  const char *types = "T=f32 f64 f16";
  const Row rows[] = {
      {"Rfft", "Transform of reals along the last dimension.", "X:T", "Y:T",
       "onesided:i=1, normalized:i=0, signal_ndim:i=1", types, fillRfft},
      {"Irfft", "The inverse of Rfft.", "X:T", "Y:T",
       "onesided:i=1, normalized:i=0, signal_ndim:i=1", types, fillIrfft},
      {"ComplexMul", "Products of pairs of real and imaginary part.",
       "A:T, B:T", "C:T", "", types, fillComplexMul},
      {"ComplexMulConj", "The same with the conjugates of B.", "A:T, B:T",
       "C:T", "", types, fillComplexMulConj}};
  for (const Row &row : rows)
    define(row);
}
