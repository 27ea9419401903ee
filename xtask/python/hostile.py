"""Runs the command under hostile conditions and counts what went wrong.

usage: hostile.py PROGRAM [--runs N] [--large]

- kills: signals at random moments while results are written. Nothing may be left but complete
  files, except after SIGKILL, which no program can handle.
- limits: a limited address space. Every run must end with an exit code, not by an abort.
- memory: files that need more memory than `--memory` allows. The peak of the resident memory must
  not exceed the limit by more than a tenth, apart from what the program itself takes.
"""

import argparse
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.io

MB = 1_000_000


def pool(path, samples, clusterings, rng):
    """A pool in which nearly all rows are different."""
    labels = rng.integers(0, 40, size=(samples, clusterings))
    header = ",".join(f"c{k}" for k in range(clusterings))
    np.savetxt(path, labels, fmt="%d", delimiter=",", header=header, comments="")


def kills(program, runs, folder, rng):
    """Returns the number of runs that left something behind, by signal."""
    pool(folder / "pool.csv", 1500, 5, np.random.default_rng(1))
    outputs = ["--out", "l.csv", "--similarity", "S.npy", "--linkage", "Z.npy", "--record", "r.json"]
    command = [program, "cluster", "pool.csv", "--k", "3", "--method", "eac", *outputs]
    complete = {"S.npy": 1500 * 1500 * 8 + 128, "Z.npy": 1499 * 4 * 8 + 128}
    signals = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    began = time.monotonic()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    duration = time.monotonic() - began
    left = dict.fromkeys((s.name for s in signals), 0)
    struck = 0
    for run in range(runs):
        for path in folder.iterdir():
            if path.name != "pool.csv":
                path.unlink()
        child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sent = signals[run % len(signals)]
        time.sleep(rng.uniform(0.1, 0.9) * duration)
        child.send_signal(sent)
        struck += child.wait() not in (0,)
        partial = [p for p in folder.iterdir() if p.name.endswith(".part")]
        partial += [p for p in folder.iterdir() if p.name in complete and p.stat().st_size != complete[p.name]]
        left[sent.name] += bool(partial)
    print(f"kills: {struck} of {runs} runs were ended by a signal; left something behind: {left}")
    return sum(count for name, count in left.items() if name != "SIGKILL")


def limits(program, runs, folder, rng):
    """Returns the number of runs under a limited address space that did not end by an exit code."""
    pool(folder / "pool.csv", 1200, 8, np.random.default_rng(2))
    bad = 0
    codes = {}
    for _ in range(runs):
        limit = int(10 ** rng.uniform(1.8, 3.5)) * MB
        method = rng.choice(["ec-cms", "lwea", "pta-al", "lwgp", "ec-cms-admm"])
        command = [program, "cluster", "pool.csv", "--k", "5", "--method", method, "--out", "l.csv"]
        limited = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, preexec_fn=limited)
        codes[run.returncode] = codes.get(run.returncode, 0) + 1
        if run.returncode not in (0, 1, 2) or "panicked" in run.stderr:
            bad += 1
            print(f"  {limit // MB} MB, {method}: {run.returncode}: {run.stderr.strip()[-200:]}")
    print(f"limits: {bad} of {runs} runs did not end by an exit code; codes: {codes}")
    return bad


# Runs a command and prints its exit code and its peak. A process starts with the peak of the one
# that forked it, so this is done by a small process.
MEASURE = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def peak(command, folder):
    """Exit code, message, and the peak of resident memory in MB."""
    measure = [sys.executable, "-c", MEASURE, *command]
    run = subprocess.run(measure, cwd=folder, capture_output=True, text=True, check=True)
    code, kib = run.stdout.split()[-2:]
    return int(code), run.stderr.strip(), int(kib) * 1024 / MB


def memory(program, folder, large):
    """Returns the number of files whose reading took too much memory."""
    side = 60_000
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({side}, {side}), }}"
    with open(folder / "S.npy", "wb") as file:
        padded = header.ljust(117) + "\n"
        file.write(b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode())
        file.truncate(10 + len(padded) + side * side * 8)
    wide = np.zeros((20_000, 20_000), dtype=np.uint8)
    scipy.io.savemat(folder / "zeros.mat", {"members": wide}, do_compression=True)
    many = {f"x{k}": np.zeros((4_000, 4_000)) for k in range(11)}
    many["members"] = np.tile(np.arange(500).reshape(-1, 1) % 7, (1, 5))
    scipy.io.savemat(folder / "many.mat", many, do_compression=True)
    commas = 3000 if large else 300
    with open(folder / "commas.csv", "wb") as file:
        for _ in range(commas):
            file.write(b"," * MB)
    cases = [
        (["cluster", "--similarity-in", "S.npy", "--k", "3"], 100),
        (["cluster", "zeros.mat", "--k", "3", "--method", "eac"], 200),
        (["cluster", "many.mat", "--k", "3", "--method", "eac"], 200),
        (["cluster", "commas.csv", "--k", "3", "--method", "eac"], 100),
    ]
    bad = 0
    _, _, own = peak([program, "list"], folder)
    for arguments, limit in cases:
        command = [program, *arguments, "--memory", f"{limit}MB", "--out", "l.csv"]
        code, text, used = peak(command, folder)
        above = used > 1.1 * limit + own or code not in (0, 1, 2)
        bad += above
        print(f"memory: {' '.join(arguments)} within {limit} MB: exit {code}, peak {used:.0f} MB: {text[:150]}")
    print(f"memory: {bad} of {len(cases)} files took too much (the program itself takes {own:.0f} MB)")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--large", action="store_true", help="a file of 3 GB in place of 300 MB")
    arguments = parser.parse_args()
    program, rng = str(Path(arguments.program).resolve()), random.Random(1)
    failures = []
    for what in (kills, limits):
        with tempfile.TemporaryDirectory() as folder:
            failures.append(what(program, arguments.runs, Path(folder), rng))
    with tempfile.TemporaryDirectory() as folder:
        failures.append(memory(program, Path(folder), arguments.large))
    failed = sum(count > 0 for count in failures)
    print(f"{len(failures) - failed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
