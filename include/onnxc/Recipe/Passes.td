//===- Passes.td - Writing recipes ---------------------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_PASSES_TD
#define ONNXC_RECIPE_PASSES_TD

include "mlir/Pass/PassBase.td"

def KrnlWriteRecipesPass : Pass<"krnl-write-recipes"> {
  let summary = "give each kernel a recipe for the target";
  let description = [{
    The recipe comes from a file where that names the kernel, else from the cost
    model; kernels that have one already keep it. Nothing is transformed.

    ```mlir
    krnl.kernel "relu" loops [i = 64] ...
    // becomes, with vectors of 64 bytes
    krnl.kernel "relu" loops [i = 64] ... recipe [vectorize(i, 16), unroll(i, 4)]
    ```
  }];
  let options = [
    Option<"choose", "choose", "bool", "true",
           "Ask the cost model about kernels that no file names">,
    Option<"keepOrder", "keep-order", "bool", "false",
           "Choose only recipes that keep the order of every reduction">,
    Option<"recipes", "recipes", "std::string", "", "File of recipes to use">,
    Option<"emitRecipes", "emit-recipes", "std::string", "",
           "File to write all recipes to, \"-\" for standard output">
  ];
}

#endif // ONNXC_RECIPE_PASSES_TD
