//===- ExchangeTiles.cpp - Whole tiles for each thread ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Threads with adjacent numbers have a part of each of as many tiles, and get
// one tile each: a matrix of words is transposed. Of a square of two by two a
// thread keeps one word and gives the other one away:
//
//   thread 0: a b        a c
//   thread 1: c d   ->   b d
//
// The same is done with squares of such squares.
//
//===----------------------------------------------------------------------===//

#include "Device/ExchangeWords.h"
#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// The bits of a vector as one integer.
static Value bitsOf(ImplicitLocOpBuilder &b, Value vector, Type bits) {
  Value one = vector::BitCastOp::create(b, VectorType::get({1}, bits), vector);
  return vector::ExtractOp::create(b, one, 0);
}

/// Lets each thread give the word away that is not in its place.
static void transposeSquare(ImplicitLocOpBuilder &b, Value isSecond,
                            Value &first, Value &second, int64_t distance) {
  Value given = arith::SelectOp::create(b, isSecond, first, second);
  Value got = exchangeWord(b, given, distance);
  first = arith::SelectOp::create(b, isSecond, got, first);
  second = arith::SelectOp::create(b, isSecond, second, got);
}

Value BlockThreads::exchangeTiles(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> parts) const {
  auto type = cast<VectorType>(parts.front().getType());
  auto count = int64_t(parts.size());
  unsigned width =
      unsigned(type.getNumElements()) * type.getElementTypeBitWidth();
  Type bits = b.getIntegerType(width), word = b.getI32Type();
  SmallVector<Value> words;
  for (Value part : parts)
    words.push_back(
        b.createOrFold<arith::ExtUIOp>(word, bitsOf(b, part, bits)));
  Value thread = arith::IndexCastOp::create(b, word, number(b));
  for (int64_t distance = 1; distance < count; distance *= 2) {
    Value bit = arith::AndIOp::create(
        b, thread, arith::ConstantIntOp::create(b, distance, 32));
    Value isSecond =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit,
                              arith::ConstantIntOp::create(b, 0, 32));
    for (int64_t first = 0; first < count; ++first)
      if ((first & distance) == 0)
        transposeSquare(b, isSecond, words[first], words[first | distance],
                        distance);
  }
  for (Value &each : words)
    each = b.createOrFold<arith::TruncIOp>(bits, each);
  Value all =
      vector::FromElementsOp::create(b, VectorType::get({count}, bits), words);
  return vector::BitCastOp::create(
      b,
      VectorType::get({count * type.getNumElements()}, type.getElementType()),
      all);
}

} // namespace onnxc::krnl
