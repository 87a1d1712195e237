//===- LookupToLLVM.cpp - Bytes looked up in a table ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The table is in registers, in parts that one instruction looks up in. Parts
// of 128 bytes are two, of which the highest bit of a byte selects one. Of
// parts of 16 bytes, each adds its difference to the one before where the byte
// is not below the part:
//
//   part 0:  a0 = byte         y = shuffle(table 0, a0)
//   part 1:  a1 = a0 - 16      y = y xor shuffle(table 1 xor table 0, a1)
//   ..
//
// An instruction gives 0 where the highest bit of `a` is set, which subtraction
// with saturation keeps. So bytes of 128 and more take nothing from parts 0 to
// 7; parts 8 to 15 begin with their highest bit turned over.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Lookup.h"

using namespace mlir;
using onnxc::krnl::LookupForm;

namespace {

/// Writes the lookups for one module's processor.
class LookupExpander {
public:
  explicit LookupExpander(ModuleOp module)
      : target(onnxc::krnl::TargetAttr::of(module)),
        b(module.getLoc(), module.getContext()) {}

  LogicalResult expand(onnxc::krnl::LookupOp op);

private:
  Value call(StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, operands.front().getType(),
                                         b.getStringAttr(name), operands)
        .getResults();
  }
  Value constant(ArrayRef<int8_t> bytes) {
    auto type = VectorType::get({form->lanes}, b.getI8Type());
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, bytes));
  }
  Value splat(int8_t byte) {
    return constant(SmallVector<int8_t>(form->lanes, byte));
  }
  Value lookUp(Value bytes, ArrayRef<int8_t> table);
  Value byHalves(Value bytes, ArrayRef<int8_t> table);
  Value byDifferences(Value bytes, ArrayRef<int8_t> table);
  Value slice(Value bytes, int64_t first, int64_t lanes);
  Value joined(Value first, Value second);

  onnxc::krnl::TargetAttr target;
  ImplicitLocOpBuilder b;
  std::optional<LookupForm> form;
};

} // namespace

/// The table has 256 bytes, in four registers.
Value LookupExpander::byHalves(Value bytes, ArrayRef<int8_t> table) {
  SmallVector<Value> halves;
  for (int64_t first : {0, 128})
    halves.push_back(
        call(form->instruction, {constant(table.slice(first, 64)), bytes,
                                 constant(table.slice(first + 64, 64))}));
  Value isHigh =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bytes, splat(0));
  return arith::SelectOp::create(b, isHigh, halves[1], halves[0]);
}

/// The table has 128 bytes, `bytes` are signed, and results of negative ones 0.
Value LookupExpander::byDifferences(Value bytes, ArrayRef<int8_t> table) {
  Value result;
  for (int64_t first = 0; first < int64_t(table.size());
       first += form->partBytes) {
    SmallVector<int8_t> part;
    for (int64_t lane = 0; lane < form->lanes; ++lane) {
      int64_t at = first + lane % form->partBytes;
      int before = first == 0 ? 0 : table[at - form->partBytes];
      part.push_back(int8_t(table[at] ^ before));
    }
    if (first > 0)
      bytes = call("llvm.ssub.sat", {bytes, splat(int8_t(form->partBytes))});
    Value looked = call(form->instruction, {constant(part), bytes});
    result = result ? arith::XOrIOp::create(b, result, looked) : looked;
  }
  return result;
}

Value LookupExpander::lookUp(Value bytes, ArrayRef<int8_t> table) {
  if (form->partBytes == 128)
    return byHalves(bytes, table);
  Value low = byDifferences(bytes, table.take_front(128));
  Value moved = arith::XOrIOp::create(b, bytes, splat(-128));
  return arith::XOrIOp::create(b, low,
                               byDifferences(moved, table.drop_front(128)));
}

/// Lanes from `first` on; those that the vector lacks are any.
Value LookupExpander::slice(Value bytes, int64_t first, int64_t lanes) {
  int64_t size = cast<VectorType>(bytes.getType()).getNumElements();
  if (first == 0 && lanes == size)
    return bytes;
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < lanes; ++lane)
    from.push_back(std::min(first + lane, size - 1));
  return vector::ShuffleOp::create(b, bytes, bytes, from);
}

/// The lanes of one vector after those of another.
Value LookupExpander::joined(Value first, Value second) {
  int64_t size = cast<VectorType>(first.getType()).getNumElements() +
                 cast<VectorType>(second.getType()).getNumElements();
  return vector::ShuffleOp::create(b, first, second,
                                   llvm::to_vector(llvm::seq<int64_t>(size)));
}

LogicalResult LookupExpander::expand(onnxc::krnl::LookupOp op) {
  b.setInsertionPoint(op);
  b.setLoc(op.getLoc());
  auto type = dyn_cast<VectorType>(op.getByte().getType());
  int64_t lanes = type ? type.getNumElements() : 1;
  form = onnxc::krnl::lookupFormOf(target, lanes);
  if (!form)
    return op.emitOpError("needs a target with instructions for it");
  Value bytes = op.getByte();
  if (!type)
    bytes = vector::BroadcastOp::create(
        b, VectorType::get({form->lanes}, b.getI8Type()), bytes);
  Value result;
  for (int64_t first = 0; first < lanes; first += form->lanes) {
    Value part = lookUp(slice(bytes, first, form->lanes), op.getTable());
    result = result ? joined(result, part) : part;
  }
  if (!type)
    result = vector::ExtractOp::create(b, result, int64_t(0));
  else
    result = slice(result, 0, lanes);
  op.getResult().replaceAllUsesWith(result);
  op.erase();
  return success();
}

LogicalResult onnxc::expandLookups(ModuleOp module) {
  SmallVector<krnl::LookupOp> lookups;
  module.walk([&](krnl::LookupOp op) { lookups.push_back(op); });
  LookupExpander expander(module);
  for (krnl::LookupOp lookup : lookups)
    if (failed(expander.expand(lookup)))
      return failure();
  return success();
}
