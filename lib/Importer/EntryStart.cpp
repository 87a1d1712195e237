//===- EntryStart.cpp - The tensors of --from -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "EntryImporter.h"

#include "ProtoTypes.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::ValueInfoProto;

/// The types that the nodes before the part give these tensors. `problems` are
/// why those that are left out have none.
llvm::StringMap<Type>
EntryImporter::typesOf(ArrayRef<std::string> names,
                       std::vector<Diagnostic> &problems) {
  ImportState trial = state;
  trial.observer = nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(state.modelLoc);
  ScopedDiagnosticHandler keep(state.context, [&](Diagnostic &problem) {
    problems.push_back(std::move(problem));
    return success();
  });
  Frame own;
  EntryImporter before{trial, graph, opsets, own, OpBuilder(state.context)};
  before.outputOption = "--from: ";
  for (const std::string &name : names)
    before.outputs.push_back(findInfo(graph, name));
  before.findPartOf({});
  importOpsets(trial, opsets, own, &before.part->domains);
  if (trial.errorCount != 0)
    return {};
  before.collectInputs();
  llvm::erase_if(before.inputs, [&](const ValueInfoProto *input) {
    return !before.part->read.contains(input->name());
  });
  before.typeInputs();
  func::FuncOp function = before.makeFunction(*module);
  SmallVector<Value> results = before.importBody(function);
  llvm::StringMap<Type> types;
  for (auto [output, value] : llvm::zip_equal(before.outputs, results))
    if (!isa<NoneType>(value.getType()))
      types[output.name()] = value.getType();
  return types;
}

bool EntryImporter::isMade(const std::string &name) const {
  return llvm::any_of(graph.node(), [&](const auto &node) {
    return llvm::is_contained(node.output(), name);
  });
}

/// The declared type of a tensor that a node makes; null if there is none.
Type EntryImporter::declaredTypeOf(const std::string &name) {
  std::string why;
  FailureOr<Type> type =
      importType(state, findInfo(graph, name).type(), true, why);
  bool isDeclared = succeeded(type) && !isa<NoneType>(*type);
  return isDeclared && isMade(name) ? *type : Type();
}

/// The type of the tensor, with the shape that the user gives it.
Type EntryImporter::overrideShape(const std::string &name, Type type) {
  auto given = state.options.shapes.find(name);
  if (given == state.options.shapes.end())
    return type;
  SmallVector<int64_t> shape;
  for (int64_t size : given->second)
    shape.push_back(size < 0 ? ShapedType::kDynamic : size);
  auto tensor = dyn_cast<TensorType>(type);
  if (tensor && succeeded(verifyCompatibleShape(tensor.getShape(), shape)))
    return RankedTensorType::get(shape, tensor.getElementType());
  state.error(state.nameLoc(name)) << "a shape is given for " << quote(name)
                                   << ", which is " << type << " in the model";
  return type;
}

/// Makes an input of the tensor `name`, which is none of the graph, and has
/// this type if it is known.
void EntryImporter::startAt(const std::string &name, Type type) {
  if (!type)
    type = declaredTypeOf(name);
  if (!type) {
    missing.push_back(name);
    return;
  }
  inputs.push_back(&started.emplace_back(findInfo(graph, name)));
  inputTypes.push_back(overrideShape(name, type));
}

/// Makes the tensors of --from the inputs. The nodes before them are needed for
/// types alone: where they are wrong or unknown, declared types do.
void EntryImporter::startAtFrom() {
  SmallVector<const ValueInfoProto *> ofGraph = std::move(inputs);
  inputs.clear();
  llvm::StringMap<const ValueInfoProto *> known;
  for (const ValueInfoProto *input : ofGraph)
    known[input->name()] = input;
  std::vector<Diagnostic> problems;
  llvm::StringMap<Type> types =
      typesOf(llvm::filter_to_vector(
                  state.options.from,
                  [&](const auto &name) { return !known.contains(name); }),
              problems);
  for (const std::string &name : state.options.from) {
    const ValueInfoProto *input = known.lookup(name);
    if (!input) {
      startAt(name, types.lookup(name));
      continue;
    }
    inputs.push_back(input);
    inputTypes.push_back(inputType(*input));
  }
  for (auto [info, type] : llvm::zip_equal(inputs, inputTypes))
    inputAttrs.push_back(
        describe(*info, type, state.options.shapes.contains(info->name())));
  reportMissing(problems);
  for (const ValueInfoProto *input : ofGraph) {
    // Reports a shape that does not fit, even if only types depend on it.
    if (state.options.shapes.contains(input->name()) &&
        !part->given.contains(input->name()))
      inputType(*input);
    if (part->read.contains(input->name())) {
      missing.push_back(input->name());
      state.error(state.nameLoc(input->name()))
          << "the part between --from and --to needs this input as well; name "
             "it in --from";
    }
  }
}

/// Reports why tensors of --from have no type.
void EntryImporter::reportMissing(std::vector<Diagnostic> &problems) {
  if (missing.empty() && succeeded(state.budget.check(state.modelLoc)))
    return;
  for (Diagnostic &problem : problems) {
    state.errorCount += problem.getSeverity() == DiagnosticSeverity::Error;
    state.context->getDiagEngine().emit(std::move(problem));
  }
  for (const std::string &name : missing)
    if (isMade(name))
      state.error(state.nameLoc(name))
          << "--from: the type of " << quote(name)
          << " is declared nowhere, and the nodes before it give it none";
}
