//===- Builtins.cpp - Conversions that code generation calls ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where the processor has no instruction for them, LLVM calls these functions
// for scalar half and bfloat16 conversions. An artefact needs no compiler
// library, so they are here. Integers only: no conversion may end in a call
// to itself.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <string.h>

namespace {

uint64_t bitsOf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

float floatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// x >> n, rounded to nearest, ties to even.
uint64_t shiftRounding(uint64_t x, int n) {
  if (n <= 0)
    return x << -n;
  if (n > 62)
    return 0;
  uint64_t half = uint64_t(1) << (n - 1);
  uint64_t rest = x & (2 * half - 1), result = x >> n;
  return result + (rest > half || (rest == half && (result & 1)));
}

/// A double (its bits) as a small format with E exponent and M mantissa bits,
/// IEEE style, rounded once.
template <int E, int M>
uint16_t truncate(uint64_t bits) {
  constexpr int bias = (1 << (E - 1)) - 1;
  constexpr uint64_t infinity = uint64_t((1 << E) - 1) << M;
  uint16_t sign = uint16_t(bits >> 63 << (E + M));
  int exponent = int(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 0x7ff) {
    uint64_t quiet = mantissa ? (mantissa >> (52 - M)) | 1ull << (M - 1) : 0;
    return uint16_t(sign | infinity | quiet);
  }
  if (exponent == 0)
    return sign; // far below the smallest value
  int e = exponent - 1023 + bias;
  mantissa |= uint64_t(1) << 52;
  // The carry of rounding runs into the exponent, as it should.
  uint64_t result =
      e >= 1 ? (uint64_t(e - 1) << M) + shiftRounding(mantissa, 52 - M)
             : shiftRounding(mantissa, 52 - M + 1 - e);
  return uint16_t(sign | (result < infinity ? result : infinity));
}

uint32_t extendHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits >> 15) << 31;
  uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023u;
  if (exponent == 31)
    return sign | 0x7f800000u | mantissa << 13 | (mantissa ? 1u << 22 : 0);
  if (exponent == 0 && mantissa == 0)
    return sign;
  if (exponent == 0) { // subnormal: shift the leading one into place
    int shift = __builtin_clz(mantissa) - 21;
    mantissa = mantissa << shift & 1023u;
    exponent = uint32_t(1 - shift);
  }
  return sign | (exponent + 112u) << 23 | mantissa << 13;
}

} // namespace

#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)

// Half and bfloat16 travel in vector registers, whose low 16 bits they are.
#if defined(__aarch64__)
using Half = __fp16;
#else
using Half = _Float16;
#endif

template <typename T>
static T fromBits(uint16_t bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

#define ONNXC_HIDDEN __attribute__((visibility("hidden")))

extern "C" {

ONNXC_HIDDEN float __extendhfsf2(Half value) {
  uint16_t bits;
  memcpy(&bits, &value, sizeof bits);
  return floatOf(extendHalf(bits));
}

ONNXC_HIDDEN Half __truncsfhf2(float value) {
  return fromBits<Half>(truncate<5, 10>(bitsOf(double(value))));
}

ONNXC_HIDDEN Half __truncdfhf2(double value) {
  return fromBits<Half>(truncate<5, 10>(bitsOf(value)));
}

ONNXC_HIDDEN __bf16 __truncsfbf2(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return fromBits<__bf16>(uint16_t(bits >> 16 | 0x40));
  return fromBits<__bf16>(uint16_t((bits + 0x7fffu + (bits >> 16 & 1)) >> 16));
}

ONNXC_HIDDEN __bf16 __truncdfbf2(double value) {
  // A bfloat16 subnormal is a double's normal number; the same rules hold.
  return fromBits<__bf16>(truncate<8, 7>(bitsOf(value)));
}

} // extern "C"

#endif
