# ===- isolation.py - Run jobs in forked children --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Each job runs in a fork of this (warm) process, so that a crash, an endless
# loop or a memory blow-up is the failure of one job and of nothing else.
# ===------------------------------------------------------------------------===//
"""Runs jobs in forked children with limits, several at a time."""

import dataclasses
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
import time
import traceback

from Harness import is_sanitized

# A job that takes as many seconds hangs, however slow the machine is and whatever else runs on it.
SECONDS = 600


@dataclasses.dataclass
class Outcome:
    """How a job ended: status is 'passed', 'failed', 'crashed' or 'timeout'."""

    status: str
    stage: str
    message: str
    seconds: float
    cpu_seconds: float
    peak_mb: float
    value: object = None


class StageError(Exception):
    """A failure that knows the stage it happened in, where that is not the current one."""

    def __init__(self, stage, message):
        super().__init__(message)
        self.stage = stage


class Reporter:
    """What a job uses to tell which stage it has entered."""

    def __init__(self, pipe):
        self.pipe = pipe

    def stage(self, name):
        self.send("stage", name)

    def send(self, kind, value):
        data = pickle.dumps((kind, value))
        os.write(self.pipe, len(data).to_bytes(4, "little") + data)


def first_line(text):
    """The first line of a message that says something, without surplus blanks."""
    for line in text.splitlines():
        if line.strip():
            return " ".join(line.split())
    return ""


def crash_line(text):
    """The line of a dead process's stderr that says best why it died."""
    lines = [" ".join(l.split()) for l in text.splitlines() if l.strip()]
    for mark in ("Assertion", "LLVM ERROR", "UNREACHABLE", "terminate called", "what()", "error:", "ERROR:"):
        for line in lines:
            if mark in line:
                return line
    return lines[0] if lines else ""


def child_main(function, job, pipe, errors, memory, scratch):
    """Body of the forked child; never returns."""
    os.setpgid(0, 0)
    os.environ["TMPDIR"] = tempfile.tempdir = scratch
    os.dup2(errors.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if is_sanitized():
        os.environ["ASAN_OPTIONS"] = f"hard_rss_limit_mb={memory >> 20}"
    else:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    reporter = Reporter(pipe)
    try:
        reporter.send("passed", function(job, reporter))
    except StageError as error:
        reporter.send("failed", (error.stage, str(error)))
    except MemoryError:
        reporter.send("failed", (None, "memory limit reached"))
    except BaseException as error:  # everything a job raises is that job's failure
        if not isinstance(error, AssertionError):
            traceback.print_exc()
        reporter.send("failed", (None, f"{type(error).__name__}: {error}"))
    sys.stdout.flush()
    os._exit(0)


class Child:
    """One running job, seen from the parent."""

    def __init__(self, function, job, timeout, memory):
        self.job, self.stage, self.result, self.buffer = job, "start", None, b""
        self.started = time.monotonic()
        self.deadline = self.started + timeout
        self.errors = tempfile.TemporaryFile()
        # Temporary files of the child, which may not live to remove them.
        self.scratch = tempfile.TemporaryDirectory(prefix="onnxc-job-", ignore_cleanup_errors=True)
        self.pipe, write_end = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            child_main(function, job, write_end, self.errors, memory, self.scratch.name)
        os.close(write_end)

    def read(self):
        """Takes what the child has sent; False when it has closed its end."""
        data = os.read(self.pipe, 1 << 16)
        self.buffer += data
        while len(self.buffer) >= 4:
            size = int.from_bytes(self.buffer[:4], "little")
            if len(self.buffer) < 4 + size:
                break
            kind, value = pickle.loads(self.buffer[4 : 4 + size])
            self.buffer = self.buffer[4 + size :]
            if kind == "stage":
                self.stage = value
            else:
                self.result = (kind, value)
        return bool(data)

    def finish(self, timed_out):
        """Ends the child with all its own children, and says how it went."""
        if timed_out:
            os.killpg(self.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self.pid, 0)
        os.close(self.pipe)
        self.scratch.cleanup()
        seconds = time.monotonic() - self.started
        facts = (seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
        self.errors.seek(0)
        text = self.errors.read().decode(errors="replace")
        self.errors.close()
        if self.result and self.result[0] == "passed":
            return Outcome("passed", "done", "", *facts, self.result[1])
        if self.result:
            stage, message = self.result[1]
            return Outcome("failed", stage or self.stage, message, *facts)
        if timed_out:
            return Outcome("timeout", self.stage, f"no result after {seconds:.0f} s", *facts)
        cause = f"exit status {os.waitstatus_to_exitcode(status)}"
        if os.WIFSIGNALED(status):
            cause = signal.Signals(os.WTERMSIG(status)).name
        return Outcome("crashed", self.stage, f"{cause}: {crash_line(text)}", *facts)


def run_isolated(jobs, function, workers=2, timeout=SECONDS, memory=12 << 30):
    """Runs function(job, reporter) for each job in a forked child; yields (job, Outcome).

    At most `workers` run at a time; each gets `timeout` seconds and `memory` bytes of address space.
    """
    waiting, running = list(reversed(jobs)), []
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                running.append(Child(function, waiting.pop(), timeout, memory))
            now = time.monotonic()
            wait = max(0.0, min(c.deadline for c in running) - now)
            ready, _, _ = select.select([c.pipe for c in running], [], [], wait)
            now = time.monotonic()
            for child in list(running):
                open_end = child.read() if child.pipe in ready else True
                if open_end and now < child.deadline:
                    continue
                running.remove(child)
                yield child.job, child.finish(open_end)
    finally:
        for child in running:
            child.finish(True)
