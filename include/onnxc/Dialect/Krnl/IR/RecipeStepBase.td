//===- RecipeStepBase.td - What steps of recipes are made of *- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_RECIPESTEPBASE_TD
#define ONNXC_DIALECT_KRNL_IR_RECIPESTEPBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "onnxc/Dialect/Krnl/IR/KrnlDialect.td"
include "onnxc/Dialect/Krnl/IR/RecipeStep.td"

class Krnl_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Krnl_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
}

/// What a parameter of a step refers to: the method of RenamedParts that gives it
/// under other names and numbers. Parameters without one refer to nothing.
class Reference<string renamingMethod> {
  string renaming = renamingMethod;
}

/// A loop name: bare (`n.o`) where the text allows it, else quoted.
def LoopName : StringRefParameter<"loop name">, Reference<"loop"> {
  let parser = "::onnxc::krnl::parseLoopName($_parser)";
  let printer = "::onnxc::krnl::printLoopName($_printer, $_self)";
}

/// The name of a loop, empty where the step names none.
def OptionalLoopName : StringRefParameter<"loop name", [{""}]>, Reference<"loop"> {
  let parser = LoopName.parser;
  let printer = LoopName.printer;
}

/// Loop names separated by commas.
def LoopNames : ArrayRefParameter<"::mlir::StringAttr", "loop names">, Reference<"loops"> {
  let parser = "::onnxc::krnl::parseLoopNames($_parser)";
  let printer = "::onnxc::krnl::printLoopNames($_printer, $_self)";
}

/// The name of a structured op, or its number.
def OpName : StringRefParameter<"op name">, Reference<"op"> {
  let parser = "::onnxc::krnl::parseOpName($_parser)";
  let printer = "::onnxc::krnl::printOpName($_printer, $_self)";
}

/// The number of an operand of the kernel, or of the result of an op after those.
def OperandNumber : AttrParameter<"unsigned", "operand number">, Reference<"operand">;

/// A step that another one limits to an op.
def InnerStep : AttrParameter<"::mlir::Attribute", "step">, Reference<"step">;

def TailParameter
    : DefaultValuedParameter<"::onnxc::krnl::TailStrategy", "::onnxc::krnl::TailStrategy::Mask"> {
  let parser = "::onnxc::krnl::parseTail($_parser)";
  let printer = "$_printer << ::onnxc::krnl::stringifyTail($_self)";
}

/// Iterations that are done together in the tail of a loop, most first.
def TailSizes : OptionalArrayRefParameter<"int64_t", "iterations">;

/// The argument of `get` for a parameter of a step under other names and numbers.
class RenamedArgument<string name, Reference reference> {
  string getter = "get" # !toupper(!substr(name, 0, 1)) # !substr(name, 1) # "()";
  string text = !if(!initialized(reference), "parts." # reference.renaming # "(" # getter # ")", getter);
}

/// The arguments of `get` for all of them.
class RenamedArguments<dag parameters> {
  list<string> texts = !foreach(
      i, !range(!size(parameters)),
      RenamedArgument<!getdagname(parameters, i),
                      !getdagarg<Reference>(parameters, i)>.text);
}

/// A step is done by a method of NestBuilder, which takes `arguments`.
class Krnl_Step<string attrName, string stepMnemonic, string method = "",
                string arguments = "">
    : Krnl_Attr<attrName # "Step", stepMnemonic,
                [DeclareAttrInterfaceMethods<Krnl_RecipeStep>]> {
  let extraClassDefinition = !if(!empty(method), "", [{
    ::llvm::LogicalResult $cppClass::advance(NestBuilder &nest,
                                             EmitErrorFn emitError) const {
      return nest.}] # method # "(" # arguments # [{, emitError);
    }
  }]) # [{
    ::mlir::Attribute $cppClass::renamed(const StepRenaming &renaming) const {
      RenamedParts parts(renaming);
      ::mlir::Attribute step = get(}] # !interleave(
      ["getContext()"] # RenamedArguments<parameters>.texts, ", ") # [{);
      return parts.exist() ? step : ::mlir::Attribute();
    }
  }];
}

#endif // ONNXC_DIALECT_KRNL_IR_RECIPESTEPBASE_TD
