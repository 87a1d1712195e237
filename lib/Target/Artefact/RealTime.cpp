//===- RealTime.cpp - Entry point of a real-time model ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Artefact/RealTime.h"

#include "Arguments.h"
#include "WeightsSegment.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Target/Artefact/Descriptor.h"
#include "onnxc/Target/Artefact/Header.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace onnxc::target {

RealTimeMemory realTimeMemory(ModuleOp module) {
  auto entry = module.lookupSymbol<LLVM::LLVMFuncOp>(mainEntryName);
  auto bytesOf = [&](StringRef name) -> int64_t {
    auto bytes = entry->getAttrOfType<IntegerAttr>(name);
    return llvm::alignTo(bytes ? bytes.getInt() : 0, RealTimeMemory::alignment);
  };
  RealTimeMemory memory;
  memory.scratchOffset = bytesOf(arenaAttrName);
  memory.messageOffset = memory.scratchOffset + bytesOf(scratchAttrName);
  memory.bytes = memory.messageOffset + int64_t(sizeof(int64_t));
  return memory;
}

/// The hooks, as onnxc/rt/hooks.h has them; {0} is the memory's offset of the
/// scratch, {1} that of the message, {2} the address of the weights. A call is
/// the status, the memory and the outputs.
static constexpr char hooks[] = R"(
%Call = type {{ i32, ptr, ptr }
%Value = type {{ ptr, ptr, i32, i32 }

define hidden ptr @onnxc_rt_arena(ptr %call) {{
  %field = getelementptr %Call, ptr %call, i32 0, i32 1
  %memory = load ptr, ptr %field
  ret ptr %memory
}

define hidden ptr @onnxc_rt_scratch(ptr %call, i32 %tid) {{
  %memory = call ptr @onnxc_rt_arena(ptr %call)
  %scratch = getelementptr i8, ptr %memory, i64 {0}
  ret ptr %scratch
}

define hidden ptr @onnxc_rt_weights(ptr %call) {{
  ret ptr {2}
}

define hidden ptr @onnxc_rt_output(ptr %call, i32 %index, i32 %rank, ptr %dims) {{
  %field = getelementptr %Call, ptr %call, i32 0, i32 2
  %outputs = load ptr, ptr %field
  %which = getelementptr ptr, ptr %outputs, i32 %index
  %output = load ptr, ptr %which
  ret ptr %output
}

define hidden i32 @onnxc_rt_fail(ptr %call, i32 %code, ptr %message) {{
  %memory = call ptr @onnxc_rt_arena(ptr %call)
  %kept = getelementptr i8, ptr %memory, i64 {1}
  store ptr %message, ptr %kept
  store i32 %code, ptr %call
  ret i32 %code
}

define hidden i32 @onnxc_rt_fail_sizes(ptr %call, i32 %code, ptr %message, ptr %format, ...) {{
  %status = call i32 @onnxc_rt_fail(ptr %call, i32 %code, ptr %message)
  ret i32 %status
}

define hidden i32 @onnxc_rt_fail_index(ptr %call, i32 %code, ptr %message, i64 %index, i64 %size, i64 %dimension) {{
  %status = call i32 @onnxc_rt_fail(ptr %call, i32 %code, ptr %message)
  ret i32 %status
}
)";

/// {0}: name; {1}: numbers of inputs, at least 1; {2}: offset of the message;
/// {3}: fills in %values and computes %bad, whether a pointer is null;
/// {4}: function of the host program; {5}: one less than the alignment; {6}:
/// the name that the header calls.
static constexpr char entryPoint[] = R"(
declare hidden i32 @{4}(ptr, ptr)

@{6} = alias i32 (ptr, ptr, ptr), ptr @{0}_run

define i32 @{0}_run(ptr %memory, ptr %inputs, ptr %outputs) {{
  %call = alloca %Call
  %values = alloca [{1} x %Value]
  %address = ptrtoint ptr %memory to i64
  %rest = and i64 %address, {5}
  %is.odd = icmp ne i64 %rest, 0
  %is.null = icmp eq ptr %memory, null
  %no.inputs = icmp eq ptr %inputs, null
  %no.outputs = icmp eq ptr %outputs, null
  %bad.1 = or i1 %is.odd, %is.null
  %bad.2 = or i1 %no.inputs, %no.outputs
  %bad.3 = or i1 %bad.1, %bad.2
  br i1 %bad.3, label %invalid, label %read
read:
  store i32 0, ptr %call
  %memory.field = getelementptr %Call, ptr %call, i32 0, i32 1
  store ptr %memory, ptr %memory.field
  %outputs.field = getelementptr %Call, ptr %call, i32 0, i32 2
  store ptr %outputs, ptr %outputs.field
  %message = getelementptr i8, ptr %memory, i64 {2}
  store ptr null, ptr %message
{3}
  br i1 %bad, label %invalid, label %run
run:
  %status = call i32 @{4}(ptr %call, ptr %values)
  ret i32 %status
invalid:
  ret i32 1
}
)";

/// Loads pointer number `i` of `array` and adds to %bad whether it is null.
static void readPointer(raw_ostream &os, StringRef array, size_t i,
                        std::string &bad) {
  std::string name = ("%" + array + "." + Twine(i)).str();
  os << llvm::formatv("  {0}.at = getelementptr ptr, ptr %{1}, i32 {2}\n"
                      "  {0} = load ptr, ptr {0}.at\n"
                      "  {0}.null = icmp eq ptr {0}, null\n"
                      "  {0}.bad = or i1 {3}, {0}.null\n",
                      name, array, i, bad);
  bad = name + ".bad";
}

/// The part {3} of the entry point.
static std::string readPointers(size_t inputs, size_t outputs) {
  std::string text, bad = "false";
  llvm::raw_string_ostream os(text);
  for (size_t i = 0; i < inputs; ++i) {
    readPointer(os, "inputs", i, bad);
    os << llvm::formatv(
        "  %value.{0} = getelementptr %Value, ptr %values, i32 {0}\n"
        "  store ptr %inputs.{0}, ptr %value.{0}\n",
        i);
  }
  for (size_t i = 0; i < outputs; ++i)
    readPointer(os, "outputs", i, bad);
  os << "  %bad = or i1 false, " << bad << "\n";
  return text;
}

static size_t countOf(LLVM::LLVMFuncOp entry, StringRef name) {
  auto arguments = entry->getAttrOfType<ArrayAttr>(name);
  return arguments ? arguments.size() : 0;
}

FailureOr<CodeFile> emitRealTimeEntry(ModuleOp module, StringRef name,
                                      int64_t weightsBytes, unsigned level) {
  auto entry = module.lookupSymbol<LLVM::LLVMFuncOp>(mainEntryName);
  assert(entry && "objects without an entry point have no description");
  RealTimeMemory memory = realTimeMemory(module);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (weightsBytes > 0)
    os << "@onnxc_weights = hidden constant [64 x i8] zeroinitializer, section "
          "\""
       << realTimeWeightsSection << "\", align 64\n";
  os << llvm::formatv(hooks, memory.scratchOffset, memory.messageOffset,
                      weightsBytes > 0 ? "@onnxc_weights" : "null");
  size_t inputs = countOf(entry, inputsAttrName);
  os << llvm::formatv(entryPoint, name, std::max<size_t>(inputs, 1),
                      memory.messageOffset,
                      readPointers(inputs, countOf(entry, outputsAttrName)),
                      mainEntryName, RealTimeMemory::alignment - 1,
                      nameForHeader((name + "_run").str(), module,
                                    /*isRealTime=*/true));

  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> code =
      llvm::parseAssemblyString(text, error, context);
  assert(code && "the text of the entry point is LLVM IR");
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function.isExternal() && function.getName().starts_with("onnxc_rt_") &&
        !code->getFunction(function.getName()))
      return module.emitError("a real-time run calls '")
             << function.getName() << "'";
  CodeFile file =
      emitModule(*code, krnl::TargetAttr::of(module), level, CodeKind::Object);
  file.name = "entry";
  return file;
}

} // namespace onnxc::target
