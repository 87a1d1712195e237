//===- Evaluate.cpp - Running a piece of the model now ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "onnxc/Pipeline/RuntimeFolder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Diagnostics.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Dialect/Krnl/IR/CustomNodes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Pipeline/Registration.h"
#include "onnxc/Runtime.h"
#include "onnxc/Schema/CustomOps.h"
#include "onnxc/Support/Budget.h"
#include "onnxc/Target/Artefact/Descriptor.h"
#include "onnxc/Target/Artefact/Load.h"
#include "onnxc/Target/Artefact/Weights.h"
#include "onnxc/rt/model.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::target;

/// Limits on the evaluation of constants.
static constexpr uint64_t maxSteps = uint64_t(1) << 30;
static constexpr int64_t maxArenaBytes = int64_t(1) << 30;
static constexpr double maxSeconds = 60;
/// The assumed extent of a loop of dynamic extent.
static constexpr uint64_t unknownExtent = 4096;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Points of the loops of a kernel's op.
static uint64_t countSteps(krnl::KernelOp kernel, krnl::ComputeOp op) {
  uint64_t steps = 1;
  for (StringRef axis : op.getAxes()) {
    std::optional<unsigned> loop = kernel.findLoop(axis);
    bool isKnown = loop && !kernel.getLoop(*loop).isDynamic();
    steps = llvm::SaturatingMultiply(
        steps,
        isKnown ? uint64_t(kernel.getLoop(*loop).getExtent()) : unknownExtent);
  }
  return steps;
}

/// How often the loops of the host run `op`.
static uint64_t countRuns(Operation *op) {
  uint64_t runs = 1;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    std::optional<APInt> tripCount = loop.getStaticTripCount();
    runs = llvm::SaturatingMultiply(
        runs, tripCount ? tripCount->getLimitedValue() : unknownExtent);
  }
  return runs;
}

/// Steps of all kernels.
static uint64_t countSteps(ModuleOp module) {
  uint64_t total = 0;
  module.walk([&](krnl::KernelOp kernel) {
    for (auto op : kernel.getBody().getOps<krnl::ComputeOp>())
      total = llvm::SaturatingMultiplyAdd(countSteps(kernel, op),
                                          countRuns(kernel), total);
  });
  return total;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Elements narrower than a byte take one each when they come out of a model.
static std::vector<char> packNarrow(ArrayRef<char> spread, unsigned width) {
  std::vector<char> packed(llvm::divideCeil(spread.size() * width, 8), 0);
  for (size_t bit = 0; bit < spread.size() * width; ++bit)
    if (spread[bit / width] >> (bit % width) & 1)
      packed[bit / 8] |= static_cast<char>(1u << (bit % 8));
  return packed;
}

namespace {

/// A result: written straight to where the constant keeps it if its size is
/// known, else to memory of the runtime.
class Result {
public:
  explicit Result(Type type) : type(cast<RankedTensorType>(type)) {
    std::optional<uint64_t> size = onnx::getRawSize(this->type);
    if (!size || width() < 8)
      return;
    bytes.resize(*size + 1); // a pointer for no elements as well
    shape.assign(this->type.getShape().begin(), this->type.getShape().end());
    buffer = {bytes.data(), static_cast<int64_t>(*size), shape.data(),
              this->type.getRank(), ONNX_TYPE_UNDEFINED};
  }

  /// The inputs and outputs of the run.
  OMBuffer buffer = {};

  /// The value after the run; null if it has no raw form.
  TypedAttr take();

private:
  unsigned width() const { return onnx::getRawBitWidth(type.getElementType()); }

  RankedTensorType type;
  std::vector<char> bytes;
  SmallVector<int64_t> shape;
};

} // namespace

/// A tensor of strings, which the runtime keeps as pointers.
static TypedAttr readStrings(const OMBuffer &buffer, RankedTensorType type) {
  const auto *strings = static_cast<const char *const *>(buffer.data);
  SmallVector<StringRef> texts(strings, strings + type.getNumElements());
  return texts.empty() ? TypedAttr()
                       : DenseStringElementsAttr::get(type, texts);
}

TypedAttr Result::take() {
  auto tensor = RankedTensorType::get(
      ArrayRef<int64_t>(buffer.shape, buffer.rank), type.getElementType());
  if (isa<onnx::StringType>(type.getElementType()))
    return readStrings(buffer, tensor);
  const char *data = static_cast<const char *>(buffer.data);
  std::optional<uint64_t> size = onnx::getRawSize(tensor);
  if (!size)
    return TypedAttr();
  if (!bytes.empty())
    bytes.resize(*size);
  else if (width() < 8)
    bytes = packNarrow({data, size_t(tensor.getNumElements())}, width());
  else
    bytes.assign(data, data + *size);
  return onnx::makeTensorAttr(tensor, std::move(bytes));
}

namespace {

/// What a run needs of a loaded model.
struct RunCalls {
  const OnnxcModel *descriptor;
  decltype(onnxc_rt_register) *registerModel;
  decltype(omContextCreate) *create;
  decltype(omContextRun) *run;
  decltype(omContextSetThreads) *setThreads;
  decltype(omContextSetDeadline) *setDeadline;
  decltype(omContextGetMessage) *message;
  decltype(omContextDestroy) *destroy;

  /// Fails with the names of all that the model lacks.
  static llvm::Expected<RunCalls> find(LoadedModel &model);
};

} // namespace

llvm::Expected<RunCalls> RunCalls::find(LoadedModel &model) {
  RunCalls calls;
  llvm::Error missing = llvm::Error::success();
  auto set = [&](auto *&member, StringRef name) {
    auto found = model.find<std::remove_reference_t<decltype(*member)>>(name);
    if (found)
      member = *found;
    else
      missing = joinErrors(std::move(missing), found.takeError());
  };
  set(calls.registerModel, "onnxc_rt_register");
  set(calls.descriptor, "onnxc_model");
  set(calls.create, "omContextCreate");
  set(calls.run, "omContextRun");
  set(calls.setThreads, "omContextSetThreads");
  set(calls.setDeadline, "omContextSetDeadline");
  set(calls.message, "omContextGetMessage");
  set(calls.destroy, "omContextDestroy");
  if (missing)
    return missing;
  return calls;
}

/// Runs `main_graph` once, on this thread, for at most so many seconds.
static onnx::Evaluator::Results runModel(LoadedModel &model, TypeRange types,
                                         double seconds) {
  llvm::Expected<RunCalls> calls = RunCalls::find(model);
  if (!calls)
    return calls.takeError();
  // Constructors of loaded objects do not run.
  calls->registerModel(calls->descriptor);
  std::unique_ptr<OMContext, decltype(omContextDestroy) *> context(
      calls->create(nullptr), calls->destroy);
  if (!context)
    return llvm::createStringError("no memory for a run");
  calls->setThreads(context.get(), 1);
  calls->setDeadline(context.get(), int64_t(std::min(seconds, 1e9) * 1e9) + 1);
  std::vector<Result> results;
  std::vector<OMBuffer> outputs;
  results.reserve(types.size()); // the run has their addresses
  for (Type type : types)
    outputs.push_back(results.emplace_back(type).buffer);
  if (calls->run(context.get(), nullptr, 0, outputs.data(), outputs.size()))
    return llvm::createStringError(calls->message(context.get()));
  SmallVector<TypedAttr> values;
  for (auto [result, buffer] : llvm::zip_equal(results, outputs)) {
    result.buffer = buffer;
    values.push_back(result.take());
    if (!values.back())
      return llvm::createStringError("the result has no raw form");
  }
  return values;
}

//===----------------------------------------------------------------------===//
// The way there
//===----------------------------------------------------------------------===//

namespace {

class Evaluation {
public:
  Evaluation(ModuleOp module, const std::string &runtimeDir)
      : module(module), runtimeDir(runtimeDir),
        handler(module.getContext(), [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              reason.empty())
            reason = onnx::messageText(diagnostic);
          return success();
        }) {}

  onnx::Evaluator::Results run();

private:
  llvm::Error runPhase(const Phase &phase);
  llvm::Expected<LoadedModel> load(ModuleOp target);
  /// The first error that was reported to `handler`.
  llvm::Error reported();

  ModuleOp module;
  std::string runtimeDir;
  /// Collects errors, which are not the model's: operations that fail now are
  /// left to the run.
  ScopedDiagnosticHandler handler;
  std::string reason;
  std::unique_ptr<llvm::WritableMemoryBuffer> weights;
};

} // namespace

llvm::Error Evaluation::reported() {
  return llvm::createStringError(reason.empty() ? "it cannot be compiled"
                                                : reason);
}

llvm::Error Evaluation::runPhase(const Phase &phase) {
  CompileOptions options;
  options.cpu = "generic"; // of this machine's kind
  options.level = 0;       // empty recipes, and no constants computed in turn
  options.strict = true;
  if (failed(runPasses(phase, module, options)))
    return reported();
  if (phase.name == "krnl" && countSteps(module) > maxSteps)
    return llvm::createStringError("it takes too long to compute");
  return llvm::Error::success();
}

llvm::Expected<LoadedModel> Evaluation::load(ModuleOp target) {
  constexpr unsigned level = 1;
  ModelInfo info;
  info.weightsBytes = weightsBytes(target);
  weights = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      info.weightsBytes, "weights", llvm::Align(64));
  if (!weights)
    return llvm::createStringError("no memory for its constants");
  llvm::fill(weights->getBuffer(), 0); // the bytes beyond a packed constant
  info.weightsHere = weights->getBufferStart();
  auto write = [&](ArrayRef<char> bytes, int64_t offset) {
    llvm::copy(bytes, weights->getBufferStart() + offset);
    return success();
  };
  FailureOr<std::vector<CodeFile>> objects =
      emitCode(target, level, CodeKind::Object);
  FailureOr<CodeFile> descriptor = emitDescriptor(target, info, level);
  if (failed(objects) || failed(descriptor) ||
      failed(writeWeights(target, write)))
    return reported();
  objects->push_back(std::move(*descriptor));
  std::vector<std::pair<std::string, const void *>> functions;
  if (auto *custom = schema::CustomOps::find(module.getContext()))
    for (const auto &[name, function] : custom->getEntries())
      functions.emplace_back(name, reinterpret_cast<const void *>(function));
  return LoadedModel::load(*objects, runtimeDir, functions);
}

/// Lets libraries of the user's destroy their objects.
static void unloadCustom(LoadedModel &model, ModuleOp target) {
  if (!target->hasAttr(krnl::customNodesAttrName))
    return;
  auto unload =
      model.find<decltype(onnxc_custom_unload)>("onnxc_custom_unload");
  auto descriptor = model.find<const OnnxcModel>("onnxc_model");
  if (unload && descriptor)
    (*unload)(*descriptor);
  llvm::consumeError(unload.takeError());
  llvm::consumeError(descriptor.takeError());
}

onnx::Evaluator::Results Evaluation::run() {
  SmallVector<Type> types(
      cast<func::FuncOp>(module.getBody()->front()).getResultTypes());
  for (const Phase &phase : phases())
    if (phase.build)
      if (llvm::Error error = runPhase(phase))
        return error;
  ModuleOp target = targetModules(module).front();
  auto entry = target.lookupSymbol<LLVM::LLVMFuncOp>(mainEntryName);
  auto arena =
      entry ? entry->getAttrOfType<IntegerAttr>(arenaAttrName) : IntegerAttr();
  if (arena && arena.getInt() > maxArenaBytes)
    return llvm::createStringError("it takes too much memory to compute");
  llvm::Expected<LoadedModel> model = load(target);
  if (!model)
    return model.takeError();
  Budget *budget = Budget::find(module.getContext());
  double seconds = std::min(maxSeconds, budget ? budget->secondsLeft() : 1e9);
  onnx::Evaluator::Results results = runModel(*model, types, seconds);
  unloadCustom(*model, target);
  return results;
}

onnx::Evaluator onnxc::makeEvaluator(const CompileOptions &options) {
  std::string folder = findHostRuntime(options);
  onnx::Evaluator evaluator;
  if (folder.empty())
    return evaluator;
  evaluator.registerDialects = registerAllDialects;
  evaluator.evaluate = [folder](ModuleOp module) {
    return Evaluation(module, folder).run();
  };
  return evaluator;
}
