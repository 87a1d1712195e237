//===- ShareConstants.cpp - krnl-share-constants ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Layers of a quantised network differ in their scales alone, and each scale is
// a number in the payload of a kernel:
//
//   kernel "a" ins(%x) { mulf %s, 0.25 }, kernel "b" ins(%z) { mulf %s, 0.5 }
// -> kernel "a" ins(%x, 0.25) { mulf %s, %p }, kernel "b" ins(%z, 0.5) the same
//
// One function is then emitted for both.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"
#include "onnxc/Dialect/Krnl/Emit/Passes.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLSHARECONSTANTSPASS
#include "onnxc/Dialect/Krnl/Emit/Passes.h.inc"

/// Each number that is passed takes a register of the kernel, or a read of the
/// stack; more of them would cost more than the function they save.
static constexpr unsigned maxPassed = 16;

namespace {

/// A kernel with the floats of its payloads, in the order of the program.
struct Member {
  KernelOp kernel;
  SmallVector<arith::ConstantOp> constants;
  SmallVector<TypedAttr> values;
};

} // namespace

static Member collect(KernelOp kernel) {
  Member member{kernel, {}, {}};
  kernel.walk([&](arith::ConstantOp constant) {
    if (!isa<FloatType>(constant.getType()) ||
        !isa<ComputeOp>(constant->getParentOp()))
      return;
    member.constants.push_back(constant);
    member.values.push_back(constant.getValue());
  });
  return member;
}

/// Makes the constant a scalar operand of its kernel.
static void passConstant(KernelOp kernel, arith::ConstantOp constant,
                         TypedAttr value) {
  OpBuilder builder(kernel);
  Value outer = arith::ConstantOp::create(builder, kernel.getLoc(), value);
  constant.replaceAllUsesWith(Value(kernel.addInput(outer)));
  constant.erase();
}

/// Passes the constants that differ among the members of a group as operands.
static void shareGroup(ArrayRef<Member> group) {
  SmallVector<unsigned> different;
  for (unsigned i = 0; i < group.front().values.size(); ++i)
    if (llvm::any_of(group, [&](const Member &member) {
          return member.values[i] != group.front().values[i];
        }))
      different.push_back(i);
  if (different.size() > maxPassed)
    return;
  for (const Member &member : group)
    for (unsigned i : different)
      passConstant(member.kernel, member.constants[i], member.values[i]);
}

/// Makes kernels equal that differ only in floats of their payloads.
static void shareConstants(ArrayRef<KernelOp> kernels) {
  // Without their numbers, kernels of one group are equal.
  llvm::MapVector<unsigned, SmallVector<SmallVector<Member, 0>, 1>> byHash;
  SmallVector<Member, 0> members;
  for (KernelOp kernel : kernels) {
    Member member = collect(kernel);
    if (member.constants.empty())
      continue;
    OpBuilder builder(kernel);
    for (arith::ConstantOp constant : member.constants)
      constant.setValueAttr(builder.getZeroAttr(constant.getType()));
    members.push_back(std::move(member));
  }
  for (const Member &member : members) {
    auto &groups = byHash[unsigned(hashOf(member.kernel))];
    auto *group = llvm::find_if(groups, [&](ArrayRef<Member> group) {
      return areEqual(group.front().kernel, member.kernel);
    });
    if (group == groups.end())
      groups.emplace_back(1, member);
    else
      group->push_back(member);
  }
  for (Member &member : members)
    for (auto [constant, value] :
         llvm::zip_equal(member.constants, member.values))
      constant.setValueAttr(value);
  for (auto &[hash, groups] : byHash)
    for (ArrayRef<Member> group : groups)
      shareGroup(group);
}

namespace {
struct KrnlShareConstants
    : public impl::KrnlShareConstantsPassBase<KrnlShareConstants> {
  void runOnOperation() override { shareConstants(kernelsOf(getOperation())); }
};
} // namespace

} // namespace onnxc::krnl
