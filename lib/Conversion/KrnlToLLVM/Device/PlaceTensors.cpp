//===- PlaceTensors.cpp - Tensors of the caller on the device --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Inputs and outputs that the host program does nothing with but copy them may
// be tensors on the device. Launches then take them from there and write them
// there; the runtime copies the others around the run.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;

namespace onnxc {

/// Returns true if the host program uses the buffer in copies alone. A copy
/// that it waits for is for an operation that reads it.
static bool isCopiedAlone(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [](Operation *user) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return isCopiedAlone(view->getResult(0));
    return isa<krnl::CopyInOp, krnl::CopyOutOp, memref::DimOp>(user);
  });
}

/// The buffer on the device that is copied from or to `host`; null if there are
/// several, as for a buffer that each launch copies.
static Value placeOf(Value host) {
  Value place;
  for (Operation *user : host.getUsers()) {
    Value other;
    if (auto in = dyn_cast<krnl::CopyInOp>(user))
      other = in.getDevice();
    else if (auto out = dyn_cast<krnl::CopyOutOp>(user))
      other = out.getDevice();
    if (other && place && other != place)
      return {};
    place = other ? other : place;
  }
  return place;
}

/// The later one of two definitions in one block; null if they are in two.
static Operation *lastDefinition(Value a, Value b) {
  Operation *first = a.getDefiningOp(), *last = b.getDefiningOp();
  if (!last || a.getParentBlock() != b.getParentBlock())
    return nullptr;
  return first && last->isBeforeInBlock(first) ? first : last;
}

static Value addressOf(OpBuilder &builder, Location loc, Value buffer) {
  Value index =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

/// Launches take the caller's tensor, unless the buffer has no one place.
static void useTensor(Value host, Value call) {
  Value place = placeOf(host);
  Operation *last = place ? lastDefinition(host, place) : nullptr;
  if (!last)
    return;
  Location loc = host.getLoc();
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  Operation *before = &*builder.getInsertionPoint();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value data = LLVM::IntToPtrOp::create(builder, loc, pointer,
                                        addressOf(builder, loc, host));
  Value word = callHook(builder, loc, Hook::DeviceTensor,
                        {call, data, addressOf(builder, loc, place)})
                   .getResult();
  auto type = cast<MemRefType>(place.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(builder, loc, place, i));
  Value tensor = krnl::FromPointerOp::create(
      builder, loc, type, LLVM::IntToPtrOp::create(builder, loc, pointer, word),
      sizes);
  place.replaceUsesWithIf(tensor, [&](OpOperand &use) {
    Operation *user =
        before->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return user && !user->isBeforeInBlock(before);
  });
}

/// Returns true if the function has launches of a device: they have memory
/// there.
static bool hasDevice(func::FuncOp host) {
  return host.walk([](krnl::DeviceAllocOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void placeTensors(func::FuncOp host, Value call) {
  if (!hasDevice(host))
    return;
  Block &body = host.getBody().front();
  SmallVector<int8_t> stays;
  for (BlockArgument input : body.getArguments()) {
    if (input == call)
      break;
    bool isAlone = isa<MemRefType>(input.getType()) && isCopiedAlone(input);
    stays.push_back(isAlone);
    if (isAlone)
      useTensor(input, call);
  }
  size_t numInputs = stays.size();
  for (krnl::OutputOp output :
       llvm::make_early_inc_range(body.getOps<krnl::OutputOp>())) {
    size_t number = numInputs + size_t(output.getIndex());
    stays.resize(std::max(stays.size(), number + 1), 0);
    stays[number] = isCopiedAlone(output.getOutput());
    if (stays[number])
      useTensor(output.getOutput(), call);
  }
  host->setAttr(staysOnDeviceAttrName,
                DenseI8ArrayAttr::get(host.getContext(), stays));
}

} // namespace onnxc
