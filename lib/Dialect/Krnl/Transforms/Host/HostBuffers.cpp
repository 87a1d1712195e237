//===- HostBuffers.cpp - Utilities of passes on buffers --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Support/ElementBytes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

SmallVector<func::FuncOp> hostFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() &&
        !function->hasAttr(KrnlDialect::kernelAttrName))
      functions.push_back(function);
  return functions;
}

Value viewBase(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

bool isAboutMemory(Operation *op) {
  return isa<ViewLikeOpInterface, arith::SelectOp, memref::DimOp,
             memref::ExtractAlignedPointerAsIndexOp, OutputOp, ReleaseOp,
             CopyInOp, CopyOutOp>(op);
}

SmallVector<Value> dynamicSizes(OpBuilder &builder, Location loc,
                                Value buffer) {
  SmallVector<Value> sizes;
  bufferization::populateDynamicDimSizes(builder, loc, buffer, sizes);
  return sizes;
}

void checkBytes(OpBuilder &b, Location loc, MemRefType type, ValueRange sizes) {
  Value bytes = BufferBytesOp::create(b, loc, sizes, type);
  Value max = arith::ConstantIndexOp::create(b, loc, maxTensorBytes);
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, bytes, max);
  makeCheck(b, loc, fits, "a size is negative or too large", sizes,
            shapeFormat(type.getShape()));
}

/// Elements of type index are stored as 64-bit integers.
static TypedAttr withoutIndex(TypedAttr value) {
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  if (!dense || !dense.getElementType().isIndex())
    return value;
  return dense.mapValues(IntegerType::get(value.getContext(), 64),
                         [](const APInt &element) { return element; });
}

int64_t WeightTable::add(TypedAttr value, Attribute layout, int64_t bytes) {
  value = withoutIndex(value);
  if (layout)
    layout = mergedLayout(cast<PackedLayoutAttr>(layout));
  auto [it, isNew] = offsets.try_emplace({value, layout}, size);
  if (!isNew)
    return it->second;
  MLIRContext *context = value.getContext();
  Builder builder(context);
  NamedAttrList entry;
  entry.set("offset", builder.getI64IntegerAttr(size));
  entry.set("value", value);
  if (layout)
    entry.set("layout", layout);
  entries.push_back(builder.getDictionaryAttr(entry.getAttrs()));
  size = llvm::alignTo(size + bytes, bufferAlignment);
  return it->second;
}

void WeightTable::record(ModuleOp module) const {
  if (entries.empty())
    return;
  Builder builder(module.getContext());
  module->setAttr("krnl.weights", builder.getArrayAttr(entries));
  module->setAttr("krnl.weights_bytes", builder.getI64IntegerAttr(size));
}

} // namespace onnxc::krnl
