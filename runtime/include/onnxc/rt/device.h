/*===- device.h - Code for GPUs, and the hooks that run it -------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * A level of a model (model.h) whose kernels run on a GPU has a record with its
 * images, kernels and constants. Its host program is code for a processor
 * that calls these hooks on the thread of the run, and those of hooks.h.
 *
 * Device memory is addressed by 64-bit numbers, OnnxcDevicePointer. Host code
 * never reads what they point to.
 *
 * Alignment: every buffer that is an operand of a kernel begins at a multiple
 * of ONNXC_DEVICE_ALIGNMENT bytes. onnxc_rt_device_alloc and the constants have
 * it, offsets of buffers in them are multiples of 64, and a tensor of the
 * caller that has less is copied (onnxc_rt_device_tensor). Parts of a buffer
 * have what their offset leaves.
 *
 * Errors: a hook that fails records the error in the call. From then on all
 * hooks do nothing and return that status, or the address 0, so that host code
 * may look at the status late, but before it uses what a copy was to bring.
 *
 * Order: copies and launches of a run have the results that they have one after
 * the other; launches whose buffers have no bytes in common that one of them
 * writes may run at the same time. All take place after what the caller has
 * put into the stream of omContextSetStream. The end of a run waits for them.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_RT_DEVICE_H
#define ONNXC_RT_DEVICE_H

#include "onnxc/rt/hooks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t OnnxcDevicePointer;

#define ONNXC_DEVICE_ALIGNMENT 16

enum {
  ONNXC_IMAGE_PTX = 1,   /* text that ends with NUL, which `bytes` counts */
  ONNXC_IMAGE_CUBIN = 2, /* code of one compute capability */
  /* A shared object for the processor, for the driver of the tests alone. */
  ONNXC_IMAGE_SIMULATOR = 3
};

/* The compute capability of a device that is simulated. */
#define ONNXC_SIMULATOR_CAPABILITY 990

/* The kernels once more for some devices. Of several that a device takes it
 * gets a cubin of its own capability, a cubin of its generation, or PTX, in
 * this order, and the highest capability of each; if the driver refuses one,
 * the next. */
typedef struct OnnxcDeviceImage {
  int64_t kind;       /* ONNXC_IMAGE_* */
  int64_t capability; /* 10 * major + minor: 80, 90 */
  int64_t isExact;    /* nonzero: for this capability alone, as sm_90a is */
  int64_t driver;     /* the lowest version of the driver that takes it, as
                         cuDriverGetVersion counts: 12000; 0: any */
  const void *code;
  int64_t bytes;
} OnnxcDeviceImage;

#define ONNXC_TENSOR_MAP_BYTES 128
#define ONNXC_TENSOR_MAP_ALIGNMENT 64
#define ONNXC_TENSOR_MAP_RANK 5
/* Of a kernel. */
#define ONNXC_TENSOR_MAPS 16
/* The most blocks of a cluster: each GPU that has clusters runs so many (PTX
 * ISA, "Cluster of Cooperative Thread Arrays"). */
#define ONNXC_CLUSTER_BLOCKS 8

/* Launches and copies of a CUDA graph at most; the next ones are another. */
#define ONNXC_DEVICE_GRAPH_LAUNCHES 256

/* A tensor that a kernel copies boxes of: a parameter of the kernel of 128
 * bytes, which the driver makes (cuTensorMapEncodeTiled). */
typedef struct OnnxcTensorMap {
  int64_t pointer; /* the number of the parameter that is its address */
  int64_t elementBytes;
  int64_t swizzle; /* bytes of a line in which chunks are exchanged */
  int64_t rank;
  /* Of the tensor and of a box, the last dimension first; elements lie one
   * after the other. ~n is a size that launches pass as parameter n. */
  int64_t sizes[ONNXC_TENSOR_MAP_RANK];
  int64_t box[ONNXC_TENSOR_MAP_RANK];
} OnnxcTensorMap;

/* One kernel, which all images define under this name. Its parameters are the
 * addresses of the buffers that it reads, of those that it writes and may read,
 * integers of 32 or 64 bits, and after these maps of tensors. */
typedef struct OnnxcDeviceKernel {
  const char *name;
  const char *nodes;    /* of the model, for messages */
  int64_t numArguments; /* without maps */
  int64_t numInputs;    /* buffers that are only read */
  int64_t numOutputs;   /* buffers that are written */
  int64_t threads;      /* of a block: 1 to 1024, in one dimension */
  int64_t sharedBytes;  /* dynamic shared memory of a block */
  int64_t numMaps;
  const OnnxcTensorMap *maps;
} OnnxcDeviceKernel;

/* A part of the weights and its offset from onnxc_rt_device_constants(). */
typedef struct OnnxcDeviceConstant {
  int64_t offset; /* from onnxc_rt_weights() */
  int64_t bytes;
  int64_t deviceOffset; /* a multiple of the alignment that kernels assume */
} OnnxcDeviceConstant;

/* What a kernel may report (onnxc_rt_device_errors). */
typedef struct OnnxcDeviceError {
  int64_t code; /* ONNXC_ERR_* */
  const char *message;
  int64_t dimension; /* -1: the index is of none */
} OnnxcDeviceError;

typedef struct OnnxcDeviceCode {
  /* &onnxc_device_runtime. Levels without device code do without it. */
  const struct OnnxcDeviceRuntime *runtime;
  int64_t numImages;
  const OnnxcDeviceImage *images;
  int64_t numKernels;
  const OnnxcDeviceKernel *kernels;
  int64_t numConstants;
  const OnnxcDeviceConstant *constants;
  int64_t constantBytes; /* that the constants take on the device */
  int64_t numErrors;
  const OnnxcDeviceError *errors;
  void *state; /* ONNXC_DEVICE_STATE_BYTES of the runtime's, zero at first */
} OnnxcDeviceCode;

#define ONNXC_DEVICE_STATE_BYTES 64

/* The part of the runtime that only artefacts with device code have. */
extern const struct OnnxcDeviceRuntime onnxc_device_runtime;

/* At least `bytes` bytes of device memory, aligned to 256 bytes and
 * uninitialised, until they are released or the run ends. */
OnnxcDevicePointer onnxc_rt_device_alloc(OnnxcCall *call, int64_t bytes);

/* Gives the memory back. Copies and launches started before may use it. */
void onnxc_rt_device_release(OnnxcCall *call, OnnxcDevicePointer memory);

/* The constants on the device. */
OnnxcDevicePointer onnxc_rt_device_constants(OnnxcCall *call);

/* The words of 64 bits in which kernels report errors, two for each row of
 * OnnxcDeviceCode.errors from `first`, all ones before: a kernel stores a size
 * in the second one, and by an atomic minimum of unsigned numbers an index in
 * the first. They are looked at by onnxc_rt_device_synchronize and at the end
 * of the run, which the first row with a size ends. */
OnnxcDevicePointer onnxc_rt_device_errors(OnnxcCall *call, int32_t first);

/* The place of an input or output for launches: the caller's tensor, if it is
 * on the device and aligned (omContextRunDLPack), else `otherwise`. `host` is
 * the data of the input or what onnxc_rt_output has returned. Copies between
 * the two are then no copies, or on the device. */
OnnxcDevicePointer onnxc_rt_device_tensor(OnnxcCall *call, const void *host,
                                          OnnxcDevicePointer otherwise);

/* To the device. `from` may be changed when the function has returned. */
int32_t onnxc_rt_device_copy_in(OnnxcCall *call, OnnxcDevicePointer to,
                                const void *from, int64_t bytes);

/* From the device. `to` may be read after onnxc_rt_device_synchronize, and
 * must not be used by anything else before that. Outputs of the model are read
 * after the run, which waits for them. */
int32_t onnxc_rt_device_copy_out(OnnxcCall *call, void *to,
                                 OnnxcDevicePointer from, int64_t bytes);

/* On the device, between parts that are the same or do not overlap. */
int32_t onnxc_rt_device_copy(OnnxcCall *call, OnnxcDevicePointer to,
                             OnnxcDevicePointer from, int64_t bytes);

/* Starts kernel number `kernel` with `blocks` blocks, or with as many as a
 * grid can have if that is less: kernels go through their tiles with the step
 * of the grid. No blocks are no launch. `number` is that of the launch in the
 * table of the artefact, -1 where its time is not taken. `arguments` has one
 * word for each parameter, of which a 32-bit one takes the lower half, and
 * after them four for each buffer: its bytes, 0 for constants and the word of
 * errors, for which no launch has to wait, and the part that is accessed: the
 * bytes of a row, which divide those of the buffer, the first byte of each row,
 * and the one after the last. All of it is one row. */
int32_t onnxc_rt_device_launch(OnnxcCall *call, int32_t kernel, int32_t number,
                               int64_t blocks, const uint64_t *arguments);

/* Waits for all copies and launches. */
int32_t onnxc_rt_device_synchronize(OnnxcCall *call);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RT_DEVICE_H */
