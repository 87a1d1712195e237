//===- RecipeSteps.td - The steps of a recipe --------------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// To add a step: a def in the file of its kind, the method of NestBuilder that the
// def calls, a test beside the others. Its description begins with an example between
// backquotes, which a test parses.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_RECIPESTEPS_TD
#define ONNXC_DIALECT_KRNL_IR_RECIPESTEPS_TD

include "onnxc/Dialect/Krnl/IR/LoopSteps.td"
include "onnxc/Dialect/Krnl/IR/MatrixSteps.td"
include "onnxc/Dialect/Krnl/IR/MemorySteps.td"
include "onnxc/Dialect/Krnl/IR/ThreadSteps.td"
include "onnxc/Dialect/Krnl/IR/VectorSteps.td"

def Krnl_OnlyStep : Krnl_Step<"Only", "only"> {
  let summary = "Limit a step to one op of the kernel";
  let description = [{
    Printed in a recipe as a prefix: `exp: vectorize(c, 16)`. The op is given by
    its name or its number among the structured ops of the body.
  }];
  let parameters = (ins OpName:$op, InnerStep:$step);
  let assemblyFormat = "`<` $op `,` $step `>`";
  let genVerifyDecl = 1;
}

#endif // ONNXC_DIALECT_KRNL_IR_RECIPESTEPS_TD
