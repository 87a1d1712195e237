# Images of the compiler and of a compiled model, of the archive of the package, and of a
# service of a model (docs/HowTo/Serve.md), of the wheel:
#
#   ninja -C build onnxc-package
#   docker build --target compiler -t onnx-compile .
#   docker build --target model -t digits --build-arg MODEL=examples/digits/digits.onnx .
#   docker run --rm -v $PWD/examples/digits/images:/data digits --input=image=@/data/7.npy
#
#   pip wheel --no-deps -w build/package .
#   docker build --target service -t digits-service --build-arg MODEL=examples/digits/digits.onnx .
#   docker run --rm -p 8080:8080 digits-service

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

FROM python:3.11-slim-bookworm AS service
ARG MODEL
ARG CPU=x86-64-v3
COPY build/package/onnx_compile-*.whl /tmp/
RUN pip install --no-cache-dir /tmp/onnx_compile-*.whl 'mlserver>=1.6'
COPY ${MODEL} /models/model.onnx
RUN onnx-compile /models/model.onnx --cpu=$CPU -o /models/model.so
ENV MLSERVER_MODEL_NAME=model
ENV MLSERVER_MODEL_URI=/models/model.so
ENV MLSERVER_MODEL_IMPLEMENTATION=onnx_compile.mlserver.CompiledModel
ENV MLSERVER_PARALLEL_WORKERS=0
ENTRYPOINT ["mlserver", "start", "/models"]
