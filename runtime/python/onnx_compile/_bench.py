# ===- _bench.py - bench() --------------------------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Times a compiled model beside other engines."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from onnx_compile import _models, _peers, _programs, _random_inputs
from onnx_compile._compile import compile
from onnx_compile._html import bench_html
from onnx_compile._interleave import Blocks, bootstrap, interleave
from onnx_compile._timing_files import write_csv, write_svg


@dataclasses.dataclass(frozen=True)
class Ratio:
    """The time of an engine divided by that of the compiled model, above 1 where the model is faster.

    median, low, high: over pairs of blocks that ran beside one another, with the 95 % interval.
    minimum: that of the fastest runs.
    """

    median: float
    low: float
    high: float
    minimum: float


@dataclasses.dataclass(frozen=True)
class Timing:
    """The times of single runs of one engine, in seconds; ratio is None for the compiled model itself.

    error: why the engine does not run the model; there are no times then.
    """

    engine: str
    minimum: float = 0
    median: float = 0
    p90: float = 0
    p99: float = 0
    ratio: Ratio | None = None
    error: str | None = None

    def __str__(self) -> str:
        if self.error:
            return f"{self.engine}: {self.error}"
        text = f"{self.engine}: " + "  ".join(f"{name} {1e3 * getattr(self, name):.6f} ms" for name in _COLUMNS)
        if self.ratio is None:
            return text
        r = self.ratio
        return f"{text}  ratio {r.median:.2f} [{r.low:.2f}, {r.high:.2f}], of minima {r.minimum:.2f}"


_COLUMNS = ("minimum", "median", "p90", "p99")


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """What bench() measured; the first of the timings is that of the compiled model.

    machine: processor, number of processors, system, and the load average at the start.
    dropped_rounds: rounds that were repeated, as a hypervisor had given the processors to others.
    load: the report of `onnx-run bench --json`, if callers, a rate, a cold start or files of runs were requested.
    runs: the seconds of all runs, by engine and block.
    """

    machine: Mapping[str, Any]
    threads: int
    timings: list[Timing]
    dropped_rounds: int
    load: Mapping[str, Any] | None = None
    runs: Mapping[str, Blocks] = dataclasses.field(default_factory=dict, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without the single runs; times are in seconds."""
        facts = dataclasses.asdict(dataclasses.replace(self, runs={}))
        del facts["runs"]
        return {"schema": 1} | facts

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """A line for each run of each engine: engine, block, seconds."""
        write_csv(path, self.runs)

    def write_svg(self, path: str | os.PathLike[str]) -> None:
        """Draws the percentiles of all engines."""
        write_svg(path, self.runs, str(self).split("\n")[0])

    def __str__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self.machine.items())
        return "\n".join([f"{facts}, {self.threads} threads", *map(str, self.timings)])

    def _repr_html_(self) -> str:
        return bench_html(str(self).split("\n")[0], self.timings)


def bench(
    model: Any = None,
    against: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = "onnxruntime",
    *,
    artefact: str | os.PathLike[str] | None = None,
    inputs: Mapping[str, Any] | None = None,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    seed: int = 0,
    threads: int | None = None,
    gpu: int | None = None,
    rounds: int = 15,
    seconds: float = 0.15,
    pause: float = 0.1,
    callers: int = 1,
    rate: float | None = None,
    arrivals: str = "poisson",
    cold_start: bool = False,
    csv: str | os.PathLike[str] | None = None,
    svg: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Benchmark:
    """Times a compiled model and other engines in one process, in alternating blocks.

    Other work on the machine then slows all of them, and the ratios mean something.

    model, artefact, inputs, dims, shapes, ranges, seed, gpu, options: as for verify(). What engines
        compute is not compared here.
    against: one or several of "onnxruntime", "openvino", and paths of other compiled models.
    threads: most threads of a run, in each engine; else all processors of this process.
    rounds: of A B C C B A, a block of each engine twice.
    seconds, pause: how long a block takes, and the time before it in which the workers of the
        others go to sleep.
    callers, rate, arrivals, cold_start, csv, svg: as the options of onnx-run bench, of the compiled model
        alone, before the engines take turns, for as long as one of them is measured then (rounds times seconds). The
        result has the report as load.

    An engine that refuses the model is reported with its error. Raises CompileError, ValueError for
    inputs that cannot be drawn or numbers that are not positive, and RuntimeError if the compiled
    model itself does not run.
    """
    if model is None and artefact is None:
        raise ValueError("bench() needs a model or an artefact")
    count = len(os.sched_getaffinity(0)) if threads is None else threads
    if count < 1 or rounds < 1 or seconds <= 0 or pause < 0:
        raise ValueError("threads, rounds and seconds must be positive, and pause must not be negative")
    with _models.as_file(model) as path, tempfile.TemporaryDirectory(prefix="onnx-compile-") as folder:
        compiled = os.fspath(artefact or compile(path, os.path.join(folder, "model.so"), **options))
        ours = _peers.Artefact(compiled)
        if gpu is not None:
            ours.session.device = gpu
        feed = _random_inputs.draw(ours.session.inputs, inputs or {}, dims or {}, shapes or {}, ranges or {}, seed)
        machine = describe_machine()
        words = _load_words(callers, rate, arrivals, cold_start, {"csv": csv, "svg": svg})
        own = [f"--threads={count}", f"--duration={rounds * seconds}", *([f"--device={gpu}"] if gpu else [])]
        load = _programs.measure("bench", compiled, feed, own + words) if words else None
        runs = {"onnx-compile": ours.prepare([feed], count)}
        runs["onnx-compile"]()
        failures = _add_engines(runs, against, path, feed, count)
        blocks, dropped = interleave(runs, rounds, seconds, pause)
        return Benchmark(machine, count, [*_timings(blocks), *failures], dropped, load, blocks)


def _load_words(callers: int, rate: float | None, arrivals: str, cold_start: bool, files: Mapping[str, Any]) -> list[str]:
    """The options of onnx-run bench for a load; none where each run follows the last one."""
    words = [f"--rate={rate}"] if rate is not None else []
    words += ["--cold-start"] if cold_start else []
    words += [f"--{kind}={os.fspath(file)}" for kind, file in files.items() if file]
    if words or callers != 1:
        words += [f"--callers={callers}", f"--arrivals={arrivals}"]
    return words


def _add_engines(runs: dict[str, Callable[[], Any]], against: Any, path: str | None, feed: Any, count: int) -> list[Timing]:
    """Adds the runs of the engines `against`, and returns those that refuse the model."""
    failures = []
    engines = [against] if isinstance(against, (str, os.PathLike)) else against
    for engine in (os.fspath(engine) for engine in engines):
        try:
            racer = _peers.racer_of(engine, path)
            run = racer.prepare([feed], count)
            run()
            runs[racer.name] = run
        except Exception as error:  # a refusal of another engine is a result
            failures.append(Timing(engine, error=f"{type(error).__name__}: {error}".split("\n")[0]))
    return failures


def _timings(blocks: Mapping[str, Blocks]) -> list[Timing]:
    medians = {name: [float(np.median(block)) for block in of] for name, of in blocks.items()}
    fastest = {name: min(map(min, of)) for name, of in blocks.items()}
    ours = next(iter(blocks))
    timings = []
    for name, of in blocks.items():
        ratio = None
        if name != ours:
            ratio = Ratio(
                *bootstrap([other / own for other, own in zip(medians[name], medians[ours])]), fastest[name] / fastest[ours]
            )
        median, p90, p99 = map(float, np.percentile([time for block in of for time in block], [50, 90, 99]))
        timings.append(Timing(name, fastest[name], median, p90, p99, ratio))
    return timings


def describe_machine() -> dict[str, Any]:
    """Processor, number of processors, system, and the load average."""
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line for line in lines if line.startswith("model name")).partition(":")[2].strip()
    return {"processor": name, "processors": len(os.sched_getaffinity(0)), "system": platform.release(),
            "load": round(os.getloadavg()[0], 2)}  # fmt: skip
