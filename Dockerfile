# Images of the compiler and of a compiled model, of the archive of the package:
#
#   ninja -C build onnxc-package
#   docker build --target compiler -t onnx-compile .
#   docker build --target model -t digits --build-arg MODEL=examples/digits/digits.onnx .
#   docker run --rm -v $PWD/examples/digits/images:/data digits --input=image=@/data/7.npy

FROM debian:12-slim AS compiler
ADD build/package/onnx-compile-0.1.0-linux-x86_64.tar.gz /usr/local/
ENTRYPOINT ["/usr/local/bin/onnx-compile"]

FROM compiler AS compiled
ARG MODEL
ARG CPU=x86-64-v3
COPY ${MODEL} /model.onnx
RUN onnx-compile /model.onnx --cpu=$CPU -o /model.so

FROM debian:12-slim AS model
COPY --from=compiled /usr/local/bin/onnx-run /usr/local/bin/
COPY --from=compiled /model.so /
ENTRYPOINT ["/usr/local/bin/onnx-run", "/model.so"]
