// RUN: onnx-compile %s --resume=loops -o %t.so --tag=twin --report=json | FileCheck %s --check-prefix=REPORT
// RUN: llvm-readelf -d %t.so | FileCheck %s --check-prefix=NEEDED --implicit-check-not=NEEDED
// RUN: llvm-nm -D --defined-only %t.so | FileCheck %s --check-prefix=NAMES --implicit-check-not=onnxc_
// RUN: llvm-readelf -x .onnxc_weights %t.so | FileCheck %s --check-prefix=WEIGHTS
// RUN: onnx-run %t.so | FileCheck %s --check-prefix=OUT
// RUN: ls %t.so* | count 1
// RUN: onnx-compile %s --resume=loops -o %t.ext.so --weights=external
// RUN: onnx-run %t.ext.so | FileCheck %s --check-prefix=OUT
// RUN: wc -c %t.ext.weights | FileCheck %s --check-prefix=SIDE

// REPORT-DAG: "weights_bytes": 192
// REPORT-DAG: "arena_bytes": 64
// NEEDED-DAG: NEEDED){{.+}} [libm.so.6]
// NEEDED-DAG: NEEDED){{.+}} [libc.so.6]
// NAMES-DAG: T run_main_graph
// NAMES-DAG: T run_main_graph_twin
// NAMES-DAG: T omInputSignature_twin
// NAMES-DAG: B onnxc_process_{{[0-9]+}}

// The first weight is plain; the second is packed: column by column, and a
// column of zeros beyond its two.
// WEIGHTS: 0000803f 00000040 00004040 00008040
// WEIGHTS: 0000803f 00004040 00000040 00008040
// WEIGHTS-NEXT: 00000000 00000000
// The weights and a footer of 64 bytes.
// SIDE: 256
// OUT: 10
#packed = #krnl.packed<dims = [1, 0], sizes = [3, 2], strides = [1, 1]>
module {
  module @x86_64 attributes {
      krnl.weights = [
        {offset = 0 : i64, value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>},
        {offset = 64 : i64, value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>,
         layout = #packed}],
      krnl.weights_bytes = 192 : i64} {
    func.func @main_graph() attributes {krnl.arena_bytes = 64 : i64, krnl.inputs = [],
        krnl.outputs = [{name = "y", type = tensor<f32>}]} {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %w = krnl.weight_view[0] : memref<4xf32>
      %p = krnl.weight_view[64] : memref<3x2xf32>
      %y = krnl.output 0() : memref<f32>
      %0 = memref.load %w[%c2] : memref<4xf32>
      %1 = memref.load %p[%c1, %c1] : memref<3x2xf32>
      %2 = arith.addf %0, %1 : f32
      %3 = arith.addf %2, %0 : f32
      memref.store %3, %y[] : memref<f32>
      return
    }
  }
}
