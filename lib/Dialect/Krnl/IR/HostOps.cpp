//===- HostOps.cpp - The operations of the host program -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace onnxc::krnl;

//===----------------------------------------------------------------------===//
// krnl.constant
//===----------------------------------------------------------------------===//

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  if (!type)
    return emitOptionalError(location, "expected the value to be a tensor");
  if (PackedLayoutAttr layout = adaptor.getLayoutAttr())
    type = RankedTensorType::get(layout.getSizes(), type.getElementType());
  types.push_back(type);
  return success();
}

LogicalResult ConstantOp::verify() {
  PackedLayoutAttr layout = getLayoutAttr();
  int64_t rank = cast<RankedTensorType>(getValue().getType()).getRank();
  for (int64_t dim : layout ? layout.getDims() : ArrayRef<int64_t>())
    if (dim < 0 || dim >= rank)
      return emitOpError("layout walks along dimension ")
             << dim << " of a constant of rank " << rank;
  return success();
}

/// A packed constant folds to value and layout together: folders take constants
/// that fold to the same attribute for the same.
OpFoldResult ConstantOp::fold(FoldAdaptor) {
  if (PackedLayoutAttr layout = getLayoutAttr())
    return ArrayAttr::get(getContext(), {getValue(), layout});
  return Attribute(getValue());
}

//===----------------------------------------------------------------------===//
// krnl.call
//===----------------------------------------------------------------------===//

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto isBuffer = [](Type type) { return isa<BaseMemRefType>(type); };
  // A buffer that the callee allocates is another one each time.
  bool buffers = llvm::any_of(getOperandTypes(), isBuffer) ||
                 llvm::any_of(getResultTypes(), isBuffer);
  if (!buffers && !getStateful())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult CallOp::verify() {
  for (int64_t position : getTakes())
    if (position < 0 || position >= int64_t(getNumOperands()) ||
        !isa<ObjType>(getOperand(position).getType()))
      return emitOpError("takes over operand ")
             << position << ", which is no object";
  return success();
}

//===----------------------------------------------------------------------===//
// krnl.launch
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  bool tensors = isa<RankedTensorType>(getOuts().front().getType());
  for (Value out : getOuts())
    if (isa<RankedTensorType>(out.getType()) != tensors)
      return emitOpError("outs are tensors and buffers mixed");
  if (TypeRange(getResults()) != (tensors ? TypeRange(getOuts()) : TypeRange()))
    return emitOpError(tensors ? "results must have the types of the outs"
                               : "a launch on buffers has no results");
  return success();
}

/// The function takes the ins, the outs, an optional scratch buffer and the two
/// ends of the tile range.
LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getKernelAttr());
  if (!function)
    return emitOpError("there is no kernel function ") << getKernelAttr();
  unsigned expected =
      getIns().size() + getOuts().size() + (getScratch() > 0 ? 1 : 0) + 2;
  if (function.getNumArguments() != expected)
    return emitOpError("passes ")
           << expected << " arguments to " << getKernelAttr()
           << ", which takes " << function.getNumArguments();
  return success();
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &in : getInsMutable())
    if (isa<BaseMemRefType>(in.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &in);
  for (OpOperand &out : getOutsMutable())
    if (isa<BaseMemRefType>(out.get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), &out);
      effects.emplace_back(MemoryEffects::Write::get(), &out);
    }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static LogicalResult verifySizes(Operation *op, Type type, size_t sizes) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getLayout().isIdentity())
    return op->emitOpError("expected a contiguous ranked buffer, but got ")
           << type;
  if (size_t(memref.getNumDynamicDims()) != sizes)
    return op->emitOpError("expected one size for each of the ")
           << memref.getNumDynamicDims() << " dynamic dimensions, but got "
           << sizes;
  return success();
}

LogicalResult ArenaViewOp::verify() {
  return verifySizes(*this, getType(), getSizes().size());
}

LogicalResult WeightViewOp::verify() {
  if (failed(verifySizes(*this, getType(), 0)))
    return failure();
  if (int64_t(getOffset()) < 0)
    return emitOpError("expected an offset of at least 0, but got ")
           << int64_t(getOffset());
  return success();
}

LogicalResult AllocOp::verify() {
  return verifySizes(*this, getType(), getSizes().size());
}

LogicalResult FromPointerOp::verify() {
  return verifySizes(*this, getType(), getSizes().size());
}

LogicalResult OutputOp::verify() {
  return verifySizes(*this, getType(), getSizes().size());
}
