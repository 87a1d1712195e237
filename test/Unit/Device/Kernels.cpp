//===- Kernels.cpp - Kernels by hand, as the compiler writes them ---------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Compiled to an image for a simulated device.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

extern "C" {
int32_t sim_read_ptx_sreg_tid_x();
int32_t sim_read_ptx_sreg_ctaid_x();
int32_t sim_read_ptx_sreg_ntid_x();
int32_t sim_read_ptx_sreg_nctaid_x();
void sim_barrier0();
float sim_shfl_sync_bfly_f32(int32_t mask, float value, int32_t lane,
                             int32_t bounds);
void sim_fence_proxy_async_shared_cta();
void sim_wgmma_fence_sync_aligned();
void sim_wgmma_mma_async(float *sums, uint64_t left, uint64_t right,
                         int32_t columns, int32_t leftType, int32_t rightType,
                         int32_t isLeftTransposed, int32_t isRightTransposed);
void sim_wgmma_mma_async_rows(float *sums, uint32_t a, uint32_t b, uint32_t c,
                              uint32_t d, uint64_t right, int32_t count,
                              int32_t type, int32_t isRightTransposed);
void sim_wgmma_commit_group_sync_aligned();
void sim_wgmma_wait_group_sync_aligned(int64_t others);
void sim_wgmma_wait_group(float *sums, int32_t count);
void sim_mbarrier_init_shared(void *barrier, uint32_t count);
void sim_mbarrier_inval_shared(void *barrier);
int64_t sim_mbarrier_arrive_expect_tx_scope_cta_space_cta(void *barrier,
                                                          uint32_t bytes);
bool sim_mbarrier_try_wait_parity_scope_cta_space_cta(void *barrier,
                                                      uint32_t parity);
void sim_cp_async_bulk_tensor_g2s_tile_2d(void *to, void *barrier,
                                          const void *map, int32_t column,
                                          int32_t row, uint16_t, uint64_t, bool,
                                          bool, uint32_t);
void sim_fence_mbarrier_init_release_cluster();
void sim_barrier_cluster_arrive_relaxed_aligned();
void sim_barrier_cluster_arrive_aligned();
void sim_barrier_cluster_wait_aligned();
void *sim_mapa_shared_cluster(void *address, int32_t rank);
void sim_ld_shared_cluster(void *value, void *address, int32_t bytes);
void sim_mbarrier_arrive_scope_cta_space_cluster(void *barrier, int32_t count);
int64_t sim_mbarrier_arrive_shared(void *barrier);
void sim_bar_warp_sync(int32_t mask);
}

/// What a launch asks for.
extern "C" char sim_dynamic_shared[];

#define tid sim_read_ptx_sreg_tid_x()
#define ctaid sim_read_ptx_sreg_ctaid_x()
#define ntid sim_read_ptx_sreg_ntid_x()
#define nctaid sim_read_ptx_sreg_nctaid_x()

#define EXPORTED __attribute__((visibility("default")))
#define KERNEL(NAME, PARAMETERS)                                               \
  extern "C" {                                                                 \
  EXPORTED extern const int32_t sim_parameters_##NAME = PARAMETERS;            \
  EXPORTED void NAME
#define END }

#define SHARED __attribute__((section("sim_shared")))

SHARED static float rowParts[32];
SHARED static float tile[32][33];
SHARED alignas(1024) static uint16_t matrix[64][16];
SHARED alignas(1024) static float box[16 * 8];
SHARED static uint64_t arrival, reading;

KERNEL(add, 4)(const float *x, const float *y, float *sum, int32_t n) {
  for (int32_t i = ctaid * ntid + tid; i < n; i += nctaid * ntid)
    sum[i] = x[i] + y[i];
}
END

    /// Of one value from each thread; shared memory holds that of each warp.
    template <typename Combine>
    static float reduceBlock(float value, float neutral, Combine combine) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    value = combine(value, sim_shfl_sync_bfly_f32(-1, value, lanes, 31));
  sim_barrier0();
  if (tid % 32 == 0)
    rowParts[tid / 32] = value;
  sim_barrier0();
  value = neutral;
  for (int warp = 0; warp < ntid / 32; ++warp)
    value = combine(value, rowParts[warp]);
  return value;
}

/// A block for each row.
KERNEL(softmax, 4)(const float *x, float *y, int32_t rows, int64_t columns) {
  for (int32_t row = ctaid; row < rows; row += nctaid) {
    const float *from = x + row * columns;
    float *to = y + row * columns;
    float top = -__builtin_inff(), sum = 0;
    for (int64_t i = tid; i < columns; i += ntid)
      top = from[i] > top ? from[i] : top;
    top = reduceBlock(top, -__builtin_inff(),
                      [](float a, float b) { return a > b ? a : b; });
    for (int64_t i = tid; i < columns; i += ntid)
      sum += __builtin_expf(from[i] - top);
    sum = reduceBlock(sum, 0, [](float a, float b) { return a + b; });
    for (int64_t i = tid; i < columns; i += ntid)
      to[i] = __builtin_expf(from[i] - top) / sum;
  }
}
END

/// Of n x n numbers, by tiles of 32 x 32; a block has 32 * 8 threads.
KERNEL(transpose, 3)(const float *x, float *y, int32_t n) {
  int32_t across = n / 32, lane = tid % 32, first = tid / 32;
  for (int32_t t = ctaid; t < across * across; t += nctaid) {
    int32_t row = t / across * 32, column = t % across * 32;
    for (int32_t i = first; i < 32; i += 8)
      tile[i][lane] = x[(row + i) * n + column + lane];
    sim_barrier0();
    for (int32_t i = first; i < 32; i += 8)
      y[(column + i) * n + row + lane] = tile[lane][i];
    sim_barrier0();
  }
}
END

/// The numbers of the threads by way of words that end where the launch's
/// shared memory does.
KERNEL(reverse, 2)(float *y, int32_t bytes) {
  float *words = reinterpret_cast<float *>(sim_dynamic_shared + bytes) - ntid;
  words[tid] = float(tid);
  sim_barrier0();
  y[tid] = words[ntid - 1 - tid];
}
END

/// Transposes without shared memory.
KERNEL(transpose_directly, 3)(const float *x, float *y, int32_t n) {
  for (int32_t i = ctaid; i < n; i += nctaid)
    for (int32_t j = tid; j < n; j += ntid)
      y[j * n + i] = x[i * n + j];
}
END

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

KERNEL(race, 1)(float *y) {
  rowParts[tid % 32] = float(tid);
  y[tid] = rowParts[(tid + 1) % 32];
}
END

KERNEL(missing_barrier, 1)(float *y) {
  if (tid != 5)
    sim_barrier0();
  y[tid] = 0;
}
END

KERNEL(beyond, 2)(float *y, int32_t n) {
  y[tid + n - ntid + 1] = 0;
}
END

KERNEL(misaligned, 1)(float *y) {
  typedef float Vector __attribute__((vector_size(16)));
  *(Vector *)(y + 1) = Vector{};
}
END

KERNEL(uninitialised, 1)(float *y) {
  y[tid] = tile[0][tid];
}
END

    /// 64 rows of 16 bf16, which are 1, and the sums of 8 of them.
    static void fillMatrix() {
  for (int i = tid; i < 64 * 16; i += ntid)
    matrix[i / 16][i % 16] = 0x3f80;
}

static uint64_t matrixDescriptor() {
  return (uint64_t(matrix) >> 4 & 0x3fff) | uint64_t(1) << 16 |
         uint64_t(256 >> 4) << 32 | uint64_t(3) << 62;
}

static void multiplyMatrix(float *y) {
  uint64_t descriptor = matrixDescriptor();
  float sums[4];
  for (int i = 0; i < 4; ++i)
    sums[i] = float(i);
  sim_wgmma_mma_async(sums, descriptor, descriptor, 8, 1, 1, 0, 0);
  sim_wgmma_commit_group_sync_aligned();
  sim_wgmma_wait_group(sums, 4);
  for (int i = 0; i < 4; ++i)
    if (tid < 16)
      y[tid * 4 + i] = sums[i];
}

KERNEL(warpgroup, 1)(float *y) {
  fillMatrix();
  sim_fence_proxy_async_shared_cta();
  sim_barrier0();
  sim_wgmma_fence_sync_aligned();
  multiplyMatrix(y);
}
END

    /// The half of a bf16.
    static uint32_t halfOf(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits >> 16;
}

/// Rows of 16 * row + column in registers, by columns that have 1 at their own
/// number and 2 eight after it. Lines 4 to 7 of eight have their halves
/// exchanged.
KERNEL(warpgroup_rows, 1)(float *y) {
  for (int i = tid; i < 8 * 16; i += ntid) {
    int column = i / 16, k = i % 16;
    matrix[column][k ^ (column >> 2 & 1) << 3] = k == column       ? 0x3f80
                                                 : k == column + 8 ? 0x4000
                                                                   : 0;
  }
  sim_fence_proxy_async_shared_cta();
  sim_barrier0();
  uint32_t words[4];
  for (int i = 0; i < 4; ++i) {
    int row = tid / 32 * 16 + i % 2 * 8 + tid % 32 / 4,
        first = row * 16 + i / 2 * 8 + tid % 4 * 2;
    words[i] = halfOf(float(first)) | halfOf(float(first + 1)) << 16;
  }
  float sums[4];
  for (int i = 0; i < 4; ++i)
    sums[i] = float(i);
  sim_wgmma_fence_sync_aligned();
  sim_wgmma_mma_async_rows(sums, words[0], words[1], words[2], words[3],
                           matrixDescriptor(), 4, 1, 0);
  sim_wgmma_commit_group_sync_aligned();
  sim_wgmma_wait_group(sums, 4);
  for (int i = 0; i < 4; ++i)
    if (tid < 16)
      y[tid * 4 + i] = sums[i];
}
END

    /// Doubles what the first product has read once the thread has waited for
    /// it or, one group too early, not; the second one is in flight, and reads
    /// that.
    static void multiplyTwice(float *y, int64_t others) {
  fillMatrix();
  sim_fence_proxy_async_shared_cta();
  sim_barrier0();
  sim_wgmma_fence_sync_aligned();
  uint64_t descriptor = matrixDescriptor();
  float sums[4] = {};
  sim_wgmma_mma_async(sums, descriptor, descriptor, 8, 1, 1, 0, 0);
  sim_wgmma_commit_group_sync_aligned();
  sim_wgmma_wait_group_sync_aligned(others);
  sim_barrier0();
  for (int i = tid; i < 64 * 16; i += ntid)
    matrix[i / 16][i % 16] = 0x4000;
  sim_fence_proxy_async_shared_cta();
  sim_barrier0();
  sim_wgmma_mma_async(sums, descriptor, descriptor, 8, 1, 1, 0, 0);
  sim_wgmma_commit_group_sync_aligned();
  sim_wgmma_wait_group_sync_aligned(1);
  sim_wgmma_wait_group(sums, 4);
  for (int i = 0; i < 4; ++i)
    if (tid < 16)
      y[tid * 4 + i] = sums[i];
}

KERNEL(in_flight, 1)(float *y) { multiplyTwice(y, 0); }
END

KERNEL(written_in_flight, 1)(float *y) {
  multiplyTwice(y, 1);
}
END

KERNEL(missing_proxy_fence, 1)(float *y) {
  fillMatrix();
  sim_barrier0();
  sim_wgmma_fence_sync_aligned();
  multiplyMatrix(y);
}
END

KERNEL(missing_fence, 1)(float *y) {
  fillMatrix();
  sim_fence_proxy_async_shared_cta();
  sim_barrier0();
  multiplyMatrix(y);
}
END

#define KERNEL_OF_MAP(NAME, PARAMETERS)                                        \
  extern "C" {                                                                 \
  EXPORTED extern const int32_t sim_maps_##NAME = 1;                           \
  EXPORTED extern const int32_t sim_parameters_##NAME = PARAMETERS;            \
  EXPORTED void NAME

#define KERNEL_OF_TENSOR(NAME) KERNEL_OF_MAP(NAME, 2)

    /// Copies 16 lines of 8 elements, one line of which threads have written
    /// before, and says that these are so many bytes.
    static void copyBox(const void *map, uint32_t bytes, bool isFenced) {
  if (tid == 0) {
    box[0] = 1;
    sim_mbarrier_init_shared(&arrival, 1);
    if (isFenced)
      sim_fence_proxy_async_shared_cta();
    sim_mbarrier_arrive_expect_tx_scope_cta_space_cta(&arrival, bytes);
    sim_cp_async_bulk_tensor_g2s_tile_2d(box, &arrival, map, 0, 0, 0, 0, false,
                                         false, 0);
  }
  sim_barrier0();
}

/// Chunks of 16 bytes of a line are exchanged in the last 4 of 8 lines.
static void storeBox(float *y, int threads = ntid) {
  for (int i = tid; i < 16 * 8; i += threads)
    y[i] = box[i ^ (i >> 5 & 1) << 2];
}

/// Copies a box, waits for it and stores it.
static void passBox(float *y, const void *map) {
  copyBox(map, sizeof box, true);
  sim_mbarrier_try_wait_parity_scope_cta_space_cta(&arrival, 0);
  sim_barrier0();
  storeBox(y);
  if (tid == 0)
    sim_mbarrier_inval_shared(&arrival);
}

KERNEL_OF_TENSOR(boxes)(const float *, float *y, const void *map) {
  passBox(y, map);
}
END

KERNEL_OF_MAP(sized_boxes, 3)
(const float *, float *y, int64_t, const void *map) {
  passBox(y, map);
}
END

KERNEL_OF_TENSOR(early_box)(const float *, float *y, const void *map) {
  copyBox(map, sizeof box, true);
  storeBox(y);
}
END

KERNEL_OF_TENSOR(short_box)(const float *, float *y, const void *map) {
  copyBox(map, sizeof box + 4, true);
  sim_mbarrier_try_wait_parity_scope_cta_space_cta(&arrival, 0);
}
END

KERNEL_OF_TENSOR(unfenced_box)(const float *, float *y, const void *map) {
  copyBox(map, sizeof box, false);
}
END

    /// The third warp copies the same box three times. The others read it in
    /// between and arrive, before they read it or after that, at a barrier of
    /// so many arrivals.
    static void produceBoxes(float *y, const void *map, bool isEarly,
                             uint32_t arrivals) {
  constexpr int kReaders = 64;
  if (tid == 0) {
    sim_mbarrier_init_shared(&arrival, 1);
    sim_mbarrier_init_shared(&reading, arrivals);
    sim_fence_proxy_async_shared_cta();
  }
  sim_barrier0();
  for (uint32_t i = 0; i < 3; ++i) {
    if (tid == kReaders) {
      sim_mbarrier_try_wait_parity_scope_cta_space_cta(&reading, (i + 1) % 2);
      sim_mbarrier_arrive_expect_tx_scope_cta_space_cta(&arrival, sizeof box);
      sim_cp_async_bulk_tensor_g2s_tile_2d(box, &arrival, map, 0, 0, 0, 0,
                                           false, false, 0);
    }
    if (tid >= kReaders)
      continue;
    sim_mbarrier_try_wait_parity_scope_cta_space_cta(&arrival, i % 2);
    if (!isEarly)
      storeBox(y, kReaders);
    sim_bar_warp_sync(-1);
    if (tid % 32 == 0 && tid < 32 * int(arrivals))
      sim_mbarrier_arrive_shared(&reading);
    if (isEarly)
      storeBox(y, kReaders);
  }
}

KERNEL_OF_TENSOR(produced_boxes)(const float *, float *y, const void *map) {
  produceBoxes(y, map, false, 2);
}
END

KERNEL_OF_TENSOR(early_arrival)(const float *, float *y, const void *map) {
  produceBoxes(y, map, true, 2);
}
END

KERNEL_OF_TENSOR(missing_arrival)(const float *, float *y, const void *map) {
  produceBoxes(y, map, false, 1);
}
END

#define KERNEL_OF_CLUSTER(NAME)                                                \
  extern "C" {                                                                 \
  EXPORTED extern const int32_t sim_cluster_##NAME = 2;                        \
  }                                                                            \
  KERNEL_OF_TENSOR(NAME)

    /// Each of two blocks copies 8 of 16 lines to both.
    static void copyToCluster(const void *map, bool isFenced, bool waits) {
  int rank = ctaid % 2;
  if (tid == 0) {
    sim_mbarrier_init_shared(&arrival, 1);
    if (isFenced)
      sim_fence_mbarrier_init_release_cluster();
    sim_fence_proxy_async_shared_cta();
  }
  if (waits) {
    sim_barrier_cluster_arrive_relaxed_aligned();
    sim_barrier_cluster_wait_aligned();
  } else {
    sim_barrier0();
  }
  if (tid == 0) {
    sim_mbarrier_arrive_expect_tx_scope_cta_space_cta(&arrival, sizeof box);
    sim_cp_async_bulk_tensor_g2s_tile_2d(box + rank * 64, &arrival, map, 0,
                                         rank * 8, 3, 0, true, false, 0);
  }
  sim_mbarrier_try_wait_parity_scope_cta_space_cta(&arrival, 0);
  sim_barrier0();
}

KERNEL_OF_CLUSTER(cluster_boxes)(const float *, float *y, const void *map) {
  copyToCluster(map, true, true);
  sim_barrier_cluster_arrive_relaxed_aligned();
  storeBox(y + ctaid * 128);
  sim_barrier_cluster_wait_aligned();
}
END

/// The first block to get its box ends while it copies to the other one.
KERNEL_OF_CLUSTER(leaving_block)(const float *, float *y, const void *map) {
  copyToCluster(map, true, true);
}
END

KERNEL_OF_CLUSTER(unfenced_cluster)(const float *, float *y, const void *map) {
  copyToCluster(map, false, true);
}
END

KERNEL_OF_CLUSTER(early_cluster)(const float *, float *y, const void *map) {
  copyToCluster(map, true, false);
}
END

/// One block ends before the other one arrives at its barrier.
KERNEL_OF_CLUSTER(ended_block)(const float *, float *y, const void *map) {
  if (tid == 0) {
    sim_mbarrier_init_shared(&arrival, 1);
    sim_fence_mbarrier_init_release_cluster();
  }
  sim_barrier_cluster_arrive_relaxed_aligned();
  sim_barrier_cluster_wait_aligned();
  if (ctaid % 2 == 1)
    return;
  // It waits as long as another thread can go on.
  if (tid == 0) {
    sim_mbarrier_arrive_scope_cta_space_cluster(
        sim_mapa_shared_cluster(&arrival, 0), 1);
    sim_mbarrier_try_wait_parity_scope_cta_space_cta(&arrival, 0);
    sim_mbarrier_arrive_scope_cta_space_cluster(
        sim_mapa_shared_cluster(&arrival, 1), 1);
  }
}
END

KERNEL_OF_CLUSTER(missing_block)(const float *, float *y, const void *map) {
  if (ctaid % 2 == 1)
    return;
  sim_barrier_cluster_arrive_relaxed_aligned();
  sim_barrier_cluster_wait_aligned();
}
END

    /// Each of two blocks has 128 numbers, and adds up half of those of both.
    static void addInCluster(const float *x, float *y, bool releases,
                             bool waits, bool stays) {
  int rank = ctaid % 2;
  for (int i = tid; i < 128; i += 64)
    box[i] = x[i] * float(rank + 1);
  if (releases)
    sim_barrier_cluster_arrive_aligned();
  else
    sim_barrier_cluster_arrive_relaxed_aligned();
  if (waits)
    sim_barrier_cluster_wait_aligned();
  float sum = 0;
  for (int block = 0; block < 2; ++block) {
    float part;
    sim_ld_shared_cluster(&part,
                          sim_mapa_shared_cluster(box + rank * 64 + tid, block),
                          sizeof part);
    sum += part;
  }
  if (!waits)
    sim_barrier_cluster_wait_aligned();
  y[ctaid * 64 + tid] = sum;
  if (!stays)
    return;
  sim_barrier_cluster_arrive_aligned();
  sim_barrier_cluster_wait_aligned();
}

KERNEL_OF_CLUSTER(cluster_sums)(const float *x, float *y, const void *map) {
  addInCluster(x, y, true, true, true);
}
END

KERNEL_OF_CLUSTER(kept_sums)(const float *x, float *y, const void *map) {
  addInCluster(x, y, false, true, true);
}
END

KERNEL_OF_CLUSTER(early_sums)(const float *x, float *y, const void *map) {
  addInCluster(x, y, true, false, true);
}
END

KERNEL_OF_CLUSTER(leaving_sums)(const float *x, float *y, const void *map) {
  addInCluster(x, y, true, true, false);
}
END

KERNEL(report, 2)(uint64_t *errors, uint64_t index) {
  // Each block has an index of its own.
  index += ctaid;
  __atomic_store_n(errors, index < *errors ? index : *errors, __ATOMIC_RELAXED);
  __atomic_store_n(errors + 1, 5, __ATOMIC_RELAXED);
}
END
