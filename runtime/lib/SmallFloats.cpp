//===- SmallFloats.cpp - Values of floats below 32 bits ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

using namespace onnxc;

namespace {

/// Which bit patterns are no numbers.
enum class Specials {
  Ieee,      ///< the largest exponent: infinity and NaN
  AllOnes,   ///< only all ones after the sign: NaN
  MinusZero, ///< only the pattern of -0: NaN
  None
};

struct Format {
  OM_DATA_TYPE type;
  int exponentBits, mantissaBits, bias;
  Specials specials;
  bool sign;
};

} // namespace

static const Format formats[] = {
    {ONNX_TYPE_FLOAT16, 5, 10, 15, Specials::Ieee, true},
    {ONNX_TYPE_BFLOAT16, 8, 7, 127, Specials::Ieee, true},
    {ONNX_TYPE_FLOAT8E4M3FN, 4, 3, 7, Specials::AllOnes, true},
    {ONNX_TYPE_FLOAT8E4M3FNUZ, 4, 3, 8, Specials::MinusZero, true},
    {ONNX_TYPE_FLOAT8E5M2, 5, 2, 15, Specials::Ieee, true},
    {ONNX_TYPE_FLOAT8E5M2FNUZ, 5, 2, 16, Specials::MinusZero, true},
    {ONNX_TYPE_FLOAT8E8M0, 8, 0, 127, Specials::AllOnes, false},
    {ONNX_TYPE_FLOAT6E2M3, 2, 3, 1, Specials::None, true},
    {ONNX_TYPE_FLOAT6E3M2, 3, 2, 3, Specials::None, true},
    {ONNX_TYPE_FLOAT4E2M1, 2, 1, 1, Specials::None, true},
};

static double powerOfTwo(int exponent) {
  double result = 1, step = exponent < 0 ? 0.5 : 2;
  for (int n = exponent < 0 ? -exponent : exponent; n > 0; --n)
    result *= step;
  return result;
}

static double decode(const Format &f, uint32_t bits) {
  uint32_t mantissa = bits & ((1u << f.mantissaBits) - 1);
  uint32_t largest = (1u << f.exponentBits) - 1;
  uint32_t exponent = bits >> f.mantissaBits & largest;
  bool negative = f.sign && (bits >> (f.exponentBits + f.mantissaBits) & 1);
  if (f.specials == Specials::Ieee && exponent == largest)
    return mantissa ? __builtin_nan("")
                    : (negative ? -__builtin_inf() : __builtin_inf());
  if (f.specials == Specials::AllOnes && exponent == largest &&
      mantissa == (1u << f.mantissaBits) - 1)
    return __builtin_nan("");
  if (f.specials == Specials::MinusZero && negative && !exponent && !mantissa)
    return __builtin_nan("");
  // Without a mantissa there is no zero and no subnormal either.
  bool subnormal = exponent == 0 && f.mantissaBits > 0;
  double fraction = double(mantissa) / double(1u << f.mantissaBits);
  double value = subnormal
                     ? fraction * powerOfTwo(1 - f.bias)
                     : (1 + fraction) * powerOfTwo(int(exponent) - f.bias);
  return negative ? -value : value;
}

double rt::smallFloatToDouble(OM_DATA_TYPE type, uint32_t bits) {
  for (const Format &format : formats)
    if (format.type == type)
      return decode(format, bits);
  return 0;
}
