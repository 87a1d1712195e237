// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

// One noalias pointer per buffer, then the dynamic sizes of all of them, then
// the scalars and the tile range.
// CHECK-LABEL: llvm.func hidden @bare
// CHECK-SAME:    (%[[X:.+]]: !llvm.ptr {llvm.noalias}, %[[Y:.+]]: !llvm.ptr {llvm.noalias},
// CHECK-SAME:    %[[X0:.+]]: i64, %[[Y1:.+]]: i64, %[[S:.+]]: f32, %[[BEGIN:.+]]: i64, %[[END:.+]]: i64)
// CHECK-SAME:    krnl.kernel
// A row of y is as long as its own size says.
// CHECK:         llvm.insertvalue %[[Y1]], %{{.+}}[4, 0]
// CHECK:         llvm.store %[[S]]
// CHECK:         llvm.return
func.func private @bare(%x: memref<?x4xf32>, %s: f32, %y: memref<4x?xf32>,
                        %begin: index, %end: index) attributes {krnl.kernel} {
  memref.store %s, %y[%begin, %end] : memref<4x?xf32>
  return
}

// -----

// A stack buffer inside a loop belongs to the function, aligned for vectors.
// CHECK-LABEL: @stack
// CHECK:         llvm.alloca %{{.+}} x f32 {alignment = 64 : i64}
// CHECK:         llvm.br
func.func private @stack(%x: memref<16xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %t = memref.alloca() : memref<16xf32>
    memref.store %v, %t[%i] : memref<16xf32>
    %w = memref.load %t[%i] : memref<16xf32>
    memref.store %w, %x[%i] : memref<16xf32>
  }
  return
}

// -----

// A kernel that several launches share knows less of the sizes than the launch.
// CHECK-LABEL: llvm.func hidden @shared
// CHECK-SAME:    (%[[X:.+]]: !llvm.ptr {llvm.noalias}, %[[SIZE:.+]]: i64, %[[BEGIN:.+]]: i64, %[[END:.+]]: i64)
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph
// CHECK:         %[[EIGHT:.+]] = llvm.mlir.constant(8 : index) : i64
// CHECK:         llvm.insertvalue %[[EIGHT]], %{{.+}}[3, 0]
// CHECK:         %[[PASSED:.+]] = llvm.extractvalue %{{.+}}[3, 0]
// CHECK:         llvm.call @shared(%{{.+}}, %[[PASSED]], %{{.+}}, %{{.+}})
func.func private @shared(%x: memref<?xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}
func.func @main_graph(%x: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  krnl.launch @shared outs(%x : memref<8xf32>) tiles(%c1)
  return
}
