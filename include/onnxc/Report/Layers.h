//===- Layers.h - What becomes of the nodes of the model -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each function fills in a part of a report from the modules of one phase, in
// the order of the phases.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_REPORT_LAYERS_H
#define ONNXC_REPORT_LAYERS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "onnxc/Importer/Importer.h"
#include "onnxc/Report/NodeTypes.h"
#include "onnxc/Report/Report.h"
#include "onnxc/Target/CPU/Emit.h"

namespace onnxc {

/// The names and types of the results of nodes, by name of the node.
struct NodeResults final : importer::ImportObserver {
  void imported(const importer::ImportedNode &node) override;
  void unread(mlir::Location, bool) override {}

  llvm::StringMap<std::vector<std::string>> names;
  NodeTypes types;
};

/// onnx-basic, as the importer has left it: the nodes, their graphs, constants
/// and edges.
void collectGraph(mlir::ModuleOp model, NodeResults &results,
                  LayerReport &report);

/// onnx: the types of results that shape inference has found.
void collectTypes(mlir::ModuleOp model, LayerReport &report);

/// krnl: the work of nodes.
void collectWork(mlir::ModuleOp level, LayerReport &report);

/// loops, right after memory is planned: launches, stored weights, the arena.
/// Removes the plan that krnl-plan-memory has recorded.
void collectPlan(mlir::ModuleOp level, Report &report);

/// Code: the sizes of functions, whose names end with `suffix` where there are
/// several levels.
void collectCode(llvm::ArrayRef<target::CodeFile> files, llvm::StringRef suffix,
                 LayerReport &report);

/// Takes the times of nodes from the JSON of `onnx-run profile --json`. Fails
/// for another text, or the profile of another model.
llvm::Error collectTimes(llvm::StringRef profile, LayerReport &report);

/// Code: the kernels of a device, with what they take where that is known.
void collectKernels(mlir::ModuleOp level,
                    llvm::ArrayRef<target::KernelResources> resources,
                    Report &report);

/// Calls collectPlan for the last of the levels, and notes copies of a device.
std::unique_ptr<mlir::PassInstrumentation> makePlanObserver(Report &report);

} // namespace onnxc

#endif // ONNXC_REPORT_LAYERS_H
