// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s
//
// Copies of boxes by the operations of the NVVM dialect. The map of the tensor is a parameter after the others.

module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024, instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor"}>} {

// CHECK-LABEL: llvm.func {{.*}}@box(
// CHECK-SAME:    %{{[^,]+}}: !llvm.ptr {{[^,]*}}, %{{[^,]+}}: !llvm.ptr {{[^,]*}}, %{{[^,]+}}: !llvm.ptr {{[^,]*}}, %[[I:[^,]+]]: i{{32|64}}
// CHECK-SAME:    %[[MAP:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    krnl.tensor_maps = [{box = array<i64: 64, 32>, bytes = 2 : i64, pointer = 0 : i64, sizes = array<i64: 100, 64>, swizzle = 64 : i64}]
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32
// CHECK:         %[[TO:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<3> to !llvm.ptr<7>
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TO]], %[[MAP]], %{{.+}}, box[%[[K:.+]], %[[ROW:.+]]] : !llvm.ptr<7>, !llvm.ptr
// CHECK:       ^[[TRY:bb[0-9]+]]:
// CHECK:         %[[OVER:.+]] = nvvm.mbarrier.try_wait
// CHECK-NEXT:    llvm.cond_br %[[OVER]], ^[[NEXT:bb[0-9]+]], ^[[TRY]]
// CHECK:       ^[[NEXT]]:
// CHECK-COUNT-2: nvvm.mbarrier.inval
func.func private @box(%x: memref<100x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) attributes {krnl.kernel, krnl.threads = 32 : i64} {
  krnl.barrier_init %b : memref<2xi64>
  %c0 = arith.constant 0 : index
  krnl.barrier_expect %b[%c0], 4096 : memref<2xi64>
  krnl.copy_tensor %x[%i, %c0] to %t[%c0], %b[%c0], box=[64, 32], swizzle=64 : memref<100x64xf16> to memref<4096xf16>, memref<2xi64>
  krnl.barrier_wait %b[%c0], %c0 : memref<2xi64>
  krnl.barrier_end %b : memref<2xi64>
  return
}

// ~n is parameter n, a size that launches pass: after four pointers and the size of another buffer here.
// CHECK-LABEL: llvm.func {{.*}}@sizes(
// CHECK-SAME:    krnl.tensor_maps = [{box = array<i64: 1, 64, 32>, bytes = 2 : i64, pointer = 1 : i64, sizes = array<i64: -6, -7, 64>, swizzle = 64 : i64}]
func.func private @sizes(%w: memref<?xf16>, %x: memref<?x?x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) attributes {krnl.kernel, krnl.threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  krnl.copy_tensor %x[%c0, %i, %c0] to %t[%c0], %b[%c0], box=[1, 64, 32], swizzle=64 : memref<?x?x64xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// To all blocks of a cluster, which arrive at each other's barriers.
// CHECK-LABEL: llvm.func {{.*}}@cluster(
// CHECK-SAME:    passthrough = {{\[.*\["nvvm.cluster_dim", "4"\]}}
// CHECK:         %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
// CHECK:         nvvm.mbarrier.init %{{.+}}, %[[FOUR]]
// CHECK:         %[[MASK:.+]] = llvm.mlir.constant(15 : i16)
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
// CHECK-COUNT-4: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<7>
// CHECK:         nvvm.mbarrier.try_wait
func.func private @cluster(%x: memref<100x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) attributes {krnl.kernel, krnl.threads = 32 : i64, krnl.cluster = 4 : i64} {
  krnl.barrier_init %b {arrivals = 4 : i64} : memref<2xi64>
  %c0 = arith.constant 0 : index
  krnl.copy_tensor %x[%i, %c0] to %t[%c0], %b[%c0], box=[64, 32], swizzle=64 {blocks = 4 : i64} : memref<100x64xf16> to memref<4096xf16>, memref<2xi64>
  krnl.barrier_arrive %b[%c0], blocks=4 : memref<2xi64>
  krnl.barrier_wait %b[%c0], %c0 : memref<2xi64>
  return
}

// CHECK-LABEL: llvm.func {{.*}}@parts(
// CHECK:         %[[OWN:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr to !llvm.ptr<3>
// CHECK:         %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// CHECK:         %[[THERE:.+]] = nvvm.mapa %[[OWN]], %[[TWO]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK:         llvm.load %[[THERE]] {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK:         llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<7> -> f32
func.func private @parts(%m: memref<8x64xf32>, %y: memref<64xf32>, %i: index, %j: index) attributes {krnl.kernel, krnl.threads = 32 : i64, krnl.cluster = 4 : i64} {
  %v = krnl.load_cluster %m[%i, %j], block=2 : memref<8x64xf32>, vector<4xf32>
  vector.store %v, %y[%j] : memref<64xf32>, vector<4xf32>
  %e = krnl.load_cluster %m[%i, %j], block=3 : memref<8x64xf32>, f32
  memref.store %e, %y[%i] : memref<64xf32>
  return
}

}
