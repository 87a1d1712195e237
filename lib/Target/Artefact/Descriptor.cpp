//===- Descriptor.cpp - Descriptor of an artefact --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Artefact/Descriptor.h"

#include "Arguments.h"
#include "DescriptorConstants.h"
#include "DeviceTable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Dialect/Krnl/IR/CustomNodes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/Artefact/Header.h"
#include "onnxc/Target/IR/Target.h"
#include "onnxc/rt/model.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/JSON.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;

namespace onnxc::target {

static_assert(maxTensorBytes == ONNXC_MAX_TENSOR_BYTES,
              "compiler and runtime agree on the largest tensor");

static std::string elementText(Type type) {
  if (isa<onnx::StringType>(type))
    return "string";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Fills in the properties of the type. Containers: the tensor inside gives the
/// element type, in a map its value.
static void describeType(Type type, Argument &argument) {
  llvm::TypeSwitch<Type>(type)
      .Case([&](TensorType tensor) {
        argument.type = onnx::getElementTypeNumber(tensor.getElementType());
        argument.typeText = elementText(tensor.getElementType());
        if (!tensor.hasRank())
          return;
        argument.rank = tensor.getRank();
        for (int64_t size : tensor.getShape())
          argument.dims.push_back(ShapedType::isDynamic(size) ? -1 : size);
      })
      .Case([&](onnx::SeqType sequence) {
        Argument &element = argument.element.emplace_back();
        describeType(sequence.getElementType(), element);
        argument.kind = ONNXC_KIND_SEQUENCE;
        argument.type = element.type;
        argument.typeText = "seq(" + element.typeText + ")";
      })
      .Case([&](onnx::OptType optional) {
        Argument &element = argument.element.emplace_back();
        describeType(optional.getElementType(), element);
        argument.kind = ONNXC_KIND_OPTIONAL;
        argument.type = element.type;
        argument.typeText = "optional(" + element.typeText + ")";
      })
      .Case([&](onnx::MapType map) {
        Argument &value = argument.element.emplace_back();
        describeType(map.getValueType(), value);
        argument.kind = ONNXC_KIND_MAP;
        argument.type = value.type;
        argument.key = onnx::getElementTypeNumber(map.getKeyType());
        argument.typeText =
            "map(" + elementText(map.getKeyType()) + "," + value.typeText + ")";
      });
}

SmallVector<Argument> readArguments(ArrayAttr attributes) {
  SmallVector<Argument> arguments;
  for (auto entry : attributes.getAsRange<DictionaryAttr>()) {
    Argument argument;
    if (auto name = entry.getAs<StringAttr>("name"))
      argument.name = name.str();
    if (auto type = entry.getAs<TypeAttr>("type"))
      describeType(type.getValue(), argument);
    // Of a list these are the sizes of its elements.
    Argument &tensor = argument.kind == ONNXC_KIND_SEQUENCE
                           ? argument.element.front()
                           : argument;
    auto declared = entry.getAs<ArrayAttr>("declared_dims");
    if (auto dims = declared ? declared : entry.getAs<ArrayAttr>("dims"))
      for (auto symbol : dims.getAsRange<StringAttr>())
        tensor.symbols.push_back(symbol.str());
    if (int64_t(tensor.symbols.size()) != tensor.rank ||
        llvm::all_of(tensor.symbols, [](auto &s) { return s.empty(); }))
      tensor.symbols.clear();
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::string signatureText(ArrayAttr attributes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.array([&] {
    for (const Argument &argument : readArguments(attributes))
      json.object([&] {
        json.attribute("type", argument.typeText);
        json.attributeArray("dims", [&] {
          for (int64_t dim : argument.dims)
            json.value(dim);
        });
        if (!argument.symbols.empty())
          json.attributeArray("dim_params", [&] {
            for (const std::string &symbol : argument.symbols)
              json.value(llvm::json::fixUTF8(symbol));
          });
        // Names of the model may be any bytes.
        json.attribute("name", llvm::json::fixUTF8(argument.name));
      });
  });
  return text;
}

static llvm::Constant *makeArguments(Constants &make,
                                     ArrayRef<Argument> arguments) {
  SmallVector<llvm::Constant *> records;
  for (const Argument &argument : arguments) {
    SmallVector<llvm::Constant *> dims, symbols;
    for (int64_t dim : argument.dims)
      dims.push_back(make.number(dim));
    for (const std::string &symbol : argument.symbols)
      symbols.push_back(make.textOrNull(symbol));
    records.push_back(make.record(
        {make.text(argument.name), make.number(argument.kind),
         make.number(argument.type), make.number(argument.rank),
         make.array(dims), make.array(symbols), make.number(argument.key),
         makeArguments(make, argument.element)}));
  }
  return make.array(records);
}

/// The address of the weights: the first 64 bytes of their section, which the
/// linker widens to hold all (Link.cpp).
static llvm::Constant *weightsBase(Constants &make, const ModelInfo &info,
                                   llvm::LLVMContext &context) {
  if (info.weightsHere)
    return make.address(info.weightsHere);
  if (info.weightsBytes == 0 || !info.weightsFile.empty())
    return make.null();
  llvm::Type *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 64);
  llvm::GlobalVariable *base = make.hidden(
      "onnxc_weights", type, llvm::ConstantAggregateZero::get(type));
  base->setSection(".onnxc_weights");
  base->setAlignment(llvm::Align(64));
  return base;
}

/// The text that omCompilationInfo returns, which has the hash of the weights.
static llvm::Constant *compilationInfo(Constants &make, const ModelInfo &info) {
  return make.bytes(
      ArrayRef(info.compilationInfo.c_str(), info.compilationInfo.size() + 1));
}

/// The hash that binds the side file to the artefact.
static llvm::Constant *weightsDigest(Constants &make, const ModelInfo &info) {
  if (info.weightsFile.empty())
    return make.null();
  return make.bytes(
      ArrayRef(reinterpret_cast<const char *>(info.weightsDigest.data()),
               info.weightsDigest.size()));
}

static int64_t integerAttr(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : 0;
}

static ArrayAttr arrayAttr(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<ArrayAttr>(name);
  return attribute ? attribute : ArrayAttr::get(op->getContext(), {});
}

/// Defines `name`, which the function of the runtime does for this model.
static void emitTagged(Constants &make, llvm::Module &module,
                       llvm::Constant *model, StringRef name,
                       StringRef ofRuntime) {
  llvm::Type *pointer = make.pointerType();
  auto *type = llvm::FunctionType::get(pointer, {pointer}, false);
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, name, module);
  auto *calleeType =
      llvm::FunctionType::get(pointer, {pointer, pointer}, false);
  auto *callee = llvm::cast<llvm::Function>(
      make.function(ofRuntime, calleeType, /*isHidden=*/true));
  llvm::IRBuilder<> builder(
      llvm::BasicBlock::Create(make.getContext(), "", function));
  builder.CreateRet(builder.CreateCall(callee, {model, function->getArg(0)}));
}

/// All names of Exports.def that there is one of for each tag. The last has no
/// parameter, and its function of the runtime uses none. `ofHeader` is another
/// name of omQueryEntryPoints.
static void emitTaggedNames(Constants &make, llvm::Module &module,
                            llvm::Constant *model, StringRef tag,
                            StringRef ofHeader) {
  static constexpr std::pair<StringLiteral, StringLiteral> functions[] = {
      {"run_main_graph", "onnxc_rt_run_main_graph"},
      {"omQueryEntryPoints", "onnxc_rt_query_entry_points"},
      {"omInputSignature", "onnxc_rt_input_signature"},
      {"omOutputSignature", "onnxc_rt_output_signature"},
      {"omCompilationInfo", "onnxc_rt_compilation_info"}};
  for (const auto &[name, ofRuntime] : functions)
    emitTagged(make, module, model, (name + "_" + tag).str(), ofRuntime);
  llvm::GlobalAlias::create(
      ofHeader, module.getFunction(("omQueryEntryPoints_" + tag).str()));
}

/// The constructor that registers the model in the runtime.
static void emitRegistration(Constants &make, llvm::Module &module,
                             llvm::Constant *model) {
  llvm::Type *none = llvm::Type::getVoidTy(make.getContext());
  auto *callee = llvm::cast<llvm::Function>(
      make.function("onnxc_rt_register",
                    llvm::FunctionType::get(none, {make.pointerType()}, false),
                    /*isHidden=*/true));
  auto *function = llvm::Function::Create(llvm::FunctionType::get(none, false),
                                          llvm::GlobalValue::InternalLinkage,
                                          "register_model", module);
  llvm::IRBuilder<> builder(
      llvm::BasicBlock::Create(make.getContext(), "", function));
  builder.CreateCall(callee, {model});
  builder.CreateRetVoid();
  llvm::appendToGlobalCtors(module, function, 65535);
}

/// The inputs and outputs, which the levels have in common.
static SmallVector<llvm::Constant *> makeSignature(Constants &make,
                                                   LLVM::LLVMFuncOp entry) {
  ArrayAttr inputs = arrayAttr(entry, inputsAttrName);
  ArrayAttr outputs = arrayAttr(entry, outputsAttrName);
  return {make.number(inputs.size()),
          makeArguments(make, readArguments(inputs)),
          make.number(outputs.size()),
          makeArguments(make, readArguments(outputs)),
          make.text(signatureText(inputs)),
          make.text(signatureText(outputs))};
}

/// The number of sizes that several dimensions of the inputs have, and for each
/// dimension of all inputs the number of its own, or -1; null where there are
/// none.
static std::pair<llvm::Constant *, llvm::Constant *>
makeSharedSizes(Constants &make, ArrayAttr inputs) {
  llvm::StringMap<int64_t> uses, numbers;
  SmallVector<StringRef> names;
  for (auto [argument, entry] : llvm::zip_equal(
           readArguments(inputs), inputs.getAsRange<DictionaryAttr>())) {
    auto dims = entry.getAs<ArrayAttr>("dims");
    for (auto [dim, size] : llvm::enumerate(argument.dims)) {
      bool hasName = size < 0 && dims && dim < dims.size();
      auto name = hasName ? dyn_cast<StringAttr>(dims[dim]) : StringAttr();
      names.push_back(name ? name.getValue() : "");
      ++uses[names.back()];
    }
  }
  SmallVector<llvm::Constant *> numberOfDim;
  for (StringRef name : names) {
    bool isShared = !name.empty() && uses[name] > 1;
    numberOfDim.push_back(make.number(
        isShared ? numbers.try_emplace(name, numbers.size()).first->second
                 : -1));
  }
  if (numbers.empty())
    return {make.number(0), make.null()};
  return {make.number(numbers.size()), make.array(numberOfDim)};
}

/// A byte for each input and output, or null.
static llvm::Constant *staysOnDevice(Constants &make, LLVM::LLVMFuncOp entry) {
  auto stays = entry->getAttrOfType<DenseI8ArrayAttr>(staysOnDeviceAttrName);
  if (!stays)
    return make.null();
  SmallVector<char> bytes(stays.asArrayRef());
  bytes.resize(arrayAttr(entry, inputsAttrName).size() +
               arrayAttr(entry, outputsAttrName).size());
  return make.bytes(bytes);
}

/// The code for one processor: the features it needs, and its entry point.
static llvm::Constant *makeLevel(Constants &make, llvm::Module &descriptor,
                                 LLVM::LLVMFuncOp entry, llvm::Constant *name,
                                 ArrayRef<llvm::Constant *> signature,
                                 llvm::Constant *deviceCode) {
  auto module = entry->getParentOfType<ModuleOp>();
  llvm::Type *pointer = make.pointerType();
  auto *run = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getInt32Ty(make.getContext()),
                              {pointer, pointer}, false),
      llvm::GlobalValue::ExternalLinkage, mainEntryName + levelSuffix(module),
      descriptor);
  run->setVisibility(llvm::GlobalValue::HiddenVisibility);
  SmallVector<llvm::Constant *> fields = {name, run};
  llvm::append_range(fields, signature);
  fields.push_back(make.number(entry->hasAttr(arenaFormulaAttrName)
                                   ? -1
                                   : integerAttr(entry, arenaAttrName)));
  fields.push_back(make.number(integerAttr(entry, scratchAttrName)));
  auto [numSharedSizes, sharedSizes] =
      makeSharedSizes(make, arrayAttr(entry, inputsAttrName));
  llvm::append_range(fields, std::array{numSharedSizes, sharedSizes,
                                        staysOnDevice(make, entry)});
  return make.record({make.text(levelName(module)),
                      make.textOrNull(requiredFeatures(hostTarget(module))),
                      make.array(make.record(fields)), deviceCode});
}

/// Runs before the processor is known.
static llvm::Expected<krnl::TargetAttr> baseTarget(ModuleOp module) {
  return resolveTarget(module.getContext(), hostTarget(module).getTriple(),
                       "generic", "");
}

/// The code for each of the processors, of which `modules` has the host
/// programs.
static FailureOr<SmallVector<llvm::Constant *>>
makeLevels(Constants &make, llvm::Module &descriptor,
           ArrayRef<ModuleOp> modules, const ModelInfo &info) {
  llvm::Constant *name =
      make.text("run_main_graph" + (info.tag.empty() ? "" : "_" + info.tag));
  Attribute customNodes = modules.front()->getAttr(krnl::customNodesAttrName);
  SmallVector<llvm::Constant *> signature, levels;
  for (ModuleOp each : modules) {
    auto entry = each.lookupSymbol<LLVM::LLVMFuncOp>(mainEntryName);
    if (!entry)
      return each.emitError("expected a function '") << mainEntryName << "'";
    if (each->getAttr(krnl::customNodesAttrName) != customNodes)
      return each.emitError("the levels have different custom operators");
    if (signature.empty())
      signature = makeSignature(make, entry);
    llvm::Constant *deviceCode = make.null();
    if (hasDevice(each))
      deviceCode =
          makeDeviceCode(make, each, info.deviceImages[levels.size()].images,
                         info.weightsBytes);
    levels.push_back(
        makeLevel(make, descriptor, entry, name, signature, deviceCode));
  }
  return levels;
}

FailureOr<CodeFile> emitDescriptor(ArrayRef<ModuleOp> modules,
                                   const ModelInfo &info, unsigned level) {
  ModuleOp module = modules.front();
  llvm::Expected<krnl::TargetAttr> base = baseTarget(module);
  if (!base)
    return module.emitError(llvm::toString(base.takeError()));
  llvm::LLVMContext context;
  llvm::Module descriptor("descriptor", context);
  Constants make(descriptor);
  FailureOr<SmallVector<llvm::Constant *>> levels =
      makeLevels(make, descriptor, modules, info);
  if (failed(levels))
    return failure();
  SmallVector<llvm::Constant *> fields = {
      make.number(ONNXC_RT_ABI),      make.number(1),
      make.number(levels->size()),    make.array(*levels),
      compilationInfo(make, info),    weightsBase(make, info, context),
      make.number(info.weightsBytes), make.textOrNull(info.weightsFile),
      weightsDigest(make, info)};
  llvm::append_range(fields, customNodes(make, module));
  fields.push_back(make.zeroWords(ONNXC_MODEL_STATE_BYTES / 8));
  llvm::Constant *record = make.record(fields);
  llvm::Constant *model = make.hidden("onnxc_model", record->getType(), record);
  emitRegistration(make, descriptor, model);
  if (!info.tag.empty())
    emitTaggedNames(make, descriptor, model, info.tag,
                    nameForHeader("omQueryEntryPoints_" + info.tag, module));

  CodeFile file = emitModule(descriptor, *base, level, CodeKind::Object);
  file.name = "descriptor";
  return file;
}

} // namespace onnxc::target
