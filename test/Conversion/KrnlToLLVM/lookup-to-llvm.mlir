// RUN: onnx-opt %s --pass-pipeline="builtin.module(builtin.module(convert-krnl-to-llvm))" | FileCheck %s

// 2 * i for each byte i.
#table = array<i8: 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 108, 110, 112, 114, 116, 118, 120, 122, 124, 126, -128, -126, -124, -122, -120, -118, -116, -114, -112, -110, -108, -106, -104, -102, -100, -98, -96, -94, -92, -90, -88, -86, -84, -82, -80, -78, -76, -74, -72, -70, -68, -66, -64, -62, -60, -58, -56, -54, -52, -50, -48, -46, -44, -42, -40, -38, -36, -34, -32, -30, -28, -26, -24, -22, -20, -18, -16, -14, -12, -10, -8, -6, -4, -2, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 108, 110, 112, 114, 116, 118, 120, 122, 124, 126, -128, -126, -124, -122, -120, -118, -116, -114, -112, -110, -108, -106, -104, -102, -100, -98, -96, -94, -92, -90, -88, -86, -84, -82, -80, -78, -76, -74, -72, -70, -68, -66, -64, -62, -60, -58, -56, -54, -52, -50, -48, -46, -44, -42, -40, -38, -36, -34, -32, -30, -28, -26, -24, -22, -20, -18, -16, -14, -12, -10, -8, -6, -4, -2>

// Two tables of 128 bytes, of which the highest bit of a byte selects one.
// CHECK-LABEL: llvm.func {{.*}}@halves
// CHECK:         %[[LOW:.+]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%{{.+}}, %[[X:.+]], %{{.+}}) :
// CHECK:         %[[HIGH:.+]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%{{.+}}, %[[X]], %{{.+}}) :
// CHECK:         %[[IS:.+]] = llvm.icmp "slt" %[[X]]
// CHECK:         llvm.select %[[IS]], %[[HIGH]], %[[LOW]]
module attributes {krnl.target = #krnl.target<instructions = {table_x64 = "llvm.x86.avx512.vpermi2var.qi.512", shuffle_x32 = "llvm.x86.avx2.pshuf.b"}>} {
  func.func private @halves(%x: memref<64xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] : memref<64xi8>, vector<64xi8>
    %y = krnl.lookup %a in #table : vector<64xi8>
    vector.store %y, %x[%c0] : memref<64xi8>, vector<64xi8>
    return
  }
}

// Sixteen tables of 16 bytes, the second as its difference to the first: 0 xor 32, 2 xor 34, ..
// CHECK-LABEL: llvm.func {{.*}}@differences
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%{{.+}}, %[[X:.+]]) :
// CHECK:         %[[MOVED:.+]] = llvm.call_intrinsic "llvm.ssub.sat"(%[[X]], %
// CHECK:         %[[T:.+]] = llvm.mlir.constant(dense<32> : vector<32xi8>)
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%[[T]], %[[MOVED]]) :
// CHECK-COUNT-14: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// CHECK-NOT:     llvm.call_intrinsic
module attributes {krnl.target = #krnl.target<instructions = {shuffle_x16 = "llvm.x86.ssse3.pshuf.b.128", shuffle_x32 = "llvm.x86.avx2.pshuf.b"}>} {
  func.func private @differences(%x: memref<32xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] : memref<32xi8>, vector<32xi8>
    %y = krnl.lookup %a in #table : vector<32xi8>
    vector.store %y, %x[%c0] : memref<32xi8>, vector<32xi8>
    return
  }
}

// The same in vectors of 64 bytes, each with the table four times: AVX-512 without VBMI.
// CHECK-LABEL: llvm.func {{.*}}@wide
// CHECK:         %[[T:.+]] = llvm.mlir.constant(dense<[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 0, 2,{{.*}} 30]> : vector<64xi8>)
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"(%[[T]], %[[X:.+]]) :
// CHECK:         %[[MOVED:.+]] = llvm.call_intrinsic "llvm.ssub.sat"(%[[X]], %
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"(%{{.+}}, %[[MOVED]]) :
// CHECK-COUNT-14: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
// CHECK-NOT:     llvm.call_intrinsic
module attributes {krnl.target = #krnl.target<instructions = {shuffle_x16 = "llvm.x86.ssse3.pshuf.b.128", shuffle_x32 = "llvm.x86.avx2.pshuf.b", shuffle_x64 = "llvm.x86.avx512.pshuf.b.512"}>} {
  func.func private @wide(%x: memref<64xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] : memref<64xi8>, vector<64xi8>
    %y = krnl.lookup %a in #table : vector<64xi8>
    vector.store %y, %x[%c0] : memref<64xi8>, vector<64xi8>
    return
  }
}

// Longer vectors than the instruction has are looked up in parts, a byte as a vector.
// CHECK-LABEL: llvm.func {{.*}}@parts
// CHECK-COUNT-32: llvm.call_intrinsic "llvm.x86.ssse3.pshuf.b.128"
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.ssse3.pshuf.b.128"
// CHECK:         llvm.extractelement
module attributes {krnl.target = #krnl.target<instructions = {shuffle_x16 = "llvm.x86.ssse3.pshuf.b.128"}>} {
  func.func private @parts(%x: memref<32xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] : memref<32xi8>, vector<32xi8>
    %y = krnl.lookup %a in #table : vector<32xi8>
    vector.store %y, %x[%c0] : memref<32xi8>, vector<32xi8>
    %b = memref.load %x[%c0] : memref<32xi8>
    %z = krnl.lookup %b in #table : i8
    memref.store %z, %x[%c0] : memref<32xi8>
    return
  }
}
