//===- DebugInfo.cpp - Nodes for debuggers ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DebugInfo.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace onnxc::target {

static std::string textOf(NodeName node) {
  return (node.name + " (" + node.op + ")").str();
}

NodeLines nodeLines(ModuleOp module) {
  NodeLines lines;
  auto launches = module->getAttrOfType<ArrayAttr>(krnl::launchesAttrName);
  if (!launches)
    return lines;
  for (auto launch : launches.getAsRange<DictionaryAttr>()) {
    auto nodes = launch.getAs<ArrayAttr>("nodes");
    for (size_t i = 0; nodes && i + 1 < nodes.size(); i += 2) {
      NodeName node{cast<StringAttr>(nodes[i]).getValue(),
                    cast<StringAttr>(nodes[i + 1]).getValue()};
      lines.try_emplace(textOf(node), lines.size() + 1);
    }
  }
  return lines;
}

namespace {

/// The debug information of one compile unit.
class UnitBuilder {
public:
  UnitBuilder(MLIRContext *context, StringRef file, const NodeLines &lines)
      : context(context), lines(lines),
        file(LLVM::DIFileAttr::get(context, file, "")),
        unit(LLVM::DICompileUnitAttr::get(
            newId(), llvm::dwarf::DW_LANG_C11, this->file,
            StringAttr::get(context, "onnx-compile"), /*isOptimized=*/true,
            LLVM::DIEmissionKind::LineTablesOnly)),
        type(LLVM::DISubroutineTypeAttr::get(context,
                                             ArrayRef<LLVM::DITypeAttr>())),
        nowhere(at(0)) {}

  void describe(LLVM::LLVMFuncOp function) {
    // The locations of operations refer to that of their function.
    function->walk([&](Operation *op) {
      if (op != function)
        op->setLoc(instructionLoc(op->getLoc()));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setLoc(nowhere);
    });
    function->setLoc(
        FusedLoc::get(context, nowhere, subprogram(function.getName(), 0)));
  }

private:
  DistinctAttr newId() { return DistinctAttr::create(UnitAttr::get(context)); }

  Location at(unsigned line) {
    return FileLineColLoc::get(file.getName(), line, 0);
  }

  LLVM::DISubprogramAttr subprogram(StringRef name, unsigned line) {
    return LLVM::DISubprogramAttr::get(
        context, newId(), unit, file, StringAttr::get(context, name),
        StringAttr(), file, line, line,
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        type, ArrayRef<LLVM::DINodeAttr>(), ArrayRef<LLVM::DINodeAttr>());
  }

  /// Where the nodes of a location are.
  Location instructionLoc(Location loc) {
    auto [known, isNew] = locations.try_emplace(loc, nowhere);
    if (!isNew)
      return known->second;
    SmallVector<NodeName> nodes = nodesOf(loc);
    if (nodes.empty())
      return nowhere;
    std::string text = llvm::join(llvm::map_range(nodes, textOf), ", ");
    unsigned line = lines.lookup(textOf(nodes.front()));
    LLVM::DISubprogramAttr &inlined = nodeSets[text];
    if (!inlined)
      inlined = subprogram(text, line);
    Location callee = FusedLoc::get(context, at(line), inlined);
    return locations.find(loc)->second = CallSiteLoc::get(callee, nowhere);
  }

  MLIRContext *context;
  const NodeLines &lines;
  LLVM::DIFileAttr file;
  LLVM::DICompileUnitAttr unit;
  LLVM::DISubroutineTypeAttr type;
  Location nowhere;
  DenseMap<Location, Location> locations;
  llvm::StringMap<LLVM::DISubprogramAttr> nodeSets;
};

} // namespace

void addDebugInfo(ModuleOp module, StringRef file, const NodeLines &lines) {
  UnitBuilder builder(module.getContext(), file, lines);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      builder.describe(function);
}

} // namespace onnxc::target
