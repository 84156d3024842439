"""One scenario under several policies, some of which may be written in Python."""

from __future__ import annotations

import os
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any, Collection, Dict, List, Mapping, Optional, Sequence, Type, Union

from ._interrupt import held
from ._library import NEVER
from ._progress import Progress
from ._scenario import Changes, Scenario
from ._table import table
from .policy import Policy, register
from .simulation import Simulation

Choice = Union[str, Mapping[str, Any], Type[Policy]]


def compare(
    scenario: Scenario,
    policies: Union[str, Sequence[Choice], Mapping[str, Choice]],
    measures: Union[str, Sequence[str]],
    *,
    set: Changes = None,
    seeds: Sequence[int] = (1,),
    jobs: Optional[int] = None,
    progress: Optional[bool] = None,
) -> Any:
    """Runs a scenario with each policy and seed, in threads of this process, and returns a table with a row per run.

    A policy is a name, a map of its name and parameters ({"name": "dt", "alpha": 2}), or a class in Python; a dict gives
    them labels. Those in C run side by side, those in Python take turns.

    >>> compare("incast.yaml", ["dt", "occamy", Mine], ["query.qct.mean"])   # doctest: +SKIP
    """
    policies = [policies] if isinstance(policies, str) else policies
    measures = [measures] if isinstance(measures, str) else measures
    labelled = policies if isinstance(policies, Mapping) else {_label(choice): choice for choice in policies}
    jobs = jobs or len(os.sched_getaffinity(0))
    stopped, lock = threading.Event(), threading.Lock()
    running: List[Simulation] = []
    bar = Progress("comparing", progress)

    def one(label: str, choice: Choice, seed: int) -> Dict[str, Any]:
        changes = {**(set or {}), "switch.policy": _value(choice), "seed": seed, "seeds": 1}
        with Simulation(scenario, set=changes) as sim:
            with lock:
                running.append(sim)
            try:
                sim._step_in_slices(NEVER, None, stopped)
                return {"policy": label, "seed": seed, **{name: sim[name] for name in measures}}
            finally:
                with lock:
                    running.remove(sim)

    with held() as pressed, ThreadPoolExecutor(jobs) as pool:
        futures: List[Any] = []
        try:
            for label, choice in labelled.items():
                futures += [pool.submit(one, label, choice, seed) for seed in seeds]
            waiting: Collection[Any] = futures
            while waiting and not pressed.is_set():
                ended, waiting = wait(waiting, 0.1, FIRST_COMPLETED)
                for future in ended:
                    future.result()
                bar.show(1 - len(waiting) / len(futures), f"{len(futures) - len(waiting)} of {len(futures)} runs")
        finally:
            stopped.set()
            for future in futures:
                future.cancel()
            while wait(futures, 0).not_done:
                with lock:
                    for sim in running:
                        sim.stop()
                wait(futures, 0.1)
            bar.close()
    if waiting:  # Ctrl-C, and whoever is told of it did not mind
        raise KeyboardInterrupt
    return table([future.result() for future in futures])


def _label(choice: Choice) -> str:
    if isinstance(choice, str):
        return choice
    if isinstance(choice, Mapping):
        return ", ".join([str(choice["name"])] + [f"{key}={value}" for key, value in choice.items() if key != "name"])
    return choice.name


def _value(choice: Choice) -> Any:
    return choice if isinstance(choice, (str, Mapping)) else register(choice)
