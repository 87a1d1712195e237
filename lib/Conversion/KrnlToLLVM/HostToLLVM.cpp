//===- HostToLLVM.cpp - Buffers, objects and checks of the host -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;

namespace onnxc {

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

namespace {

/// One function of hooks.h or device.h: its name and a letter per type, the
/// result first; p pointer, i 32 bits, l 64 bits, v none; a point at the end:
/// any number of 64 bits more.
struct HookSignature {
  StringLiteral name;
  StringLiteral types;
};

} // namespace

/// In the order of enum Hook.
static constexpr HookSignature hookSignatures[] = {
    {"onnxc_rt_arena", "pp"},
    {"onnxc_rt_arena_reserve", "ppl"},
    {"onnxc_rt_weights", "pp"},
    {"onnxc_rt_alloc", "ppl"},
    {"onnxc_rt_release", "vpp"},
    {"onnxc_rt_output", "ppiip"},
    {"onnxc_rt_scratch", "ppi"},
    {"onnxc_rt_parallel_region", "ipppl"},
    {"onnxc_rt_barrier", "ipp"},
    {"onnxc_rt_poll", "ip"},
    {"onnxc_rt_fail", "ipip"},
    {"onnxc_rt_fail_sizes", "ipipp."},
    {"onnxc_rt_fail_index", "ipiplll"},
    {"onnxc_rt_retain_object", "vpp"},
    {"onnxc_rt_release_object", "vpp"},
    {"onnxc_rt_input_object", "ppi"},
    {"onnxc_rt_output_object", "ppi"},
    {"onnxc_rt_locate_error", "ipp"},
    {"onnxc_rt_launch", "vpii"},
    {"onnxc_rt_launch_size", "vpiil"},
    {"onnxc_rt_device_alloc", "lpl"},
    {"onnxc_rt_device_release", "vpl"},
    {"onnxc_rt_device_constants", "lp"},
    {"onnxc_rt_device_errors", "lpi"},
    {"onnxc_rt_device_tensor", "lppl"},
    {"onnxc_rt_device_copy", "iplll"},
    {"onnxc_rt_device_copy_in", "iplpl"},
    {"onnxc_rt_device_copy_out", "ippll"},
    {"onnxc_rt_device_launch", "ipiilp"},
    {"onnxc_rt_device_synchronize", "ip"},
};

static Type hookType(MLIRContext *context, char letter) {
  switch (letter) {
  case 'p':
    return LLVM::LLVMPointerType::get(context);
  case 'i':
    return IntegerType::get(context, 32);
  case 'l':
    return IntegerType::get(context, 64);
  default:
    return LLVM::LLVMVoidType::get(context);
  }
}

/// An index as the 64 bits that sizes have at the border of the runtime.
static Value widen(OpBuilder &builder, Location loc, Value size) {
  Type i64 = builder.getI64Type();
  return size.getType() == i64 ? size
                               : LLVM::SExtOp::create(builder, loc, i64, size);
}

void setPure(LLVM::LLVMFuncOp function) {
  function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      function.getContext(),
      SmallVector<LLVM::ModRefInfo>(6, LLVM::ModRefInfo::NoModRef)));
  function.setNoUnwind(true);
  function.setWillReturn(true);
}

LLVM::CallOp callHook(OpBuilder &builder, Location loc, Hook hook,
                      ValueRange operands) {
  const HookSignature &signature = hookSignatures[unsigned(hook)];
  MLIRContext *context = builder.getContext();
  StringRef letters = signature.types;
  bool takesMore = letters.consume_back(".");
  SmallVector<Type> types;
  for (char letter : letters)
    types.push_back(hookType(context, letter));
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  LLVM::LLVMFuncOp function = *LLVM::lookupOrCreateFn(
      builder, module, signature.name, ArrayRef<Type>(types).drop_front(),
      types.front(), takesMore);
  // The same address all through the run: called once.
  if (hook == Hook::Arena || hook == Hook::Weights)
    setPure(function);
  if (takesMore)
    types.resize(operands.size() + 1, builder.getI64Type());
  SmallVector<Value> widened(operands);
  for (auto [operand, type] : llvm::zip_equal(widened, llvm::drop_begin(types)))
    if (type.isInteger(64))
      operand = widen(builder, loc, operand);
  return LLVM::CallOp::create(builder, loc, function, widened);
}

static Block &entryBlock(OpBuilder &builder) {
  Operation *op = builder.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function.getFunctionBody().front();
}

Value currentCall(OpBuilder &builder) {
  return entryBlock(builder).getArgument(0);
}

Value stackSlot(OpBuilder &builder, Location loc, Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entryBlock(builder));
  Value size = constant64(builder, loc, count);
  return LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type,
      size);
}

Value constant64(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
}

Value constant32(OpBuilder &builder, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

std::pair<Block *, Block *> splitBlock(ConversionPatternRewriter &rewriter) {
  Block *block = rewriter.getInsertionBlock();
  Block::iterator end = rewriter.getInsertionPoint();
  Block *before = block->getSinglePredecessor();
  if (!before || block->getNumArguments() != 0)
    return {block, rewriter.splitBlock(block, end)};
  Block *head = rewriter.createBlock(block);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(block->begin(), end)))
    rewriter.moveOpBefore(&op, head, head->end());
  Operation *branch = before->getTerminator();
  rewriter.modifyOpInPlace(branch, [&] {
    for (BlockOperand &successor : branch->getBlockOperands())
      if (successor.get() == block)
        successor.set(head);
  });
  return {head, block};
}

/// The block of makeEntry() that ends the run with the status of the call; null
/// in other functions.
static Block *exitOf(Block *block) {
  Block &last = block->getParent()->back();
  bool isExit = llvm::hasNItems(last, 2) && isa<LLVM::LoadOp>(last.front()) &&
                last.back().hasTrait<OpTrait::ReturnLike>();
  return isExit ? &last : nullptr;
}

void continueIf(ConversionPatternRewriter &rewriter, Location loc, Value ok,
                function_ref<Value()> fail) {
  auto [current, next] = splitBlock(rewriter);
  Block *exit = exitOf(next), *leave = exit;
  if (fail || !exit) {
    leave = rewriter.createBlock(next);
    Value status = fail ? fail() : Value();
    if (exit && !status)
      LLVM::BrOp::create(rewriter, loc, exit);
    else
      LLVM::ReturnOp::create(rewriter, loc,
                             status ? status : loadStatus(rewriter, loc));
  }
  rewriter.setInsertionPointToEnd(current);
  LLVM::CondBrOp::create(rewriter, loc, ok, next, ValueRange(), leave,
                         ValueRange());
  rewriter.setInsertionPointToStart(next);
}

Value loadStatus(OpBuilder &builder, Location loc) {
  return LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                              currentCall(builder));
}

/// Goes on if the status is none of an error.
static void continueWithout(ConversionPatternRewriter &rewriter, Location loc,
                            Value error, function_ref<Value()> fail) {
  if (!error)
    error = loadStatus(rewriter, loc);
  Value ok = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, error,
                                  constant32(rewriter, loc, 0));
  continueIf(rewriter, loc, ok, fail);
}

void checkStatus(ConversionPatternRewriter &rewriter, Location loc,
                 Value status) {
  auto fail = [&] { return status; };
  continueWithout(rewriter, loc, status,
                  status ? function_ref<Value()>(fail) : nullptr);
}

void checkNode(ConversionPatternRewriter &rewriter, Location loc,
               Value status) {
  std::string nodes = nodesText(loc);
  if (nodes.empty())
    return checkStatus(rewriter, loc, status);
  continueWithout(rewriter, loc, status, [&]() -> Value {
    Value name = globalText(rewriter, loc, nodes);
    Value located = callHook(rewriter, loc, Hook::LocateError,
                             {currentCall(rewriter), name})
                        .getResult();
    return status ? located : Value();
  });
}

/// Constants are in a module of their own until the parts are joined, so that
/// those who look for a function do not look at all of them.
static ModuleOp constantsOf(OpBuilder &builder) {
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  for (auto known : module.getOps<ModuleOp>())
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return ModuleOp::create(builder, module.getLoc());
}

/// "stem.0", "stem.1": no kernel or hook has a dot in its name. The newest are
/// last, where they are found without looking at all of the module.
static std::string nextName(ModuleOp module, StringRef stem) {
  for (Operation &op : llvm::reverse(*module.getBody())) {
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    if (!global)
      continue;
    StringRef name = global.getSymName();
    unsigned number;
    if (name.consume_front(stem) && name.consume_front(".") &&
        !name.getAsInteger(10, number))
      return (stem + "." + Twine(number + 1)).str();
  }
  return (stem + ".0").str();
}

Value globalConstant(OpBuilder &builder, Location loc, StringRef stem,
                     Type type, Attribute value) {
  ModuleOp module = constantsOf(builder);
  std::string name = nextName(module, stem);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name, value);
  }
  return LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), name);
}

Value globalText(OpBuilder &builder, Location loc, StringRef text) {
  std::string ended = (text + Twine('\0')).str();
  return globalConstant(
      builder, loc, "message",
      LLVM::LLVMArrayType::get(builder.getI8Type(), ended.size()),
      builder.getStringAttr(ended));
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {

/// Rewrites one op that makes a buffer: where the memory comes from differs,
/// the descriptor is the same.
template <typename OpTy>
struct BufferLowering : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  using Adaptor = typename OpTy::Adaptor;

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    SmallVector<Value> sizes, strides;
    Value count;
    this->getMemRefDescriptorSizes(loc, type, dynamicSizes(adaptor), rewriter,
                                   sizes, strides, count,
                                   /*sizeInBytes=*/false);
    Value memory = pointer(op, adaptor, sizes, rewriter);
    rewriter.replaceOp(
        op, {this->createMemRefDescriptor(loc, type, memory, memory, sizes,
                                          strides, rewriter)});
    return success();
  }

private:
  static ValueRange dynamicSizes(Adaptor adaptor) {
    if constexpr (requires { adaptor.getSizes(); })
      return adaptor.getSizes();
    else
      return {};
  }

  /// `base` moved by a number of bytes.
  static Value offsetBytes(ConversionPatternRewriter &rewriter, Location loc,
                           Value base, LLVM::GEPArg bytes) {
    return LLVM::GEPOp::create(rewriter, loc, base.getType(),
                               rewriter.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }

  Value pointer(krnl::FromPointerOp, Adaptor adaptor, ArrayRef<Value>,
                ConversionPatternRewriter &) const {
    return adaptor.getPointer();
  }

  Value pointer(krnl::ArenaViewOp op, Adaptor adaptor, ArrayRef<Value>,
                ConversionPatternRewriter &rewriter) const {
    Value base = adaptor.getArena();
    if (!base)
      base = callHook(rewriter, op.getLoc(), Hook::Arena, currentCall(rewriter))
                 .getResult();
    return offsetBytes(rewriter, op.getLoc(), base, adaptor.getOffset());
  }

  Value pointer(krnl::WeightViewOp op, Adaptor, ArrayRef<Value>,
                ConversionPatternRewriter &rewriter) const {
    Value base =
        callHook(rewriter, op.getLoc(), Hook::Weights, currentCall(rewriter))
            .getResult();
    Value offset = constant64(rewriter, op.getLoc(), op.getOffset());
    return offsetBytes(rewriter, op.getLoc(), base, offset);
  }

  Value pointer(krnl::AllocOp op, Adaptor, ArrayRef<Value> sizes,
                ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Value bytes =
        bufferBytes(rewriter, loc, cast<MemRefType>(op.getType()), sizes);
    Value memory =
        callHook(rewriter, loc, Hook::Alloc, {currentCall(rewriter), bytes})
            .getResult();
    checkNode(rewriter, loc);
    return memory;
  }

  Value pointer(krnl::OutputOp op, Adaptor, ArrayRef<Value> sizes,
                ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    if (isa<krnl::ObjType>(cast<MemRefType>(op.getType()).getElementType()))
      return callHook(rewriter, loc, Hook::OutputObject,
                      {currentCall(rewriter),
                       constant32(rewriter, loc, int32_t(op.getIndex()))})
          .getResult();
    int64_t rank = sizes.size();
    Type i64 = rewriter.getI64Type();
    Value dims = stackSlot(rewriter, loc, i64, std::max<int64_t>(rank, 1));
    for (int32_t i = 0; i < rank; ++i) {
      Value slot = LLVM::GEPOp::create(rewriter, loc, dims.getType(), i64, dims,
                                       ArrayRef<LLVM::GEPArg>{i});
      LLVM::StoreOp::create(rewriter, loc, widen(rewriter, loc, sizes[i]),
                            slot);
    }
    Value memory = callHook(rewriter, loc, Hook::Output,
                            {currentCall(rewriter),
                             constant32(rewriter, loc, int32_t(op.getIndex())),
                             constant32(rewriter, loc, int32_t(rank)), dims})
                       .getResult();
    checkStatus(rewriter, loc); // the message names the output
    return memory;
  }
};

Value lowerRelease(krnl::ReleaseOp op, krnl::ReleaseOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value memory = adaptor.getBuffer();
  bool isObject = isa<krnl::ObjType>(op.getBuffer().getType());
  if (!isObject)
    memory = MemRefDescriptor(memory).allocatedPtr(rewriter, loc);
  callHook(rewriter, loc, isObject ? Hook::ReleaseObject : Hook::Release,
           {currentCall(rewriter), memory});
  return {};
}

Value lowerRetain(krnl::RetainOp op, krnl::RetainOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  callHook(rewriter, op.getLoc(), Hook::RetainObject,
           {currentCall(rewriter), adaptor.getObject()});
  return {};
}

Value lowerCheck(krnl::CheckOp op, krnl::CheckOp::Adaptor adaptor,
                 ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  std::string text = nodeMessage(loc, op.getMessage());
  continueIf(rewriter, loc, adaptor.getCondition(), [&]() -> Value {
    Value message = globalText(rewriter, loc, text);
    constexpr int32_t errValue = 2; // ONNXC_ERR_VALUE
    SmallVector<Value> operands{currentCall(rewriter),
                                constant32(rewriter, loc, errValue), message};
    if (adaptor.getSizes().empty()) {
      callHook(rewriter, loc, Hook::Fail, operands);
      return {};
    }
    std::optional<uint64_t> dimension = op.getDimension();
    if (!dimension)
      operands.push_back(globalText(rewriter, loc, krnl::formatOf(op)));
    llvm::append_range(operands, adaptor.getSizes());
    if (dimension)
      operands.push_back(constant64(rewriter, loc, int64_t(*dimension)));
    callHook(rewriter, loc, dimension ? Hook::FailIndex : Hook::FailSizes,
             operands);
    return {};
  });
  return {};
}

} // namespace

void populateHostToLLVMPatterns(const LLVMTypeConverter &types,
                                RewritePatternSet &patterns) {
  patterns
      .add<BufferLowering<krnl::AllocOp>, BufferLowering<krnl::ArenaViewOp>,
           BufferLowering<krnl::FromPointerOp>, BufferLowering<krnl::OutputOp>,
           BufferLowering<krnl::WeightViewOp>>(types);
  addLowering(types, patterns, lowerCheck);
  addLowering(types, patterns, lowerRelease);
  addLowering(types, patterns, lowerRetain);
}

} // namespace onnxc
