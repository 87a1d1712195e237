//===- DotToLLVM.cpp - Products of groups of bytes --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One instruction where the processor has it for vectors of this size:
//
//   x86      vpdpbusd, unsigned by signed; for two of a kind one of them is
//            moved by 128 and what that adds is taken away again, unless the
//            processor has vpdpbssd and vpdpbuud
//   aarch64  sdot, udot, usdot
//
// Otherwise x86 multiplies pairs of 16 bits, and all others single words.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace {

/// Writes the products for one module's processor.
class DotExpander {
public:
  explicit DotExpander(ModuleOp module);
  void expand(onnxc::krnl::DotOp op);

private:
  bool has(StringRef feature) const { return features.contains(feature); }
  Value call(StringRef name, ValueRange operands);
  Value splat(VectorType type, int64_t value);
  /// Bytes as a vector of i32.
  Value asWords(Value bytes);
  bool hasMixed() const;
  Value mixed(Value sum, Value isUnsigned, Value isSigned);
  Value sameSigns(StringRef sign, Value sum, Value x, Value y);
  Value byMixed(Value sum, Value x, Value y, bool isSigned);
  Value byPairs(Value sum, Value x, bool xSigned, Value y, bool ySigned);
  Value byWords(Value sum, Value x, bool xSigned, Value y, bool ySigned);
  Value part(Value words, int64_t first, int64_t bits, bool isSigned);
  StringRef pairProduct() const;

  llvm::Triple::ArchType arch = llvm::Triple::UnknownArch;
  llvm::StringSet<> features;
  ImplicitLocOpBuilder b;
  /// Lanes of the sums.
  int64_t lanes = 0;
};

} // namespace

DotExpander::DotExpander(ModuleOp module)
    : b(module.getLoc(), module.getContext()) {
  auto target = module->getAttrOfType<DictionaryAttr>("krnl.target");
  if (!target)
    return;
  if (auto triple = target.getAs<StringAttr>("triple"))
    arch = llvm::Triple(triple.getValue()).getArch();
  if (auto list = target.getAs<StringAttr>("features")) {
    SmallVector<StringRef> words;
    list.getValue().split(words, ',', -1, /*KeepEmpty=*/false);
    for (StringRef word : words)
      if (word.consume_front("+"))
        features.insert(word);
  }
}

Value DotExpander::call(StringRef name, ValueRange operands) {
  auto op = LLVM::CallIntrinsicOp::create(b, operands.front().getType(),
                                          b.getStringAttr(name), operands);
  return op.getResults();
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

/// Is there an instruction for unsigned by signed bytes?
bool DotExpander::hasMixed() const {
  if (arch == llvm::Triple::aarch64)
    return lanes == 4 && has("i8mm");
  if (arch != llvm::Triple::x86_64)
    return false;
  if (lanes == 16)
    return has("avx512vnni");
  return (lanes == 4 || lanes == 8) &&
         (has("avxvnni") || (has("avx512vnni") && has("avx512vl")));
}

Value DotExpander::mixed(Value sum, Value isUnsigned, Value isSigned) {
  StringRef name = arch == llvm::Triple::aarch64
                       ? "llvm.aarch64.neon.usdot.v4i32.v16i8"
                   : lanes == 16 ? "llvm.x86.avx512.vpdpbusd.512"
                   : lanes == 8  ? "llvm.x86.avx512.vpdpbusd.256"
                                 : "llvm.x86.avx512.vpdpbusd.128";
  return call(name, {sum, isUnsigned, isSigned});
}

/// An instruction for two operands of one kind, "s" or "u"; null without one.
Value DotExpander::sameSigns(StringRef sign, Value sum, Value x, Value y) {
  if (arch == llvm::Triple::aarch64 && lanes == 4 && has("dotprod"))
    return call(("llvm.aarch64.neon." + sign + "dot.v4i32.v16i8").str(),
                {sum, x, y});
  if (arch == llvm::Triple::x86_64 && (lanes == 4 || lanes == 8) &&
      has("avxvnniint8"))
    return call(
        ("llvm.x86.avx2.vpdpb" + sign + sign + "d." + Twine(lanes * 32)).str(),
        {sum, x, y});
  return {};
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

/// The instruction that multiplies 16 bits and adds neighbours, if there is
/// one.
StringRef DotExpander::pairProduct() const {
  if (arch != llvm::Triple::x86_64)
    return {};
  if (lanes == 4)
    return "llvm.x86.sse2.pmadd.wd";
  if (lanes == 8 && has("avx2"))
    return "llvm.x86.avx2.pmadd.wd";
  return lanes == 16 && has("avx512bw") ? "llvm.x86.avx512.pmaddw.d.512" : "";
}

Value DotExpander::byPairs(Value sum, Value x, bool xSigned, Value y,
                           bool ySigned) {
  auto halves = VectorType::get({2 * lanes}, b.getI16Type());
  x = vector::BitCastOp::create(b, halves, x);
  y = vector::BitCastOp::create(b, halves, y);
  for (int64_t first : {0, 8}) {
    Value a = part(x, first, 8, xSigned), c = part(y, first, 8, ySigned);
    auto product = LLVM::CallIntrinsicOp::create(
        b, sum.getType(), b.getStringAttr(pairProduct()), ValueRange{a, c});
    sum = arith::AddIOp::create(b, sum, product.getResults());
  }
  return sum;
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

void DotExpander::expand(onnxc::krnl::DotOp op) {
  b.setInsertionPoint(op);
  b.setLoc(op.getLoc());
  lanes = cast<VectorType>(op.getAcc().getType()).getNumElements();
  Value sum = op.getAcc(), x = op.getLhs(), y = op.getRhs();
  bool xSigned = op.getLhsSigned(), ySigned = op.getRhsSigned();
  Value result;
  if (xSigned == ySigned)
    result = sameSigns(xSigned ? "s" : "u", sum, x, y);
  if (!result && hasMixed())
    result = xSigned == ySigned ? byMixed(sum, x, y, xSigned)
             : xSigned          ? mixed(sum, y, x)
                                : mixed(sum, x, y);
  if (!result)
    result = pairProduct().empty() ? byWords(sum, x, xSigned, y, ySigned)
                                   : byPairs(sum, x, xSigned, y, ySigned);
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

void onnxc::expandDots(ModuleOp module) {
  SmallVector<krnl::DotOp> dots;
  module.walk([&](krnl::DotOp op) { dots.push_back(op); });
  DotExpander expander(module);
  for (krnl::DotOp dot : dots)
    expander.expand(dot);
}
