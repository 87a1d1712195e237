# ===- service.py - Answer requests of several threads -----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Requests of several sizes from a pool of threads, bad ones among them. Usage: service.py MODEL IMAGES..."""

import concurrent.futures
import sys
import threading

import numpy as np
import onnxruntime as ort

images = [np.load(path).astype(np.float32).reshape(1, 8, 8) for path in sys.argv[2:]]
ort.set_default_logger_severity(4)
options = ort.SessionOptions()
options.intra_op_num_threads = 2
options.inter_op_num_threads = 1
options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
options.log_severity_level = 4
with open(sys.argv[1], "rb") as file:
    session = ort.InferenceSession(file.read(), sess_options=options, providers=[("CPUExecutionProvider", {})])
names = [output.name for output in session.get_outputs()]


def answer(count):
    batch = np.stack([images[i % len(images)] for i in range(count)])
    outputs = dict(zip(names, session.run(names, {"image": batch})))
    return outputs["probabilities"].argmax(axis=1).tolist()


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for digits in pool.map(answer, [1, 3, 2, 5, 1]):
        print(digits)


def refused(*arguments):
    try:
        session.run(*arguments)
    except Exception:
        return True
    return False


batch = np.stack(images)
print(refused(None, {"photo": batch}), refused(["labels"], {"image": batch}))
print(refused(None, {"image": batch.astype(np.float64)}), refused(None, {"image": batch[0]}))
ending = ort.RunOptions()
ending.terminate = True
print(refused(None, {"image": batch}, ending), refused(None, {"image": batch}, ort.RunOptions()))

done = threading.Event()


def callback(outputs, user_data, error):
    print(user_data, outputs[0].argmax(axis=1).tolist(), repr(error))
    done.set()


session.run_async(None, {"image": batch}, callback, "asynchronous")
print(done.wait(60))
