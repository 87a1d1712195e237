//===- ConversionTests.cpp - Half and bfloat16 helpers --------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The helpers of the runtime against the decoder of the printer, over every
// 16-bit pattern.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

using namespace onnxc::rt;

extern "C" {
float __extendhfsf2(_Float16);
_Float16 __truncsfhf2(float);
_Float16 __truncdfhf2(double);
__bf16 __truncsfbf2(float);
__bf16 __truncdfbf2(double);
}

template <typename T>
static uint16_t bits(T value) {
  uint16_t result;
  memcpy(&result, &value, 2);
  return result;
}

template <typename T>
static T value(uint16_t bits) {
  T result;
  memcpy(&result, &bits, 2);
  return result;
}

TEST(Conversions, HalfExtendsExactly) {
  for (uint32_t i = 0; i < 65536; ++i) {
    double exact = smallFloatToDouble(ONNX_TYPE_FLOAT16, i);
    float extended = __extendhfsf2(value<_Float16>(uint16_t(i)));
    ASSERT_TRUE(std::isnan(exact)
                    ? std::isnan(extended)
                    : exact == double(extended) &&
                          std::signbit(exact) == std::signbit(extended))
        << i;
  }
}

/// Every value comes back; halfway goes to the even one, more goes up.
template <typename Truncate>
static void checkRounding(OM_DATA_TYPE type, uint16_t infinity,
                          Truncate truncate) {
  for (uint16_t i = 0; i < infinity; ++i) {
    double low = smallFloatToDouble(type, i);
    double high = i + 1 == infinity
                      ? 2 * low - smallFloatToDouble(type, uint16_t(i - 1))
                      : smallFloatToDouble(type, uint16_t(i + 1));
    double middle = low + (high - low) / 2;
    ASSERT_EQ(truncate(low), i);
    ASSERT_EQ(truncate(-low), i | 0x8000);
    ASSERT_EQ(truncate(middle), i + (i & 1)) << i;
    ASSERT_EQ(truncate(low + (high - low) * 0.75), i + 1) << i;
    ASSERT_EQ(truncate(low + (high - low) * 0.25), i) << i;
  }
  ASSERT_EQ(truncate(INFINITY), infinity);
  ASSERT_EQ(truncate(-INFINITY), infinity | 0x8000);
  ASSERT_GT(truncate(NAN) & 0x7fff, infinity);
  ASSERT_EQ(truncate(1e300), infinity);
  ASSERT_EQ(truncate(1e-300), 0);
}

TEST(Conversions, DoubleToHalfRoundsOnce) {
  checkRounding(ONNX_TYPE_FLOAT16, 0x7c00,
                [](double x) { return bits(__truncdfhf2(x)); });
}

TEST(Conversions, FloatToHalfRounds) {
  checkRounding(ONNX_TYPE_FLOAT16, 0x7c00,
                [](double x) { return bits(__truncsfhf2(float(x))); });
}

TEST(Conversions, DoubleToBfloatRoundsOnce) {
  checkRounding(ONNX_TYPE_BFLOAT16, 0x7f80,
                [](double x) { return bits(__truncdfbf2(x)); });
}

TEST(Conversions, FloatToBfloatRounds) {
  for (uint32_t i = 0; i < 0x7f80; ++i) {
    uint32_t low = i << 16;
    EXPECT_EQ(bits(__truncsfbf2(std::bit_cast<float>(low))), i);
    EXPECT_EQ(bits(__truncsfbf2(std::bit_cast<float>(low | 0x8000u))),
              i + (i & 1));
    EXPECT_EQ(bits(__truncsfbf2(std::bit_cast<float>(low | 0x8001u))), i + 1);
  }
  EXPECT_GT(bits(__truncsfbf2(NAN)) & 0x7fff, 0x7f80);
}
