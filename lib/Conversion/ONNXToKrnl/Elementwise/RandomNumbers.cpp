//===- RandomNumbers.cpp - Random numbers inside kernels --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Elementwise/RandomNumbers.h"
#include "Builders/HostValues.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;

namespace onnxc {

RandomDraw RandomDraw::get(OpBuilder &b, Location loc,
                           std::optional<float> seed) {
  int64_t bits = seed ? int64_t(llvm::bit_cast<uint32_t>(*seed)) : 0;
  Type i64 = b.getI64Type();
  auto call = krnl::CallOp::create(
      b, loc, TypeRange{i64, i64}, "onnxc_call_random_key", ValueRange(),
      ArrayRef<int64_t>{seed.has_value(), bits}, /*stateful=*/true);
  return {call.getResult(0), call.getResult(1)};
}

RandomDraw RandomDraw::inside(krnl::KernelBuilder &kernel) const {
  return {kernel.scalar(key), kernel.scalar(number)};
}

namespace {
/// i64 arithmetic on words of 32 bits.
class Words {
public:
  Words(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(uint64_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getI64IntegerAttr(int64_t(value)));
  }
  Value low(Value x) {
    return arith::AndIOp::create(b, loc, x, constant(0xffffffff));
  }
  Value high(Value x) {
    return arith::ShRUIOp::create(b, loc, x, constant(32));
  }
  Value add(Value x, uint64_t y) {
    return low(arith::AddIOp::create(b, loc, x, constant(y)));
  }
  Value multiply(Value x, uint64_t y) {
    return arith::MulIOp::create(b, loc, x, constant(y));
  }
  Value exclusiveOr(Value x, Value y, Value z) {
    return arith::XOrIOp::create(b, loc, arith::XOrIOp::create(b, loc, x, y),
                                 z);
  }

private:
  OpBuilder &b;
  Location loc;
};
} // namespace

SmallVector<Value> randomWords(OpBuilder &b, Location loc, RandomDraw draw,
                               Value position) {
  Words w(b, loc);
  SmallVector<Value> c{w.low(position), w.high(position), w.low(draw.number),
                       w.high(draw.number)};
  Value key0 = w.low(draw.key), key1 = w.high(draw.key);
  for (int round = 0; round < 10; ++round) {
    Value x = w.multiply(c[0], 0xd2511f53), y = w.multiply(c[2], 0xcd9e8d57);
    c = {w.exclusiveOr(w.high(y), c[1], key0), w.low(y),
         w.exclusiveOr(w.high(x), c[3], key1), w.low(x)};
    key0 = w.add(key0, 0x9e3779b9);
    key1 = w.add(key1, 0xbb67ae85);
  }
  return c;
}

/// The upper `bits` of the 64 that two words have, as a float.
static Value upperBits(ScalarBuilder &s, Value word, Value moreBits,
                       unsigned bits) {
  OpBuilder &b = s.builder();
  Location loc = s.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  Value all = arith::OrIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, word, constant(32)), moreBits);
  Value upper = arith::ShRUIOp::create(b, loc, all, constant(64 - bits));
  if (bits <= 31)
    upper = arith::TruncIOp::create(b, loc, b.getI32Type(), upper);
  return arith::SIToFPOp::create(b, loc, s.type(), upper);
}

static unsigned precisionOf(ScalarBuilder &s) {
  return cast<FloatType>(s.type()).getFPMantissaWidth();
}

Value uniformNumber(ScalarBuilder &s, Value word, Value moreBits) {
  unsigned bits = precisionOf(s);
  return s.mul(upperBits(s, word, moreBits, bits),
               s.constant(std::ldexp(1.0, -int(bits))));
}

Value openUniformNumber(ScalarBuilder &s, Value word, Value moreBits) {
  unsigned bits = precisionOf(s) - 1; // a half more is exact
  Value between = s.add(upperBits(s, word, moreBits, bits), s.constant(0.5));
  return s.mul(between, s.constant(std::ldexp(1.0, -int(bits))));
}

Value linearPosition(OpBuilder &b, Location loc, ValueRange sizes,
                     ValueRange index) {
  Value position = indexConstant(b, loc, 0);
  for (auto [size, i] : llvm::zip(sizes, index))
    position = addIndex(b, loc, mulIndex(b, loc, position, size), i);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
}

} // namespace onnxc
