// An internal error leaves the IR that went into the failed phase, and says how
// to see the error again.
// RUN: rm -rf %t && mkdir %t
// RUN: not onnx-compile %s --resume=krnl -o %t/m.so 2>&1 | FileCheck %s
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: not onnx-compile %t/m.so.reproducer.mlir --resume=loops -o %t/again.so 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: error: 'func.func' op expected input 0 to be a buffer, but got index
// CHECK: note: the error comes again with: onnx-compile {{.+}}m.so.reproducer.mlir --resume=loops
// FILES: m.so.reproducer.mlir
// FILES-NOT: {{.}}
// ERROR: error: 'func.func' op expected input 0 to be a buffer, but got index
module {
  module @x86_64 {
    func.func @main_graph(%n: index) {
      %c5 = arith.constant 5 : index
      %isSmall = arith.cmpi slt, %n, %c5 : index
      krnl.check %isSmall, "n is large"
      return
    }
  }
}
