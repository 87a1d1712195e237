// Each file that cannot be used is an error at its line and column.
//
// RUN: split-file %s %t
// RUN: onnx-opt %t/kernel.mlir --krnl-write-recipes=emit-recipes=%t/good
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=emit-recipes=%t/no/such/folder 2>&1 | FileCheck %s --check-prefix=UNWRITABLE
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/word 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/key 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/open-key 2>&1 | FileCheck %s --check-prefix=OPENKEY
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/hash 2>&1 | FileCheck %s --check-prefix=HASH
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/no-steps 2>&1 | FileCheck %s --check-prefix=NOSTEPS
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/open-steps 2>&1 | FileCheck %s --check-prefix=OPENSTEPS
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/step 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/second-step 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/no-step 2>&1 | FileCheck %s --check-prefix=NOSTEP
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/parenthesis 2>&1 | FileCheck %s --check-prefix=PARENTHESIS
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/open-comment 2>&1 | FileCheck %s --check-prefix=OPENCOMMENT
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/stale 2>&1 | FileCheck %s --check-prefix=STALE
// RUN: sed "s/unroll(i.i, 4)/unroll(j, 4)/" %t/good > %t/refused
// RUN: not onnx-opt %t/kernel.mlir --krnl-write-recipes=recipes=%t/refused 2>&1 | FileCheck %s --check-prefix=REFUSED

// ABSENT: cannot read recipes from '{{.+}}absent': No such file or directory
// UNWRITABLE: cannot write '{{.+}}folder': No such file or directory
// WORD: word:2:1: error: expected 'kernel'
// KEY: key:1:8: error: expected the key of the kernel in quotes
// OPENKEY: open-key:1:8: error: the key of the kernel does not end
// HASH: hash:1:15: error: expected the hash of the kernel
// NOSTEPS: no-steps:1:18: error: expected '[' and the steps of the recipe
// OPENSTEPS: open-steps:1:19: error: expected ']' after the steps of the recipe
// SECOND: second-step:4:3: error: unknown recipe step 'vectorise'
// NOSTEP: no-step:3:1: error: expected a step of the recipe
// PARENTHESIS: parenthesis:2:3: error: the parentheses of the step are not balanced
// OPENCOMMENT: open-comment:1:18: error: expected ']' after the steps of the recipe
// STEP: step:1:20: error: unknown recipe step 'blok'
// TWICE: twice:2:1: error: a second recipe for 'node'
// TWICE: twice:1:1: note: the first one is here
// UNKNOWN: unknown:1:1: error: there is no kernel 'other'
// STALE: stale:1:1: error: the recipe for 'node' was written for another kernel: its hash is 00000000000000aa, the kernel's is
// STALE: note: {{.*}}the kernel is here
// REFUSED: refused:{{[2-9]}}:3: error: 'node': recipe step 5 'unroll(j, 4)': there is no loop 'j'

//--- word
// A comment first.
kernal "node" aa []
//--- key
kernel node aa []
//--- open-key
kernel "node aa []
//--- hash
kernel "node" []
//--- no-steps
kernel "node" aa x
//--- open-steps
kernel "node" aa  [unroll(i, 2)
//--- step
kernel "node" aa  [blok(i, 2)]
//--- second-step
kernel "node" aa [
  // The first of two, with a comma, and a bracket ], in a comment.
  block(i, 4) -> (i.o, i.i),
  vectorise(i.i, 4, tail=[2, 1])
]
//--- no-step
kernel "node" aa [
  unroll(i, 2),  // and then?
]
//--- parenthesis
kernel "node" aa [
  block(i, 4) -> (i.o, i.i, unroll(i.i, 2)
]
//--- open-comment
kernel "node" aa [ // ]
//--- twice
kernel "node" aa []
kernel "node" aa []
//--- unknown
kernel "other" aa []
//--- stale
kernel "node" aa []
//--- kernel.mlir
func.func @one(%x: tensor<1000xf32>, %o: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = krnl.kernel "neg" loops [i = 1000] ins(%x : tensor<1000xf32>) outs(%o : tensor<1000xf32>) {
  ^bb0(%a: tensor<1000xf32>, %b: tensor<1000xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<1000xf32>) -> tensor<1000xf32> {
      %m = arith.negf %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<1000xf32>
  } -> tensor<1000xf32> loc("node")
  return %0 : tensor<1000xf32>
}
