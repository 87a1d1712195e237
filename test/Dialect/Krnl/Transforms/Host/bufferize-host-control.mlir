// RUN: onnx-opt %s --krnl-bufferize-host --split-input-file --verify-diagnostics | FileCheck %s

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A loop owns what it carries: the input is copied in, the body's own result is
// passed, and the result is copied out.
// CHECK-LABEL: func @loop
// CHECK:         %[[N:.+]] = memref.dim %arg0
// CHECK:         %[[INIT:.+]] = memref.alloc
// CHECK:         memref.copy %arg0, %[[INIT]]
// CHECK:         %[[R:.+]] = scf.for {{.+}} iter_args(%[[A:.+]] = %[[INIT]]) -> (memref<?xf32>)
// CHECK:           %[[B:.+]] = memref.alloc(%[[N]])
// CHECK:           krnl.launch @k ins(%[[A]] : {{.+}}) outs(%[[B]] :
// CHECK:           scf.yield %[[B]]
// CHECK:         %[[Y:.+]] = krnl.output 0
// CHECK:         memref.copy %[[R]], %[[Y]]
func.func @loop(%x: tensor<?xf32>, %count: tensor<index>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %iterations = tensor.extract %count[] : tensor<index>
  %r = scf.for %i = %c0 to %iterations step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = krnl.launch @k ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A branch passes its own result, of a size that it finds itself, and a copy of what
// is not its own.
// CHECK-LABEL: func @branch
// CHECK:         %[[R:.+]] = scf.if %{{.+}} -> (memref<?xf32>)
// CHECK:           %[[B:.+]] = memref.alloc
// CHECK:           krnl.launch @k {{.+}} outs(%[[B]] :
// CHECK:           scf.yield %[[B]]
// CHECK:         else
// CHECK:           %[[C:.+]] = memref.alloc
// CHECK:           memref.copy %arg0, %[[C]]
// CHECK:           scf.yield %[[C]]
// CHECK:         krnl.launch @k ins(%[[R]] :
func.func @branch(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %cond = tensor.extract %c[] : tensor<i1>
  %r = scf.if %cond -> tensor<?xf32> {
    %m = tensor.dim %x, %c0 : tensor<?xf32>
    %e = tensor.empty(%m) : tensor<?xf32>
    %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.launch @k ins(%r : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// One of both ways makes a tensor whose sizes are known before: its buffer is empty
// where the other one is taken, and one of both is chosen without a copy.
// CHECK-LABEL: func @choice
// CHECK:         %[[N:.+]] = memref.dim %arg0
// CHECK:         %[[COND:.+]] = memref.load
// CHECK:         %[[SIZE:.+]] = arith.select %[[COND]], %[[N]], %{{.+}} : index
// CHECK:         krnl.buffer_bytes(%[[SIZE]])
// CHECK:         krnl.check %{{.+}}, "a size is negative or too large" sizes(%[[SIZE]])
// CHECK:         %[[B:.+]] = memref.alloc(%[[SIZE]])
// CHECK:         scf.if %[[COND]] {
// CHECK:           krnl.launch @k {{.+}} outs(%[[B]] :
// CHECK:         }
// CHECK-NOT:     memref.copy
// CHECK:         %[[R:.+]] = arith.select %[[COND]], %[[B]], %arg0 : memref<?xf32>
// CHECK:         krnl.launch @k ins(%[[R]] :
func.func @choice(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %cond = tensor.extract %c[] : tensor<i1>
  %r = scf.if %cond -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.launch @k ins(%r : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// What is chosen is nobody's to overwrite.
// CHECK-LABEL: func @choice_is_kept
// CHECK:         %[[R:.+]] = arith.select {{.+}} : memref<?xf32>
// CHECK:         memref.copy %[[R]], %[[O:.+]] :
// CHECK:         krnl.launch @k {{.+}} outs(%[[O]] :
func.func @choice_is_kept(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %cond = tensor.extract %c[] : tensor<i1>
  %r = scf.if %cond -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %y = krnl.launch @k ins(%x : tensor<?xf32>) outs(%r : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A branch that gives a graph output makes it in each way.
// CHECK-LABEL: func @output_of_branch
// CHECK:         %[[N:.+]] = memref.dim %arg0
// CHECK:         scf.if %{{.+}} {
// CHECK:           %[[Y:.+]] = krnl.output 0(%[[N]]) : memref<?xf32>
// CHECK-NEXT:      krnl.launch @k {{.+}} outs(%[[Y]] :
// CHECK-NEXT:    } else {
// CHECK:           %[[Z:.+]] = krnl.output 0(%{{.+}}) : memref<?xf32>
// CHECK-NEXT:      memref.copy %arg0, %[[Z]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @output_of_branch(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %cond = tensor.extract %c[] : tensor<i1>
  %r = scf.if %cond -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// So does a branch in a way of another one.
// CHECK-LABEL: func @output_of_nested_branch
// CHECK:         %[[N:.+]] = memref.dim %arg0
// CHECK:         scf.if %{{.+}} {
// CHECK-NEXT:      scf.if %{{.+}} {
// CHECK:             %[[Y:.+]] = krnl.output 0(%[[N]]) : memref<?xf32>
// CHECK-NEXT:        krnl.launch @k {{.+}} outs(%[[Y]] :
// CHECK-NEXT:      } else {
// CHECK:             %[[Z:.+]] = krnl.output 0(%{{.+}}) : memref<?xf32>
// CHECK-NEXT:        memref.copy %arg0, %[[Z]]
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK:           %[[W:.+]] = krnl.output 0(%[[N]]) : memref<?xf32>
// CHECK-NEXT:      krnl.launch @k {{.+}} outs(%[[W]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @output_of_nested_branch(%x: tensor<?xf32>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %outer = tensor.extract %c[] : tensor<i1>
  %inner = tensor.extract %d[] : tensor<i1>
  %r = scf.if %outer -> tensor<?xf32> {
    %s = scf.if %inner -> tensor<?xf32> {
      %e = tensor.empty(%n) : tensor<?xf32>
      %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
      scf.yield %b : tensor<?xf32>
    } else {
      scf.yield %x : tensor<?xf32>
    }
    scf.yield %s : tensor<?xf32>
  } else {
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A while loop: carried in, through the condition, and out.
// CHECK-LABEL: func @while_loop
// CHECK:         %[[R:.+]] = scf.while (%[[A:.+]] = %{{.+}}) : (memref<i64>) -> memref<i64>
// CHECK:           %[[V:.+]] = memref.load %[[A]][]
// CHECK:           scf.condition(%{{.+}}) %[[A]]
// CHECK:         ^bb0(%[[B:.+]]: memref<i64>):
// CHECK:           %[[NEXT:.+]] = memref.alloc() : memref<i64>
// CHECK:           memref.store %{{.+}}, %[[NEXT]][]
// CHECK:           scf.yield %[[NEXT]]
func.func @while_loop(%x: tensor<i64>) -> tensor<i64> {
  %c10 = arith.constant 10 : i64
  %r = scf.while (%a = %x) : (tensor<i64>) -> tensor<i64> {
    %v = tensor.extract %a[] : tensor<i64>
    %less = arith.cmpi slt, %v, %c10 : i64
    scf.condition(%less) %a : tensor<i64>
  } do {
  ^bb0(%b: tensor<i64>):
    %v = tensor.extract %b[] : tensor<i64>
    %w = arith.addi %v, %v : i64
    %next = tensor.from_elements %w : tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %r : tensor<i64>
}
