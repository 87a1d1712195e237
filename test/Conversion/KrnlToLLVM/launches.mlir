// RUN: onnx-opt %s --convert-krnl-to-llvm | FileCheck %s
// RUN: onnx-opt %s --convert-krnl-to-llvm=profile | FileCheck %s --check-prefix=PROFILE

// Launches are listed with the nodes of their locations, in order; a node of a
// body is the node of the model around it.
// CHECK: krnl.launches = [
// CHECK-SAME: {function = @k, nodes = ["conv1", "Conv", "relu1", "Relu"], region = 0 : i64},
// CHECK-SAME: {function = @k, nodes = ["gelu", "Gelu"], region = 0 : i64, work = {bytes = 8 : i64, operations = {f32 = 2 : i64}}},
// CHECK-SAME: {function = @k, nodes = []}, {function = @sized, nodes = []}]
// CHECK-NOT: onnxc_rt_launch

// Work that depends on sizes is listed where the run knows them: an extent, and
// the first size of the first output.
// PROFILE: function = @sized, nodes = [], work = {bytes = {{\[\[\[\[}}4, 1{{\]\], \[\[}}4, 0{{\]\]\]}}, 0], operations = {f32 = {{\[\[}}2, 0]]}, sizes = {{\[\[}}0], [-1, 0]]}

// The runtime is told when each begins and ends, in runs that are observed: a
// word of the call has a bit for launches and one for sizes.
// PROFILE-LABEL: @onnxc_main_graph
// PROFILE-SAME: (%[[CALL:[a-z0-9]+]]: !llvm.ptr
// PROFILE: %[[WORD:.+]] = llvm.getelementptr %[[CALL]][4]
// PROFILE: %[[OBSERVED:.+]] = llvm.load %[[WORD]] : !llvm.ptr -> i32
// PROFILE: %[[LAUNCHES:.+]] = llvm.mlir.constant(1 : i32)
// PROFILE: %[[BIT:.+]] = llvm.and %[[OBSERVED]], %[[LAUNCHES]]
// PROFILE: %[[ISOBSERVED:.+]] = llvm.icmp "ne" %[[BIT]], %{{.+}}
// PROFILE-NEXT: llvm.cond_br %[[ISOBSERVED]] weights([1, 2000]), ^[[TELL:bb[0-9]+]], ^[[GO:bb[0-9]+]]
// PROFILE-NEXT: ^[[TELL]]:
// PROFILE: %[[THIRD:.+]] = llvm.mlir.constant(2 : i32)
// PROFILE: llvm.call @onnxc_rt_launch(%[[CALL]], %{{.+}}, %[[THIRD]])
// PROFILE-NEXT: llvm.br ^[[GO]]
// PROFILE-NEXT: ^[[GO]]:
// PROFILE: llvm.call @k
// PROFILE: llvm.cond_br %{{.+}} weights([1, 2000])
// PROFILE: %[[END:.+]] = llvm.mlir.constant(-3 : i32)
// PROFILE: llvm.call @onnxc_rt_launch(%{{.+}}, %{{.+}}, %[[END]])
// PROFILE: %[[SIZES:.+]] = llvm.mlir.constant(2 : i32)
// PROFILE: llvm.and %{{.+}}, %[[SIZES]]
// PROFILE: llvm.cond_br %{{.+}} weights([1, 2000])
// PROFILE: %[[NUMBER:.+]] = llvm.mlir.constant(3 : i32)
// PROFILE-NEXT: %[[EXTENT:.+]] = llvm.mlir.constant(0 : i32)
// PROFILE-NEXT: llvm.call @onnxc_rt_launch_size(%{{.+}}, %[[NUMBER]], %[[EXTENT]], %{{.+}})
// PROFILE: %[[SIZE:.+]] = llvm.mlir.constant(1 : i32)
// PROFILE: llvm.call @onnxc_rt_launch_size(%{{.+}}, %{{.+}}, %[[SIZE]], %{{.+}})
// PROFILE: llvm.call @sized
// PROFILE-LABEL: llvm.func internal @parallel_region.0
// PROFILE-SAME: (%{{[a-z0-9]+}}: !llvm.ptr, %[[TID:[a-z0-9]+]]: i32,
// PROFILE: llvm.call @onnxc_rt_launch(%{{.+}}, %[[TID]], %{{.+}})
// PROFILE: llvm.call @k
// PROFILE: llvm.call @onnxc_rt_launch(%{{.+}}, %[[TID]], %{{.+}})
func.func private @k(%x: memref<?xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}

func.func private @sized(%n: index, %x: memref<?xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}

#model = loc("model.onnx")
#conv = loc("conv1"("Conv"(#model)))
#relu = loc("relu1"("Relu"(#model)))
func.func @main_graph(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  krnl.parallel_region tiles(%n) {
    krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) loc(fused[#conv, #relu])
    krnl.barrier
    krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) {krnl.work = {bytes = 8 : i64, operations = {f32 = 2 : i64}}} loc("gelu/Mul"("Mul"("gelu"("Gelu"(#model)))))
  }
  krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) loc("model.onnx")
  krnl.launch @sized ins(%n : index) outs(%x : memref<?xf32>) tiles(%n)
      {krnl.work = {bytes = [[[[4, 1]], [[4, 0]]], 0 : i64], operations = {f32 = [[2, 0]]}, sizes = [[0], [-1, 0]]}} loc("model.onnx")
  return
}
