// RUN: onnx-opt %s --split-input-file --convert-krnl-to-llvm --verify-diagnostics | FileCheck %s
//
// Kernels whose tiles are shared by threads, and host programs that launch them.

// A kernel that a device launches: parameters are addresses and integers; indices
// have 32 bits, as the buffers are small.
// CHECK-LABEL: llvm.func ptx_kernelcc @kernel(
// CHECK-SAME:    !llvm.ptr {llvm.noalias}, %{{.+}}: !llvm.ptr {llvm.noalias}, %[[WORD:.+]]: i32)
// CHECK-SAME:    passthrough = {{\[\[}}"nvvm.reqntid", "256"]]
// CHECK:         llvm.bitcast %[[WORD]] : i32 to f32
// CHECK:         %[[TID:.+]] = nvvm.read.ptx.sreg.tid.x : i32
// CHECK:         llvm.getelementptr {{.*}}%{{.+}}[%[[TID]]] : (!llvm.ptr, i32) -> !llvm.ptr, f32
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {
  func.func private @kernel(%x: memref<256xf32>, %factor: f32, %y: memref<256xf32>)
      attributes {krnl.kernel, krnl.threads = 256 : i64} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %i = arith.index_castui %tid : i32 to index
    %a = memref.load %x[%i] : memref<256xf32>
    %b = arith.mulf %a, %factor : f32
    memref.store %b, %y[%i] : memref<256xf32>
    return
  }
}

// -----

module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {
  func.func private @kernel(%x: memref<256xf64>) attributes {krnl.kernel, krnl.threads = 256 : i64} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %i = arith.index_castui %tid : i32 to index
    %a = memref.load %x[%i] : memref<256xf64>
    // expected-error @+1 {{a device has no 'cbrt': compile the model for the processor, by --device=cpu}}
    %b = math.cbrt %a : f64
    memref.store %b, %x[%i] : memref<256xf64>
    return
  }
}

// -----

// The host program: one word for each parameter and four for each buffer, of which the other
// three are the part that is accessed, copies by their bytes. A launch whose time is taken passes
// its number.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph(
// CHECK-SAME:    %[[CALL:.+]]: !llvm.ptr,
// CHECK:         %[[WORDS:.+]] = llvm.mlir.constant(10 : i64) : i64
// CHECK:         %[[FRAME:.+]] = llvm.alloca %[[WORDS]] x i64
// CHECK:         llvm.call @onnxc_rt_device_alloc(%[[CALL]],
// CHECK:         %[[BYTES:.+]] = llvm.mlir.constant(1024 : i64) : i64
// CHECK:         llvm.call @onnxc_rt_device_copy_in(%[[CALL]], %{{.+}}, %{{.+}}, %[[BYTES]]) : (!llvm.ptr, i64, !llvm.ptr, i64) -> i32
// CHECK:         %[[READ:.+]] = llvm.mlir.constant(1024 : i64) : i64
// CHECK:         %[[FIRST:.+]] = llvm.mlir.constant(0 : i64) : i64
// CHECK:         %[[WRITTEN:.+]] = llvm.mlir.constant(1024 : i64) : i64
// CHECK:         %[[PITCH:.+]] = llvm.mlir.constant(64 : i64) : i64
// CHECK:         %[[BEGIN:.+]] = llvm.mlir.constant(16 : i64) : i64
// CHECK:         %[[END:.+]] = llvm.mlir.constant(32 : i64) : i64
// CHECK:         llvm.store %{{.+}}, %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %{{.+}}, %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[READ]], %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[READ]], %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[FIRST]], %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[READ]], %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[WRITTEN]], %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[PITCH]], %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[BEGIN]], %{{.+}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[END]], %{{.+}} : i64, !llvm.ptr
// CHECK:         %[[KERNEL:.+]] = llvm.mlir.constant(3 : i32) : i32
// CHECK:         %[[UNTIMED:.+]] = llvm.mlir.constant(-1 : i32) : i32
// CHECK:         llvm.call @onnxc_rt_device_launch(%[[CALL]], %[[KERNEL]], %[[UNTIMED]], %{{.+}}, %{{.+}}) : (!llvm.ptr, i32, i32, i64, !llvm.ptr) -> i32
// CHECK:         %[[NUMBER:.+]] = llvm.mlir.constant(7 : i32) : i32
// CHECK:         llvm.call @onnxc_rt_device_launch(%[[CALL]], %{{.+}}, %[[NUMBER]], %{{.+}}, %[[FRAME]])
// CHECK:         llvm.call @onnxc_rt_device_copy_out(%[[CALL]], %{{.+}}, %{{.+}}, %{{.+}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> i32
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_rt_device_synchronize(%[[CALL]])
// CHECK:         llvm.icmp "eq" %[[STATUS]],
func.func private @kernel(memref<256xf32>, memref<256xf32>) attributes {krnl.kernel, krnl.threads = 256 : i64}
func.func @main(%x: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %arena = krnl.device_alloc %c1024
  %d = krnl.arena_view[%c0] () in %arena : memref<256xf32>
  krnl.copy_in %x to %d : memref<256xf32>
  krnl.launch @kernel ins(%d : memref<256xf32>) outs(%d : memref<256xf32>) tiles(%c1) {krnl.device_kernel = 3 : i32, krnl.parts = array<i64: -1, 64, 16, 32>}
  krnl.launch @kernel ins(%d : memref<256xf32>) outs(%d : memref<256xf32>) tiles(%c1) {krnl.device_kernel = 3 : i32, krnl.launch_number = 7 : i32}
  krnl.copy_out %d to %x wait : memref<256xf32>
  return
}

// -----

// Nothing of an empty buffer is copied. The words of errors are those of the device from their row on. Launches
// wait for none because of them.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph(
// CHECK:         %[[ROW:.+]] = llvm.mlir.constant(3 : i32) : i32
// CHECK:         llvm.call @onnxc_rt_device_errors(%{{.+}}, %[[ROW]])
// CHECK:         %[[BYTES:.+]] = llvm.mlir.constant(0 : i64) : i64
// CHECK:         llvm.call @onnxc_rt_device_copy_in(%{{.+}}, %{{.+}}, %{{.+}}, %[[BYTES]])
// CHECK:         %[[SIZE:.+]] = llvm.mlir.constant(60 : i64) : i64
// CHECK:         %[[NONE:.+]] = llvm.mlir.constant(0 : i64) : i64
// CHECK:         %[[WRITTEN:.+]] = llvm.mlir.constant(60 : i64) : i64
// CHECK:         llvm.store %[[SIZE]],
// CHECK:         llvm.store %[[NONE]],
// CHECK:         llvm.store %[[WRITTEN]],
func.func private @kernel(memref<3x5xf32>, memref<1x2xi64>, memref<3x5xf32>) attributes {krnl.kernel, krnl.threads = 256 : i64}
func.func @main(%x: memref<3x0x5xf32>, %d: memref<3x0x5xf32>, %e: memref<3x5xf32>) {
  %c1 = arith.constant 1 : index
  %w = krnl.error_word ["bad row"] at [loc("Gather_0")] dimensions [0] {krnl.first_error = 3 : i32} : memref<1x2xi64>
  krnl.copy_in %x to %d : memref<3x0x5xf32>
  krnl.launch @kernel ins(%e, %w : memref<3x5xf32>, memref<1x2xi64>) outs(%e : memref<3x5xf32>) tiles(%c1) {krnl.device_kernel = 0 : i32}
  return
}

// -----

// Buffers of a device are aligned for its longest access, unless a launch passes a row
// among others.
// CHECK-LABEL: llvm.func ptx_kernelcc @rows(
// CHECK-SAME:    !llvm.ptr {llvm.align = 16 : i64, llvm.noalias},
// CHECK-SAME:    !llvm.ptr {llvm.align = 8 : i64, llvm.noalias},
// CHECK-SAME:    !llvm.ptr {llvm.align = 4 : i64, llvm.noalias},
// CHECK-SAME:    krnl.device_buffers = array<i64: 2, 1>
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {
  func.func private @rows(%whole: memref<4x6xf32>, %even: memref<6xf32>, %any: memref<?xf32>)
      attributes {krnl.kernel, krnl.threads = 32 : i64} {
    return
  }
  func.func @main(%x: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %size = memref.dim %x, %c0 : memref<?xf32>
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %arena = krnl.device_alloc %c1024
    %whole = krnl.arena_view[%c0]() in %arena : memref<4x6xf32>
    %dynamic = krnl.arena_view[%c0](%size) in %arena : memref<4x?xf32>
    %even = krnl.row_view %whole[%c1] : memref<4x6xf32> -> memref<6xf32>
    %first = krnl.row_view %dynamic[%c0] : memref<4x?xf32> -> memref<?xf32>
    krnl.launch @rows ins(%whole, %even : memref<4x6xf32>, memref<6xf32>) outs(%first : memref<?xf32>) tiles(%c1) {krnl.device_kernel = 0 : i32}
    return
  }
}

// -----

// A complex number is two parameters, a string one.
// CHECK-LABEL: llvm.func ptx_kernelcc @kernel(
// CHECK-SAME:    %[[REAL:[a-z0-9]+]]: i32, %{{[a-z0-9]+}}: i32, %{{[a-z0-9]+}}: !llvm.ptr)
// CHECK:         llvm.bitcast %[[REAL]] : i32 to f32
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {
  func.func private @kernel(%value: complex<f32>, %text: !krnl.str, %y: memref<256xcomplex<f32>>)
      attributes {krnl.kernel, krnl.threads = 256 : i64} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %i = arith.index_castui %tid : i32 to index
    memref.store %value, %y[%i] : memref<256xcomplex<f32>>
    return
  }
}

// -----

// CHECK-LABEL: llvm.func hidden @onnxc_main_graph(
// CHECK:         %[[REAL:.+]] = llvm.extractvalue %[[VALUE:.+]][0] : !llvm.struct<(f32, f32)>
// CHECK:         llvm.bitcast %[[REAL]] : f32 to i32
// CHECK:         llvm.extractvalue %[[VALUE]][1] : !llvm.struct<(f32, f32)>
func.func private @kernel(complex<f32>, memref<256xcomplex<f32>>) attributes {krnl.kernel, krnl.threads = 256 : i64}
func.func @main(%d: memref<256xcomplex<f32>>) {
  %c1 = arith.constant 1 : index
  %value = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  krnl.launch @kernel ins(%value : complex<f32>) outs(%d : memref<256xcomplex<f32>>) tiles(%c1) {krnl.device_kernel = 0 : i32}
  return
}

// -----

// Memory that the threads of a block share is a symbol of their memory space.
// CHECK-LABEL: llvm.mlir.global private @shares_shared_0() {addr_space = 3 : i32} : !llvm.array<8 x f32>
// CHECK-LABEL: llvm.func ptx_kernelcc @shares(
// CHECK:         %[[SHARED:.+]] = llvm.mlir.addressof @shares_shared_0 : !llvm.ptr<3>
// CHECK:         llvm.addrspacecast %{{.+}} : !llvm.ptr<3> to !llvm.ptr
// CHECK-NOT:     llvm.alloca
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {
  func.func private @shares(%y: memref<8xf32>) attributes {krnl.kernel, krnl.threads = 32 : i64} {
    %c0 = arith.constant 0 : index
    %memory = memref.alloca() : memref<8xf32, 3>
    %shared = memref.memory_space_cast %memory : memref<8xf32, 3> to memref<8xf32>
    nvvm.barrier0
    %a = memref.load %shared[%c0] : memref<8xf32>
    memref.store %a, %y[%c0] : memref<8xf32>
    return
  }
}

// -----

// More than 48 KiB is what a launch asks for, one symbol without a size for all kernels. What has the largest
// alignment comes first, so that nothing lies between: 40960 + 12288 + 36 bytes.
// CHECK-LABEL: llvm.mlir.global external @dynamic_shared()
// CHECK-SAME:    addr_space = 3 : i32, alignment = 1024 : i64
// CHECK-SAME:    !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func ptx_kernelcc @asks(
// CHECK-SAME:    krnl.shared_bytes = 53284 : i64
// CHECK-DAG:     llvm.mlir.addressof @dynamic_shared : !llvm.ptr<3>
// CHECK-DAG:     llvm.mlir.constant(53248 : index)
// CHECK-DAG:     llvm.mlir.constant(40960 : index)
// CHECK-NOT:     llvm.alloca
// CHECK-LABEL: llvm.func ptx_kernelcc @asks_too(
// CHECK-SAME:    krnl.shared_bytes = 50176 : i64
// CHECK:         llvm.mlir.addressof @dynamic_shared : !llvm.ptr<3>
// The assembler may leave a gap of 1024 bytes.
// CHECK-LABEL: llvm.func ptx_kernelcc @asks_for_a_gap(
// CHECK-SAME:    krnl.shared_bytes = 49152 : i64
// 47152 bytes may become 50176: small buffers between the others leave a gap before each of these.
// CHECK-LABEL: llvm.func ptx_kernelcc @asks_for_gaps(
// CHECK-SAME:    krnl.shared_bytes = 47152 : i64
// CHECK-LABEL: llvm.func ptx_kernelcc @asks_for_none(
// CHECK-NOT:     krnl.shared_bytes
// CHECK:         llvm.mlir.addressof @asks_for_none_shared_0 : !llvm.ptr<3>
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {
  func.func private @asks(%y: memref<9xf32>) attributes {krnl.kernel, krnl.threads = 32 : i64} {
    %c0 = arith.constant 0 : index
    %small = memref.alloca() {alignment = 4 : i64} : memref<9xf32, 3>
    %first = memref.alloca() {alignment = 1024 : i64} : memref<10240xf32, 3>
    %second = memref.alloca() {alignment = 1024 : i64} : memref<6144xf16, 3>
    %a = memref.load %small[%c0] : memref<9xf32, 3>
    %b = memref.load %first[%c0] : memref<10240xf32, 3>
    %c = memref.load %second[%c0] : memref<6144xf16, 3>
    %d = arith.extf %c : f16 to f32
    %e = arith.addf %a, %b : f32
    %f = arith.addf %d, %e : f32
    memref.store %f, %y[%c0] : memref<9xf32>
    return
  }
  func.func private @asks_too(%y: memref<9xf32>) attributes {krnl.kernel, krnl.threads = 32 : i64} {
    %c0 = arith.constant 0 : index
    %all = memref.alloca() {alignment = 16 : i64} : memref<12544xf32, 3>
    %a = memref.load %all[%c0] : memref<12544xf32, 3>
    memref.store %a, %y[%c0] : memref<9xf32>
    return
  }
  func.func private @asks_for_a_gap(%y: memref<9xf32>) attributes {krnl.kernel, krnl.threads = 32 : i64} {
    %c0 = arith.constant 0 : index
    %all = memref.alloca() {alignment = 1024 : i64} : memref<12288xf32, 3>
    %a = memref.load %all[%c0] : memref<12288xf32, 3>
    memref.store %a, %y[%c0] : memref<9xf32>
    return
  }
  func.func private @asks_for_gaps(%y: memref<9xf32>) attributes {krnl.kernel, krnl.threads = 32 : i64} {
    %c0 = arith.constant 0 : index
    %m0 = memref.alloca() {alignment = 1024 : i64} : memref<4096xf32, 3>
    %m1 = memref.alloca() {alignment = 1024 : i64} : memref<4096xf32, 3>
    %m2 = memref.alloca() {alignment = 1024 : i64} : memref<3584xf32, 3>
    %m3 = memref.alloca() {alignment = 16 : i64} : memref<4xf32, 3>
    %m4 = memref.alloca() {alignment = 16 : i64} : memref<4xf32, 3>
    %m5 = memref.alloca() {alignment = 16 : i64} : memref<4xf32, 3>
    %e0 = memref.load %m0[%c0] : memref<4096xf32, 3>
    memref.store %e0, %y[%c0] : memref<9xf32>
    %e1 = memref.load %m1[%c0] : memref<4096xf32, 3>
    memref.store %e1, %y[%c0] : memref<9xf32>
    %e2 = memref.load %m2[%c0] : memref<3584xf32, 3>
    memref.store %e2, %y[%c0] : memref<9xf32>
    %e3 = memref.load %m3[%c0] : memref<4xf32, 3>
    memref.store %e3, %y[%c0] : memref<9xf32>
    %e4 = memref.load %m4[%c0] : memref<4xf32, 3>
    memref.store %e4, %y[%c0] : memref<9xf32>
    %e5 = memref.load %m5[%c0] : memref<4xf32, 3>
    memref.store %e5, %y[%c0] : memref<9xf32>
    return
  }
  func.func private @asks_for_none(%y: memref<9xf32>) attributes {krnl.kernel, krnl.threads = 32 : i64} {
    %c0 = arith.constant 0 : index
    %all = memref.alloca() {alignment = 4 : i64} : memref<12287xf32, 3>
    %a = memref.load %all[%c0] : memref<12287xf32, 3>
    memref.store %a, %y[%c0] : memref<9xf32>
    return
  }
}

// -----

// A copy between two buffers of the device is one there.
// CHECK-LABEL: llvm.func hidden @onnxc_main_graph(
// CHECK:         %[[BYTES:.+]] = llvm.mlir.constant(1024 : i64) : i64
// CHECK:         llvm.call @onnxc_rt_device_copy(%{{.+}}, %{{.+}}, %{{.+}}, %[[BYTES]]) : (!llvm.ptr, i64, i64, i64) -> i32
func.func @main(%d: memref<256xf32>, %e: memref<256xf32>) {
  memref.copy %d, %e {krnl.on_device} : memref<256xf32> to memref<256xf32>
  return
}
