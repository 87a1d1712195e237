//===- SelectTarget.cpp - One module per target ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SelectTarget.h"

#include "ListElements.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Support/FunctionAttributes.h"
#include "onnxc/Target/CPU/Emit.h"
#include "onnxc/Target/IR/Target.h"
#include "onnxc/Target/NVPTX/DeviceCode.h"
#include "onnxc/Target/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

/// Signedness and bool are lost at the border to krnl, so the signature keeps
/// the types as the model has them.
static void keepTypes(func::FuncOp function) {
  auto attribute = [](Type type) -> Attribute { return TypeAttr::get(type); };
  setArgAttrs(function, "onnx.type",
              llvm::map_to_vector(function.getArgumentTypes(), attribute));
  setResultAttrs(function, "onnx.type",
                 llvm::map_to_vector(function.getResultTypes(), attribute));
}

/// Gives lists that are results the types of their elements.
static void describeLists(ModuleOp module, func::FuncOp function) {
  if (function.isDeclaration() ||
      llvm::none_of(function.getResultTypes(), llvm::IsaPred<onnx::SeqType>))
    return;
  onnx::DimAnalysis analysis(module);
  Builder b(module.getContext());
  Operation *end = function.front().getTerminator();
  SmallVector<Attribute> types(end->getNumOperands());
  SmallVector<Attribute> dims(end->getNumOperands());
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    if (!isa<onnx::SeqType>(value.getType()))
      continue;
    std::optional<ListElements> elements = elementsOf(value, analysis);
    if (!elements)
      continue;
    types[i] =
        TypeAttr::get(onnx::SeqType::get(b.getContext(), elements->type));
    dims[i] = b.getStrArrayAttr(
        SmallVector<StringRef>(elements->sizes.begin(), elements->sizes.end()));
  }
  setResultAttrs(function, "onnx.type", types);
  setResultAttrs(function, "onnx.dims", dims);
}

namespace {

class SelectTarget : public PassWrapper<SelectTarget, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SelectTarget)

  SelectTarget() = default;
  SelectTarget(const SelectTarget &other) : PassWrapper(other) {}
  SelectTarget(const CompileOptions &options, bool nested) {
    device = options.device;
    triple = options.triple;
    cpu = options.cpu;
    features = options.features;
    tf32 = options.tf32;
    nest = nested;
  }

  StringRef getArgument() const override { return "select-target"; }
  StringRef getDescription() const override {
    return "give a module its target, by LLVM's names";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<krnl::KrnlDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto targets = resolve();
    if (!targets) {
      module.emitError(llvm::toString(targets.takeError()));
      return signalPassFailure();
    }
    if (!nest) {
      // The graph is one for all levels and suits the last.
      module->setAttr(krnl::TargetAttr::attrName, targets->back());
      return;
    }
    module->removeAttr(krnl::TargetAttr::attrName);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      keepTypes(function);
      describeLists(module, function);
    }
    for (krnl::TargetAttr target : *targets) {
      bool isDevice = target.getProcessor().isDevice();
      bool isOnly = llvm::count_if(*targets, [&](krnl::TargetAttr other) {
                      return other.getProcessor().isDevice() == isDevice;
                    }) == 1;
      bool hasFamilyName = isOnly && (isDevice || targets->size() == 1);
      ModuleOp nested = makeNested(module, hasFamilyName ? target.getFamily()
                                                         : target.getCpu());
      nested->setAttr(krnl::TargetAttr::attrName, target);
      if (isDevice)
        nested->setAttr(krnl::TargetAttr::hostAttrName, host);
      if (isDevice && target::isSimulated(device))
        nested->setAttr(target::simulatedAttrName,
                        UnitAttr::get(&getContext()));
      bool isLast = target == targets->back();
      for (func::FuncOp function : functions) {
        if (isLast)
          function->remove();
        nested.push_back(isLast ? function : function.clone());
      }
    }
  }

private:
  /// The targets of the processors, and the devices last. Their host programs
  /// are for the oldest of the processors.
  llvm::Expected<SmallVector<krnl::TargetAttr>> resolve() {
    auto targets = target::resolveTargets(&getContext(), triple, cpu, features);
    if (!targets || device == "cpu")
      return targets;
    host = targets->front();
    auto own = target::resolveDevices(&getContext(), device);
    if (!own)
      return own.takeError();
    if (!target::hasProcessor(device))
      targets->clear();
    for (krnl::TargetAttr target : *own)
      targets->push_back(tf32 ? target::withReducedProducts(target) : target);
    return targets;
  }

  static ModuleOp makeNested(ModuleOp module, StringRef processor) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    std::string name = processor.str();
    for (char &c : name)
      c = llvm::isAlnum(c) ? c : '_';
    return ModuleOp::create(builder, module.getLoc(), name);
  }

  Option<std::string> device{
      *this, "device", llvm::cl::init("cpu"),
      llvm::cl::desc("cpu, or the GPUs that kernels run on: cuda:sm_80,sm_90a; "
                     "with ,cpu for the processor, too")};
  Option<std::string> triple{
      *this, "triple", llvm::cl::desc("the target; empty: this machine's")};
  Option<std::string> cpu{
      *this, "cpu", llvm::cl::desc("the processor; \"native\": this one")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("differences from its usual features: +one,-other")};
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc("products of f32 may be those of tf32 on the GPU")};
  Option<bool> nest{
      *this, "nest",
      llvm::cl::desc("move the functions into a module of the target")};
  krnl::TargetAttr host;
};

} // namespace

std::unique_ptr<Pass>
onnxc::createSelectTargetPass(const CompileOptions &options, bool nest) {
  return std::make_unique<SelectTarget>(options, nest);
}

void onnxc::registerSelectTargetPass() { PassRegistration<SelectTarget>(); }
