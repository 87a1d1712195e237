/*===- Profile.h - Launches of a model as they run ----------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * Of models compiled with --profile: others do not have these functions.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_PROFILE_H
#define ONNXC_PROFILE_H

#include "onnxc/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called when a thread of a run begins its part of a launch, with the number of
 * the launch in the table of the artefact, and when it ends it, with ~number.
 * `thread` is 0 for the caller's and below the number of threads of the run;
 * threads call it at the same time. */
typedef void (*OMLaunchObserver)(void *user, int32_t thread, int32_t launch);

/* For later runs of the context; NULL: none. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetLaunchObserver(
    OMContext *context, OMLaunchObserver observer, void *user);

/* Called by the thread of a run before a launch that has dynamic sizes, for
 * each of the sizes that its work depends on: `size` is the position of `value`
 * in the table of the artefact. */
typedef void (*OMSizeObserver)(void *user, int32_t launch, int32_t size,
                               int64_t value);

/* For later runs of the context; NULL: none. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetSizeObserver(
    OMContext *context, OMSizeObserver observer, void *user);

/* Called by the thread of a run for each launch of a device when it has ended,
 * with the number of the launch in the table of the artefact. `begin` and
 * `milliseconds` are by events of the device: when it began, counted from the
 * first launch of the run, and how long it took until the next one could
 * begin. */
typedef void (*OMDeviceObserver)(void *user, int32_t launch, double begin,
                                 double milliseconds);

/* For later runs of the context; NULL: none. Observed runs wait for the device
 * more often; they need a driver of CUDA 11.4 or later. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetDeviceObserver(
    OMContext *context, OMDeviceObserver observer, void *user);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_PROFILE_H */
