// RUN: onnx-opt %s --split-input-file --convert-krnl-to-llvm | FileCheck %s

// Each processor has its own way to multiply groups of bytes.
// One instruction.
// CHECK-LABEL: llvm.func {{.*}}@avx512_mixed
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.+}}, %[[X:.+]], %[[Y:.+]]) :
// CHECK-NOT:     llvm.call_intrinsic
module attributes {krnl.target = #krnl.target<instructions = {dot_us_x16 = "llvm.x86.avx512.vpdpbusd.512", pairs_x8 = "llvm.x86.avx2.pmadd.wd"}>} {
  func.func private @avx512_mixed(%s: memref<16xi32>, %x: memref<64xi8>, %y: memref<64xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<16xi32>, vector<16xi32>
    %b = vector.load %x[%c0] : memref<64xi8>, vector<64xi8>
    %c = vector.load %y[%c0] : memref<64xi8>, vector<64xi8>
    %d = krnl.dot %a, %b, %c {rhsSigned} : vector<16xi32>, vector<64xi8>
    vector.store %d, %s[%c0] : memref<16xi32>, vector<16xi32>
    return
  }
}

// -----

// Two signed operands: one is moved by 128, which is taken away again.
// CHECK-LABEL: llvm.func {{.*}}@avx512_signed
// CHECK:         %[[X:.+]] = llvm.xor
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.+}}, %[[X]], %
// CHECK:         llvm.sub
module attributes {krnl.target = #krnl.target<instructions = {dot_us_x16 = "llvm.x86.avx512.vpdpbusd.512", pairs_x8 = "llvm.x86.avx2.pmadd.wd"}>} {
  func.func private @avx512_signed(%s: memref<16xi32>, %x: memref<64xi8>, %y: memref<64xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<16xi32>, vector<16xi32>
    %b = vector.load %x[%c0] : memref<64xi8>, vector<64xi8>
    %c = vector.load %y[%c0] : memref<64xi8>, vector<64xi8>
    %d = krnl.dot %a, %b, %c {lhsSigned, rhsSigned} : vector<16xi32>, vector<64xi8>
    vector.store %d, %s[%c0] : memref<16xi32>, vector<16xi32>
    return
  }
}

// -----

// Two unsigned ones: 128 is twice 64.
// CHECK-LABEL: llvm.func {{.*}}@avx512_unsigned
// CHECK:         llvm.xor
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
module attributes {krnl.target = #krnl.target<instructions = {dot_us_x16 = "llvm.x86.avx512.vpdpbusd.512", pairs_x8 = "llvm.x86.avx2.pmadd.wd"}>} {
  func.func private @avx512_unsigned(%s: memref<16xi32>, %x: memref<64xi8>, %y: memref<64xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<16xi32>, vector<16xi32>
    %b = vector.load %x[%c0] : memref<64xi8>, vector<64xi8>
    %c = vector.load %y[%c0] : memref<64xi8>, vector<64xi8>
    %d = krnl.dot %a, %b, %c : vector<16xi32>, vector<64xi8>
    vector.store %d, %s[%c0] : memref<16xi32>, vector<16xi32>
    return
  }
}

// -----

// Newer processors have all kinds.
// CHECK-LABEL: llvm.func {{.*}}@avx_vnni_int8
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.vpdpbssd.256"
module attributes {krnl.target = #krnl.target<instructions = {dot_ss_x8 = "llvm.x86.avx2.vpdpbssd.256", dot_us_x8 = "llvm.x86.avx512.vpdpbusd.256"}>} {
  func.func private @avx_vnni_int8(%s: memref<8xi32>, %x: memref<32xi8>, %y: memref<32xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<8xi32>, vector<8xi32>
    %b = vector.load %x[%c0] : memref<32xi8>, vector<32xi8>
    %c = vector.load %y[%c0] : memref<32xi8>, vector<32xi8>
    %d = krnl.dot %a, %b, %c {lhsSigned, rhsSigned} : vector<8xi32>, vector<32xi8>
    vector.store %d, %s[%c0] : memref<8xi32>, vector<8xi32>
    return
  }
}

// -----

// Signed by unsigned is the other way round.
// CHECK-LABEL: llvm.func {{.*}}@avx_vnni
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
module attributes {krnl.target = #krnl.target<instructions = {dot_us_x8 = "llvm.x86.avx512.vpdpbusd.256", pairs_x8 = "llvm.x86.avx2.pmadd.wd"}>} {
  func.func private @avx_vnni(%s: memref<8xi32>, %x: memref<32xi8>, %y: memref<32xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<8xi32>, vector<8xi32>
    %b = vector.load %x[%c0] : memref<32xi8>, vector<32xi8>
    %c = vector.load %y[%c0] : memref<32xi8>, vector<32xi8>
    %d = krnl.dot %a, %b, %c {lhsSigned} : vector<8xi32>, vector<32xi8>
    vector.store %d, %s[%c0] : memref<8xi32>, vector<8xi32>
    return
  }
}

// -----

// Pairs of 16 bits; products of bytes that saturate are not used.
// CHECK-LABEL: llvm.func {{.*}}@avx2
// CHECK:         llvm.shl
// CHECK:         llvm.lshr
// CHECK:         llvm.ashr
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
module attributes {krnl.target = #krnl.target<instructions = {pairs_x4 = "llvm.x86.sse2.pmadd.wd", pairs_x8 = "llvm.x86.avx2.pmadd.wd"}>} {
  func.func private @avx2(%s: memref<8xi32>, %x: memref<32xi8>, %y: memref<32xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<8xi32>, vector<8xi32>
    %b = vector.load %x[%c0] : memref<32xi8>, vector<32xi8>
    %c = vector.load %y[%c0] : memref<32xi8>, vector<32xi8>
    %d = krnl.dot %a, %b, %c {rhsSigned} : vector<8xi32>, vector<32xi8>
    vector.store %d, %s[%c0] : memref<8xi32>, vector<8xi32>
    return
  }
}

// -----

// The same on the baseline processor.
// CHECK-LABEL: llvm.func {{.*}}@sse2
// CHECK:         llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
module attributes {krnl.target = #krnl.target<instructions = {pairs_x4 = "llvm.x86.sse2.pmadd.wd"}>} {
  func.func private @sse2(%s: memref<4xi32>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<4xi32>, vector<4xi32>
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.dot %a, %b, %c {rhsSigned} : vector<4xi32>, vector<16xi8>
    vector.store %d, %s[%c0] : memref<4xi32>, vector<4xi32>
    return
  }
}

// -----

// Arm has signed by signed, and unsigned by unsigned,
// CHECK-LABEL: llvm.func {{.*}}@arm_dot
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
module attributes {krnl.target = #krnl.target<instructions = {dot_ss_x4 = "llvm.aarch64.neon.sdot.v4i32.v16i8"}>} {
  func.func private @arm_dot(%s: memref<4xi32>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<4xi32>, vector<4xi32>
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.dot %a, %b, %c {lhsSigned, rhsSigned} : vector<4xi32>, vector<16xi8>
    vector.store %d, %s[%c0] : memref<4xi32>, vector<4xi32>
    return
  }
}

// -----

// and mixed with another extension.
// CHECK-LABEL: llvm.func {{.*}}@arm_i8mm
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"
module attributes {krnl.target = #krnl.target<instructions = {dot_ss_x4 = "llvm.aarch64.neon.sdot.v4i32.v16i8", dot_us_x4 = "llvm.aarch64.neon.usdot.v4i32.v16i8"}>} {
  func.func private @arm_i8mm(%s: memref<4xi32>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<4xi32>, vector<4xi32>
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.dot %a, %b, %c {rhsSigned} : vector<4xi32>, vector<16xi8>
    vector.store %d, %s[%c0] : memref<4xi32>, vector<4xi32>
    return
  }
}

// -----

// What has none of these multiplies words.
// CHECK-LABEL: llvm.func {{.*}}@arm
// CHECK:         llvm.mul
// CHECK:         llvm.mul
// CHECK:         llvm.mul
// CHECK:         llvm.mul
module attributes {krnl.target = #krnl.target<cpu = "plain">} {
  func.func private @arm(%s: memref<4xi32>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<4xi32>, vector<4xi32>
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.dot %a, %b, %c {rhsSigned} : vector<4xi32>, vector<16xi8>
    vector.store %d, %s[%c0] : memref<4xi32>, vector<4xi32>
    return
  }
}

// -----

// Cortex-M: every other byte is half of a word, and two products at a time are
// added to the sum.
// CHECK-LABEL: llvm.func {{.*}}@single
// CHECK-DAG:     %[[X:.+]] = llvm.call_intrinsic "llvm.arm.uxtb16"(%[[A:.+]]) : (i32) -> i32
// CHECK-DAG:     %[[Y:.+]] = llvm.call_intrinsic "llvm.arm.sxtb16"(%[[B:.+]]) : (i32) -> i32
// CHECK:         %[[EVEN:.+]] = llvm.call_intrinsic "llvm.arm.smlad"(%[[X]], %[[Y]], %{{.+}}) :
// CHECK-DAG:     %[[P:.+]] = llvm.intr.fshr(%[[A]], %[[A]], %
// CHECK-DAG:     %[[Q:.+]] = llvm.intr.fshr(%[[B]], %[[B]], %
// CHECK-DAG:     %[[V:.+]] = llvm.call_intrinsic "llvm.arm.uxtb16"(%[[P]])
// CHECK-DAG:     %[[W:.+]] = llvm.call_intrinsic "llvm.arm.sxtb16"(%[[Q]])
// CHECK:         llvm.call_intrinsic "llvm.arm.smlad"(%[[V]], %[[W]], %[[EVEN]])
module attributes {krnl.target = #krnl.target<instructions = {even_bytes_s_x1 = "llvm.arm.sxtb16", even_bytes_u_x1 = "llvm.arm.uxtb16", pairs_sum_x1 = "llvm.arm.smlad"}>} {
  func.func private @single(%s: memref<1xi32>, %x: memref<4xi8>, %y: memref<4xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<1xi32>, vector<1xi32>
    %b = vector.load %x[%c0] : memref<4xi8>, vector<4xi8>
    %c = vector.load %y[%c0] : memref<4xi8>, vector<4xi8>
    %d = krnl.dot %a, %b, %c {rhsSigned} : vector<1xi32>, vector<4xi8>
    vector.store %d, %s[%c0] : memref<1xi32>, vector<1xi32>
    return
  }
}

// -----

// A vector of bytes for one sum: neither unsigned nor subtracted nor exchanged.
// CHECK-LABEL: llvm.func {{.*}}@long_signed
// CHECK:         %[[NO:.+]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    %[[SIGNED:.+]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.arm.mve.vmldava"(%[[SIGNED]], %[[NO]], %[[NO]], %{{.+}}, %{{.+}}, %{{.+}}) : (i32, i32, i32, i32, vector<16xi8>, vector<16xi8>) -> i32
// CHECK-NOT:     llvm.call_intrinsic
module attributes {krnl.target = #krnl.target<instructions = {bytes_sum_x16 = "llvm.arm.mve.vmldava"}>} {
  func.func private @long_signed(%s: memref<1xi32>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<1xi32>, vector<1xi32>
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.dot %a, %b, %c {lhsSigned, rhsSigned} : vector<1xi32>, vector<16xi8>
    vector.store %d, %s[%c0] : memref<1xi32>, vector<1xi32>
    return
  }
}

// -----

// CHECK-LABEL: llvm.func {{.*}}@long_unsigned
// CHECK:         %[[YES:.+]] = llvm.mlir.constant(1 : i32)
// CHECK:         llvm.call_intrinsic "llvm.arm.mve.vmldava"(%[[YES]],
// CHECK-NOT:     llvm.call_intrinsic
module attributes {krnl.target = #krnl.target<instructions = {bytes_sum_x16 = "llvm.arm.mve.vmldava"}>} {
  func.func private @long_unsigned(%s: memref<1xi32>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<1xi32>, vector<1xi32>
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.dot %a, %b, %c : vector<1xi32>, vector<16xi8>
    vector.store %d, %s[%c0] : memref<1xi32>, vector<1xi32>
    return
  }
}

// -----

// Bytes of two kinds: one is moved by 128, which is twice 64.
// CHECK-LABEL: llvm.func {{.*}}@long_mixed
// CHECK:         %[[X:.+]] = llvm.xor
// CHECK:         %[[A:.+]] = llvm.call_intrinsic "llvm.arm.mve.vmldava"({{.+}}, %[[HALF:.+]], %[[Y:.+]]) :
// CHECK:         %[[B:.+]] = llvm.call_intrinsic "llvm.arm.mve.vmldava"({{.+}}, %[[A]], %[[HALF]], %[[Y]]) :
// CHECK:         llvm.call_intrinsic "llvm.arm.mve.vmldava"({{.+}}, %[[B]], %[[X]], %[[Y]]) :
module attributes {krnl.target = #krnl.target<instructions = {bytes_sum_x16 = "llvm.arm.mve.vmldava"}>} {
  func.func private @long_mixed(%s: memref<1xi32>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<1xi32>, vector<1xi32>
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.dot %a, %b, %c {rhsSigned} : vector<1xi32>, vector<16xi8>
    vector.store %d, %s[%c0] : memref<1xi32>, vector<1xi32>
    return
  }
}

// -----

// Elsewhere it is four groups.
// CHECK-LABEL: llvm.func {{.*}}@long_in_pairs
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.arm.smlad"
// CHECK-NOT:     llvm.call_intrinsic "llvm.arm.smlad"
module attributes {krnl.target = #krnl.target<instructions = {even_bytes_s_x1 = "llvm.arm.sxtb16", even_bytes_u_x1 = "llvm.arm.uxtb16", pairs_sum_x1 = "llvm.arm.smlad"}>} {
  func.func private @long_in_pairs(%s: memref<1xi32>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<1xi32>, vector<1xi32>
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.dot %a, %b, %c {lhsSigned, rhsSigned} : vector<1xi32>, vector<16xi8>
    vector.store %d, %s[%c0] : memref<1xi32>, vector<1xi32>
    return
  }
}

// -----

// Pairs of 16 bits are one instruction and an addition.
// CHECK-LABEL: llvm.func {{.*}}@avx2_pairs
// CHECK:         %[[P:.+]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%{{.+}}, %{{.+}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// CHECK-NEXT:    llvm.add %{{.+}}, %[[P]] : vector<8xi32>
// CHECK-NOT:     llvm.call_intrinsic
module attributes {krnl.target = #krnl.target<instructions = {pairs_x8 = "llvm.x86.avx2.pmadd.wd"}>} {
  func.func private @avx2_pairs(%s: memref<8xi32>, %x: memref<16xi16>, %y: memref<16xi16>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<8xi32>, vector<8xi32>
    %b = vector.load %x[%c0] : memref<16xi16>, vector<16xi16>
    %c = vector.load %y[%c0] : memref<16xi16>, vector<16xi16>
    %d = krnl.dot %a, %b, %c : vector<8xi32>, vector<16xi16>
    vector.store %d, %s[%c0] : memref<8xi32>, vector<8xi32>
    return
  }
}

// -----

// Without the instruction each of two is a product of words.
// CHECK-LABEL: llvm.func {{.*}}@no_pairs
// CHECK-COUNT-2: llvm.mul %{{.+}} : vector<4xi32>
// CHECK-NOT:     llvm.mul
module attributes {krnl.target = #krnl.target<>} {
  func.func private @no_pairs(%s: memref<4xi32>, %x: memref<8xi16>, %y: memref<8xi16>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %a = vector.load %s[%c0] : memref<4xi32>, vector<4xi32>
    %b = vector.load %x[%c0] : memref<8xi16>, vector<8xi16>
    %c = vector.load %y[%c0] : memref<8xi16>, vector<8xi16>
    %d = krnl.dot %a, %b, %c : vector<4xi32>, vector<8xi16>
    vector.store %d, %s[%c0] : memref<4xi32>, vector<4xi32>
    return
  }
}

// -----

// CHECK-LABEL: llvm.func {{.*}}@avx2_pair_sums
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"(%{{.+}}, %{{.+}}) : (vector<32xi8>, vector<32xi8>) -> vector<16xi16>
// CHECK-NOT:     llvm.mul
module attributes {krnl.target = #krnl.target<instructions = {byte_pairs_x8 = "llvm.x86.avx2.pmadd.ub.sw"}>} {
  func.func private @avx2_pair_sums(%s: memref<16xi16>, %x: memref<32xi8>, %y: memref<32xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %b = vector.load %x[%c0] : memref<32xi8>, vector<32xi8>
    %c = vector.load %y[%c0] : memref<32xi8>, vector<32xi8>
    %d = krnl.pair_sums %b, %c : vector<32xi8> -> vector<16xi16>
    vector.store %d, %s[%c0] : memref<16xi16>, vector<16xi16>
    return
  }
}

// -----

// Without the instruction each of two is a product of 16 bits.
// CHECK-LABEL: llvm.func {{.*}}@no_pair_sums
// CHECK-COUNT-2: llvm.mul %{{.+}} : vector<8xi16>
// CHECK-NOT:     llvm.mul
module attributes {krnl.target = #krnl.target<>} {
  func.func private @no_pair_sums(%s: memref<8xi16>, %x: memref<16xi8>, %y: memref<16xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
    %c0 = arith.constant 0 : index
    %b = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
    %c = vector.load %y[%c0] : memref<16xi8>, vector<16xi8>
    %d = krnl.pair_sums %b, %c : vector<16xi8> -> vector<8xi16>
    vector.store %d, %s[%c0] : memref<8xi16>, vector<8xi16>
    return
  }
}
