//===- DotToLLVM.cpp - Products of groups of bytes --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One instruction where the target has it for vectors of this size. With one
// for unsigned by signed bytes alone, an operand of two of equal signedness is
// offset by 128 and the added term is subtracted. Otherwise pairs of 16 bits
// are multiplied where the target has an instruction for that, which may add
// them to a sum, or single words. A vector of bytes for one sum is multiplied
// by one instruction, or in groups of four. Numbers of 16 bits are such pairs.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

/// Writes the products for one module's processor.
class DotExpander {
public:
  explicit DotExpander(ModuleOp module);
  void expand(onnxc::krnl::DotOp op);
  void expand(onnxc::krnl::PairSumsOp op);

private:
  StringRef instruction(const Twine &operation) const {
    return target.getInstruction(operation, lanes);
  }
  Value call(StringRef name, Type type, ValueRange operands);
  Value splat(VectorType type, int64_t value);
  /// Bytes as a vector of i32.
  Value asWords(Value bytes);
  Value mixed(Value sum, Value isUnsigned, Value isSigned);
  Value byMixed(Value sum, Value x, Value y, bool isSigned);
  Value byPairs(Value sum, Value x, bool xSigned, Value y, bool ySigned);
  Value ofPairs(Value sum, Value x, Value y);
  Value everyOther(Value words, bool isSigned);
  Value byPairSums(Value sum, Value x, bool xSigned, Value y, bool ySigned);
  Value byWords(Value sum, Value x, bool xSigned, Value y, bool ySigned);
  Value byVectors(Value sum, Value x, bool xSigned, Value y, bool ySigned);
  Value inWords(Value sum, Value x, bool xSigned, Value y, bool ySigned);
  Value inGroups(Value sum, Value x, bool xSigned, Value y, bool ySigned);
  Value part(Value words, int64_t first, int64_t bits, bool isSigned);

  onnxc::krnl::TargetAttr target;
  ImplicitLocOpBuilder b;
  /// Lanes of the sums.
  int64_t lanes = 0;
};

} // namespace

DotExpander::DotExpander(ModuleOp module)
    : target(onnxc::krnl::TargetAttr::of(module)),
      b(module.getLoc(), module.getContext()) {}

Value DotExpander::call(StringRef name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands)
      .getResults();
}

Value DotExpander::splat(VectorType type, int64_t value) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             type, b.getIntegerAttr(type.getElementType(), value)));
}

Value DotExpander::asWords(Value bytes) {
  return vector::BitCastOp::create(b, VectorType::get({lanes}, b.getI32Type()),
                                   bytes);
}

Value DotExpander::mixed(Value sum, Value isUnsigned, Value isSigned) {
  return call(instruction("dot_us"), sum.getType(),
              {sum, isUnsigned, isSigned});
}

/// x * y = (x + 128) * y - 128 * y for signed bytes, whose sign bit is turned
/// over; (x + 128) is unsigned. Likewise x * (y - 128) + 128 * x for unsigned
/// ones, where 128 is twice 64.
Value DotExpander::byMixed(Value sum, Value x, Value y, bool isSigned) {
  auto type = cast<VectorType>(x.getType());
  Value signBits = splat(type, -128);
  if (isSigned) {
    Value moved = arith::XOrIOp::create(b, x, signBits);
    Value zero = splat(cast<VectorType>(sum.getType()), 0);
    Value added = mixed(zero, signBits, y);
    return arith::SubIOp::create(b, mixed(sum, moved, y), added);
  }
  Value moved = arith::XOrIOp::create(b, y, signBits);
  Value half = splat(type, 64);
  return mixed(mixed(mixed(sum, x, moved), x, half), x, half);
}

/// Bits [first, first + bits) of each word, extended to the word.
Value DotExpander::part(Value words, int64_t first, int64_t bits,
                        bool isSigned) {
  auto type = cast<VectorType>(words.getType());
  int64_t width = type.getElementTypeBitWidth();
  if (first + bits < width)
    words = arith::ShLIOp::create(b, words, splat(type, width - first - bits));
  Value down = splat(type, width - bits);
  if (isSigned)
    return arith::ShRSIOp::create(b, words, down);
  return arith::ShRUIOp::create(b, words, down);
}

Value DotExpander::byPairs(Value sum, Value x, bool xSigned, Value y,
                           bool ySigned) {
  auto halves = VectorType::get({2 * lanes}, b.getI16Type());
  x = vector::BitCastOp::create(b, halves, x);
  y = vector::BitCastOp::create(b, halves, y);
  for (int64_t first : {0, 8}) {
    Value a = part(x, first, 8, xSigned), c = part(y, first, 8, ySigned);
    Value product = call(instruction("pairs"), sum.getType(), {a, c});
    sum = arith::AddIOp::create(b, sum, product);
  }
  return sum;
}

/// Sums of pairs of 16 bits.
Value DotExpander::ofPairs(Value sum, Value x, Value y) {
  if (!instruction("pairs").empty())
    return arith::AddIOp::create(
        b, sum, call(instruction("pairs"), sum.getType(), {x, y}));
  x = asWords(x);
  y = asWords(y);
  for (int64_t first : {0, 16}) {
    Value product =
        arith::MulIOp::create(b, part(x, first, 16, /*isSigned=*/true),
                              part(y, first, 16, /*isSigned=*/true));
    sum = arith::AddIOp::create(b, sum, product);
  }
  return sum;
}

/// Bytes 0 and 2 of a word, extended to its two halves.
Value DotExpander::everyOther(Value word, bool isSigned) {
  StringRef name = instruction(isSigned ? "even_bytes_s" : "even_bytes_u");
  return call(name, word.getType(), word);
}

/// For one sum, in registers of integers.
Value DotExpander::byPairSums(Value sum, Value x, bool xSigned, Value y,
                              bool ySigned) {
  auto word = [&](Value bytes) -> Value {
    return vector::ExtractOp::create(b, bytes, ArrayRef<int64_t>{0});
  };
  Value a = word(asWords(x)), c = word(asWords(y)), total = word(sum);
  Value byte = arith::ConstantIntOp::create(b, 8, 32);
  auto odd = [&](Value word, bool isSigned) {
    Value down = LLVM::FshrOp::create(b, word, word, byte);
    return everyOther(down, isSigned);
  };
  StringRef name = instruction("pairs_sum");
  Type type = total.getType();
  total =
      call(name, type, {everyOther(a, xSigned), everyOther(c, ySigned), total});
  total = call(name, type, {odd(a, xSigned), odd(c, ySigned), total});
  return vector::BroadcastOp::create(b, sum.getType(), total);
}

Value DotExpander::byWords(Value sum, Value x, bool xSigned, Value y,
                           bool ySigned) {
  x = asWords(x);
  y = asWords(y);
  for (int64_t first : {0, 8, 16, 24}) {
    Value product = arith::MulIOp::create(b, part(x, first, 8, xSigned),
                                          part(y, first, 8, ySigned));
    sum = arith::AddIOp::create(b, sum, product);
  }
  return sum;
}

/// For one sum. Of different signedness, x * y = (x - 128) * y + 2 * 64 * y for
/// unsigned x.
Value DotExpander::byVectors(Value sum, Value x, bool xSigned, Value y,
                             bool ySigned) {
  auto bytes = cast<VectorType>(x.getType());
  Value total = vector::ExtractOp::create(b, sum, ArrayRef<int64_t>{0});
  Value no = arith::ConstantIntOp::create(b, 0, 32);
  Value isUnsigned = arith::ConstantIntOp::create(b, !xSigned && !ySigned, 32);
  StringRef name = target.getInstruction("bytes_sum", bytes.getNumElements());
  auto add = [&](Value x, Value y) {
    // Neither subtracted nor exchanged.
    total = call(name, total.getType(), {isUnsigned, no, no, total, x, y});
  };
  if (xSigned != ySigned) {
    if (xSigned)
      std::swap(x, y);
    x = arith::XOrIOp::create(b, x, splat(bytes, -128));
    Value half = splat(bytes, 64);
    add(half, y);
    add(half, y);
  }
  add(x, y);
  return vector::BroadcastOp::create(b, sum.getType(), total);
}

/// Groups of four bytes.
Value DotExpander::inGroups(Value sum, Value x, bool xSigned, Value y,
                            bool ySigned) {
  bool isMixed = xSigned != ySigned;
  StringRef same = isMixed ? "" : instruction(xSigned ? "dot_ss" : "dot_uu");
  if (!same.empty())
    return call(same, sum.getType(), {sum, x, y});
  if (!instruction("dot_us").empty())
    return !isMixed  ? byMixed(sum, x, y, xSigned)
           : xSigned ? mixed(sum, y, x)
                     : mixed(sum, x, y);
  return inWords(sum, x, xSigned, y, ySigned);
}

/// The same without an instruction for groups.
Value DotExpander::inWords(Value sum, Value x, bool xSigned, Value y,
                           bool ySigned) {
  if (!instruction("pairs_sum").empty())
    return byPairSums(sum, x, xSigned, y, ySigned);
  if (!instruction("pairs").empty())
    return byPairs(sum, x, xSigned, y, ySigned);
  return byWords(sum, x, xSigned, y, ySigned);
}

void DotExpander::expand(onnxc::krnl::DotOp op) {
  b.setInsertionPoint(op);
  b.setLoc(op.getLoc());
  lanes = cast<VectorType>(op.getAcc().getType()).getNumElements();
  Value sum = op.getAcc(), x = op.getLhs(), y = op.getRhs();
  bool xSigned = op.getLhsSigned(), ySigned = op.getRhsSigned();
  int64_t bytes = cast<VectorType>(x.getType()).getNumElements();
  if (getElementTypeOrSelf(x.getType()).isInteger(16)) {
    sum = ofPairs(sum, x, y);
  } else if (onnxc::krnl::multipliesSingleGroups(target, bytes / lanes) &&
             bytes == onnxc::krnl::bytesOfLongDot * lanes) {
    sum = byVectors(sum, x, xSigned, y, ySigned);
  } else {
    int64_t step = onnxc::krnl::bytesOfDot * lanes;
    for (int64_t first = 0; first < bytes; first += step) {
      auto group = [&](Value bytes) -> Value {
        auto numbers = llvm::to_vector(llvm::seq<int64_t>(first, first + step));
        return vector::ShuffleOp::create(b, bytes, bytes, numbers);
      };
      sum = step == bytes ? inGroups(sum, x, xSigned, y, ySigned)
                          : inGroups(sum, group(x), xSigned, group(y), ySigned);
    }
  }
  op.getResult().replaceAllUsesWith(sum);
  op.erase();
}

/// Sums that fit are the same modulo 2^16.
void DotExpander::expand(onnxc::krnl::PairSumsOp op) {
  b.setInsertionPoint(op);
  b.setLoc(op.getLoc());
  auto type = cast<VectorType>(op.getType());
  lanes = type.getNumElements() / onnxc::krnl::bytesOfPair;
  Value sums;
  if (StringRef name = instruction("byte_pairs"); !name.empty()) {
    sums = call(name, type, {op.getLhs(), op.getRhs()});
  } else {
    Value x = vector::BitCastOp::create(b, type, op.getLhs());
    Value y = vector::BitCastOp::create(b, type, op.getRhs());
    for (int64_t first : {0, 8}) {
      Value product =
          arith::MulIOp::create(b, part(x, first, 8, /*isSigned=*/false),
                                part(y, first, 8, /*isSigned=*/true));
      sums = sums ? arith::AddIOp::create(b, sums, product) : product;
    }
  }
  op.getResult().replaceAllUsesWith(sums);
  op.erase();
}

void onnxc::expandDots(ModuleOp module) {
  SmallVector<Operation *> dots;
  module.walk([&](Operation *op) {
    if (isa<krnl::DotOp, krnl::PairSumsOp>(op))
      dots.push_back(op);
  });
  DotExpander expander(module);
  for (Operation *dot : dots)
    llvm::TypeSwitch<Operation *>(dot).Case<krnl::DotOp, krnl::PairSumsOp>(
        [&](auto op) { expander.expand(op); });
}
