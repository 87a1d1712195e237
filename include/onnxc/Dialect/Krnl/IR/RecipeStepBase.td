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

/// A loop name: bare (`n.o`) where the text allows it, else quoted.
def LoopName : StringRefParameter<"loop name"> {
  let parser = "::onnxc::krnl::parseLoopName($_parser)";
  let printer = "::onnxc::krnl::printLoopName($_printer, $_self)";
}

/// The name of a loop, empty where the step names none.
def OptionalLoopName : StringRefParameter<"loop name", [{""}]> {
  let parser = LoopName.parser;
  let printer = LoopName.printer;
}

/// Loop names separated by commas.
def LoopNames : ArrayRefParameter<"::mlir::StringAttr", "loop names"> {
  let parser = "::onnxc::krnl::parseLoopNames($_parser)";
  let printer = "::onnxc::krnl::printLoopNames($_printer, $_self)";
}

/// The name of a structured op, or its number.
def OpName : StringRefParameter<"op name"> {
  let parser = "::onnxc::krnl::parseOpName($_parser)";
  let printer = "::onnxc::krnl::printOpName($_printer, $_self)";
}

def TailParameter
    : DefaultValuedParameter<"::onnxc::krnl::TailStrategy", "::onnxc::krnl::TailStrategy::Mask"> {
  let parser = "::onnxc::krnl::parseTail($_parser)";
  let printer = "$_printer << ::onnxc::krnl::stringifyTail($_self)";
}

/// Iterations that are done together in the tail of a loop, most first.
def TailSizes : OptionalArrayRefParameter<"int64_t", "iterations">;

/// A step is done by a method of NestBuilder, which takes `arguments`.
class Krnl_Step<string attrName, string stepMnemonic, string method = "",
                string arguments = "">
    : Krnl_Attr<attrName # "Step", stepMnemonic,
                [DeclareAttrInterfaceMethods<Krnl_RecipeStep, ["advance"]>]> {
  let extraClassDefinition = !if(!empty(method), "", [{
    ::llvm::LogicalResult $cppClass::advance(NestBuilder &nest,
                                             EmitErrorFn emitError) const {
      return nest.}] # method # "(" # arguments # [{, emitError);
    }
  }]);
}

#endif // ONNXC_DIALECT_KRNL_IR_RECIPESTEPBASE_TD
