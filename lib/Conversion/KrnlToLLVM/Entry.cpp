//===- Entry.cpp - Signatures of kernels and of the host -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/StackBytes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/FunctionAttributes.h"

using namespace mlir;

namespace onnxc {

/// Stack buffers belong to the function, not to the loop that uses them, and
/// are aligned for any vector.
static void hoistStackBuffers(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  SmallVector<memref::AllocaOp> buffers;
  kernel.walk([&](memref::AllocaOp op) { buffers.push_back(op); });
  for (memref::AllocaOp op : llvm::reverse(buffers)) {
    if (!op.getType().hasStaticShape())
      continue;
    op->moveBefore(&entry, entry.begin());
    if (!op.getAlignment())
      op.setAlignment(krnl::stackAlignment);
  }
}

static int64_t alignmentOf(memref::AllocaOp buffer) {
  return int64_t(buffer.getAlignment().value_or(1));
}

static int64_t bytesOf(memref::AllocaOp buffer) {
  MemRefType type = buffer.getType();
  return type.getNumElements() * elementBytes(type.getElementType());
}

/// The bytes that the buffers have at most where the assembler orders them in
/// its own way, with gaps between and before them.
static int64_t bytesInAnyOrder(ArrayRef<memref::AllocaOp> buffers) {
  int64_t alignment = 1, bytes = 0;
  for (memref::AllocaOp op : buffers)
    alignment = std::max(alignment, alignmentOf(op));
  for (memref::AllocaOp op : buffers)
    bytes += int64_t(llvm::alignTo(bytesOf(op), alignment));
  return bytes + alignment;
}

/// Where each of the buffers is in the shared memory of a block, and how many
/// bytes all of them have; those with the largest alignment come first.
static std::pair<SmallVector<int64_t>, int64_t>
offsetsOf(ArrayRef<memref::AllocaOp> buffers) {
  SmallVector<std::pair<int64_t, unsigned>> order;
  for (auto [i, op] : llvm::enumerate(buffers))
    order.push_back({-alignmentOf(op), unsigned(i)});
  llvm::sort(order);
  SmallVector<int64_t> offsets(buffers.size());
  int64_t bytes = 0;
  for (auto [alignment, i] : order) {
    memref::AllocaOp op = buffers[i];
    offsets[i] = int64_t(llvm::alignTo(bytes, -alignment));
    bytes = offsets[i] + bytesOf(op);
  }
  return {offsets, bytes};
}

/// The symbol of memory that launches ask for, whose type has no size.
static memref::GlobalOp dynamicShared(ModuleOp module, Attribute space) {
  constexpr StringRef name = "dynamic_shared";
  if (auto known = module.lookupSymbol<memref::GlobalOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = MemRefType::get({0}, builder.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  return memref::GlobalOp::create(
      builder, module.getLoc(), name, /*sym_visibility=*/StringAttr(), type,
      /*initial_value=*/Attribute(), /*constant=*/false,
      builder.getI64IntegerAttr(krnl::SwizzledSlice::alignment));
}

/// A part of the memory that launches ask for, in place of `op`.
static Value makeDynamicPart(memref::AllocaOp op, int64_t at) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  memref::GlobalOp all = dynamicShared(op->getParentOfType<ModuleOp>(),
                                       op.getType().getMemorySpace());
  Value base = memref::GetGlobalOp::create(builder, loc, all.getType(),
                                           all.getSymName());
  Value offset = arith::ConstantIndexOp::create(builder, loc, at);
  return memref::ViewOp::create(builder, loc, op.getType(), base, offset,
                                ValueRange());
}

/// A symbol of this name, in place of `op`.
static Value makeSymbol(memref::AllocaOp op, StringRef name) {
  OpBuilder outside(op->getParentOfType<func::FuncOp>()), inside(op);
  memref::GlobalOp::create(outside, op.getLoc(), name,
                           outside.getStringAttr("private"), op.getType(),
                           outside.getUnitAttr(), /*constant=*/false,
                           op.getAlignmentAttr());
  return memref::GetGlobalOp::create(inside, op.getLoc(), op.getType(), name);
}

/// What the threads of a block share is a symbol of the module. Only launches
/// can ask for more than a block may have of such symbols; then all is part of
/// what they ask for.
static void makeSharedBuffers(func::FuncOp kernel) {
  SmallVector<memref::AllocaOp> buffers;
  kernel.walk([&](memref::AllocaOp op) {
    if (op.getType().getMemorySpace())
      buffers.push_back(op);
  });
  if (buffers.empty())
    return;
  auto [offsets, bytes] = offsetsOf(buffers);
  bool isDynamic =
      bytesInAnyOrder(buffers) > target::Processor::freeSharedBytes;
  if (isDynamic)
    kernel->setAttr(krnl::KrnlDialect::sharedBytesAttrName,
                    Builder(kernel).getI64IntegerAttr(bytes));
  for (auto [number, op] : llvm::enumerate(buffers)) {
    std::string name =
        kernel.getName().str() + "_shared_" + std::to_string(number);
    op.replaceAllUsesWith(isDynamic ? makeDynamicPart(op, offsets[number])
                                    : makeSymbol(op, name));
    op.erase();
  }
}

static bool isBuffer(Value value) { return isa<MemRefType>(value.getType()); }

/// A parameter of a kernel of a device, a pointer or an integer of 32 or 64
/// bits, for a scalar; two for a complex number.
static Value addWords(OpBuilder &builder, Block &entry, Type type,
                      Location loc) {
  if (isa<IndexType, krnl::StrType>(type))
    return entry.addArgument(type, loc);
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Type part = complex.getElementType();
    Value real = addWords(builder, entry, part, loc);
    Value imaginary = addWords(builder, entry, part, loc);
    return complex::CreateOp::create(builder, loc, type, real, imaginary);
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  Value word =
      entry.addArgument(builder.getIntegerType(std::max(bits, 32u)), loc);
  if (bits < 32)
    word = arith::TruncIOp::create(builder, loc, builder.getIntegerType(bits),
                                   word);
  return type.isInteger()
             ? word
             : arith::BitcastOp::create(builder, loc, type, word).getResult();
}

/// Replaces the buffers among the arguments `old` by arguments for all
/// pointers, and then for all dynamic sizes. Returns the buffers.
static SmallVector<Value> addBuffers(OpBuilder &builder, Block &entry,
                                     ArrayRef<BlockArgument> old,
                                     Location loc) {
  Type pointerType = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<BlockArgument> pointers;
  for (BlockArgument buffer : llvm::make_filter_range(old, isBuffer))
    pointers.push_back(entry.addArgument(pointerType, buffer.getLoc()));
  SmallVector<Value> buffers;
  for (BlockArgument buffer : llvm::make_filter_range(old, isBuffer)) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<Value> sizes;
    for (size_t i = 0; i < type.getNumDynamicDims(); ++i)
      sizes.push_back(entry.addArgument(builder.getIndexType(), loc));
    buffers.push_back(krnl::FromPointerOp::create(
        builder, buffer.getLoc(), type, pointers[buffers.size()], sizes));
    buffer.replaceAllUsesWith(buffers.back());
  }
  return buffers;
}

LogicalResult makeBareKernel(func::FuncOp kernel) {
  makeSharedBuffers(kernel);
  hoistStackBuffers(kernel);
  Block &entry = kernel.getBody().front();
  Location loc = kernel.getLoc();
  MLIRContext *context = kernel.getContext();
  SmallVector<BlockArgument> old(entry.getArguments());
  SmallVector<Attribute> alignments;
  StringRef align = LLVM::LLVMDialect::getAlignAttrName();
  for (BlockArgument buffer : llvm::make_filter_range(old, isBuffer))
    alignments.push_back(kernel.getArgAttr(buffer.getArgNumber(), align));

  OpBuilder builder(&entry, entry.begin());
  SmallVector<Value> buffers = addBuffers(builder, entry, old, loc);
  bool isLaunched = kernel->hasAttr(krnl::KrnlDialect::threadsAttrName);
  for (BlockArgument scalar : old)
    if (!isBuffer(scalar))
      scalar.replaceAllUsesWith(
          isLaunched ? addWords(builder, entry, scalar.getType(), loc)
                     : entry.addArgument(scalar.getType(), loc));
  if (failed(addTensorMaps(kernel, buffers, old.size())))
    return failure();
  entry.eraseArguments(0, old.size());

  kernel.removeArgAttrsAttr();
  kernel.setType(FunctionType::get(context, entry.getArgumentTypes(), {}));
  setArgAttrs(
      kernel, LLVM::LLVMDialect::getNoAliasAttrName(),
      SmallVector<Attribute>(alignments.size(), UnitAttr::get(context)));
  setArgAttrs(kernel, align, alignments);
  return success();
}

/// struct OnnxcValue { void *data; int64_t *dims; int32_t rank; int32_t type; }
static Type valueStruct(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(context,
                                          {pointer, pointer, i32, i32});
}

/// The buffer of input `number`: its data, and its dynamic sizes from `dims`.
static Value loadInput(OpBuilder &builder, Location loc, Value inputs,
                       int64_t number, MemRefType type) {
  MLIRContext *context = builder.getContext();
  Type pointerType = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto field = [&](int32_t which) {
    Value address = LLVM::GEPOp::create(
        builder, loc, pointerType, valueStruct(context), inputs,
        ArrayRef<LLVM::GEPArg>{int32_t(number), which});
    return LLVM::LoadOp::create(builder, loc, pointerType, address);
  };
  Value data = field(0);
  Value dims = type.hasStaticShape() ? Value() : field(1);
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (!type.isDynamicDim(i))
      continue;
    Value address = LLVM::GEPOp::create(builder, loc, pointerType, i64, dims,
                                        ArrayRef<LLVM::GEPArg>{int32_t(i)});
    Value size = LLVM::LoadOp::create(builder, loc, i64, address);
    sizes.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), size));
  }
  return krnl::FromPointerOp::create(builder, loc, type, data, sizes);
}

/// Input `number`, which is an object: a reference of its own. A cast stands
/// between the pointer and the type that is still to be converted.
static Value loadObject(OpBuilder &builder, Location loc, Value call,
                        unsigned number) {
  Value index = constant32(builder, loc, int32_t(number));
  Value object =
      callHook(builder, loc, Hook::InputObject, {call, index}).getResult();
  Type type = krnl::ObjType::get(builder.getContext());
  return UnrealizedConversionCastOp::create(builder, loc, type, object)
      .getResult(0);
}

/// Replaces the arguments that the host program has for its inputs by values
/// that are loaded from `inputs`, or are objects of the call.
static LogicalResult loadInputs(func::FuncOp host, unsigned numInputs,
                                Value call, Value inputs) {
  Block &entry = host.getBody().front();
  OpBuilder builder(&entry, entry.begin());
  for (unsigned i = 0; i < numInputs; ++i) {
    BlockArgument old = entry.getArgument(i);
    if (old.use_empty())
      continue;
    if (isa<krnl::ObjType>(old.getType())) {
      old.replaceAllUsesWith(loadObject(builder, old.getLoc(), call, i));
      continue;
    }
    auto type = dyn_cast<MemRefType>(old.getType());
    if (!type)
      return host.emitOpError("expected input ")
             << i << " to be a buffer, but got " << old.getType();
    old.replaceAllUsesWith(loadInput(builder, old.getLoc(), inputs, i, type));
  }
  entry.eraseArguments(0, numInputs);
  return success();
}

/// The last block returns the status, for all that end the run.
static void addExit(func::FuncOp host) {
  auto end = cast<func::ReturnOp>(host.getBody().back().getTerminator());
  Location loc = end.getLoc();
  OpBuilder builder(end);
  auto *exit = new Block();
  host.getBody().push_back(exit);
  cf::BranchOp::create(builder, loc, exit);
  end.erase();
  builder.setInsertionPointToStart(exit);
  func::ReturnOp::create(builder, loc, loadStatus(builder, loc));
}

LogicalResult makeEntry(func::FuncOp host) {
  if (host.getNumResults() != 0)
    return host.emitOpError("expected outputs in buffers, but got ")
           << host.getNumResults() << " results";
  Block &entry = host.getBody().front();
  Location loc = host.getLoc();
  MLIRContext *context = host.getContext();
  Type pointerType = LLVM::LLVMPointerType::get(context);
  unsigned numInputs = entry.getNumArguments();
  Value call = entry.addArgument(pointerType, loc);
  Value inputs = entry.addArgument(pointerType, loc);
  placeTensors(host, call);
  if (failed(loadInputs(host, numInputs, call, inputs)))
    return failure();

  host.removeArgAttrsAttr();
  host.removeResAttrsAttr();
  Type i32 = IntegerType::get(context, 32);
  host.setType(FunctionType::get(context, {pointerType, pointerType}, {i32}));
  host.setSymName(mainEntryName);
  addExit(host);
  return success();
}

void addBareOperand(BareOperands &bare, Type original, Value converted,
                    OpBuilder &builder, Location loc,
                    const LLVMTypeConverter &types) {
  auto type = dyn_cast<MemRefType>(original);
  if (!type) {
    bare.scalars.push_back(converted);
    return;
  }
  MemRefDescriptor buffer(converted);
  bare.pointers.push_back(buffer.bufferPtr(builder, loc, types, type));
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      bare.sizes.push_back(buffer.size(builder, loc, i));
}

} // namespace onnxc
