"""Threads, signals, memory."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from conftest import planted
from enclust import EnsembleConsensus, LabelConsensus


def test_two_fits_run_at_once():
    """Both fits are inside the compiled part at the same time."""
    inside, together = set(), threading.Event()
    lock = threading.Lock()

    def watch(name):
        def callback(event):
            with lock:
                inside.add(name)
                if len(inside) == 2:
                    together.set()
            # The first fit waits for the second one, which must be able to run.
            together.wait(30)

        return callback

    tables = [planted(300, 10, 4, 0.2, seed)[0] for seed in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        fits = [
            pool.submit(LabelConsensus(4, method="ec-cms", callback=watch(i)).fit, table)
            for i, table in enumerate(tables)
        ]
        found = [fit.result().labels_ for fit in fits]
    assert together.is_set()
    for table, labels in zip(tables, found):
        np.testing.assert_array_equal(LabelConsensus(4, method="ec-cms").fit(table).labels_, labels)


PROGRAMS = {
    "fit": "enclust.LabelConsensus(4, method='ec-cms', reduce='none', params={'confidence.alpha': 0.2, 'confidence.giant': 1, 'enhance.tolerance': 1e-12, 'enhance.lambda': 1e-9}).fit(L)",
    "stability": "enclust.stability(L, 2, 60, draws=5000)",
    "clusterings": "enclust.EnsembleConsensus(4, n_clusterings=4000).fit(rng.normal(size=(20000, 10)))",
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("what", PROGRAMS)
def test_ctrl_c_ends_long_calls(what):
    program = f"""
        import numpy as np, enclust, time
        rng = np.random.default_rng(0)
        L = rng.integers(60, size=(6000, 20))
        print("begins", flush=True)
        try:
            {PROGRAMS[what]}
        except KeyboardInterrupt:
            print("interrupted", time.time(), flush=True)
        else:
            print("finished", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begins\n"
    time.sleep(1.5)
    sent = time.time()
    os.kill(process.pid, signal.SIGINT)
    words = process.communicate(timeout=60)[0].split()
    assert words[0] == "interrupted", words
    assert float(words[1]) - sent < 10  # About 0.1 s on an idle machine; others may be busy.


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_can_fit(features):
    """Threads of the parent are not waited for."""
    EnsembleConsensus(3, n_clusterings=5).fit(features)
    child = os.fork()
    if child == 0:
        try:
            EnsembleConsensus(3, n_clusterings=5).fit(features)
            os._exit(0)
        except BaseException:
            os._exit(1)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child did not end")


def test_progress_is_shown(labels, capsys):
    LabelConsensus(4, method="ec-cms", verbose=True).fit(labels)
    EnsembleConsensus(2, n_clusterings=5, verbose=True).fit(np.random.default_rng(0).normal(size=(50, 2)))
    assert "enclust" in capsys.readouterr().err
