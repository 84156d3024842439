"""weir: buffer policies of shared-memory switches, and a packet-level simulator of networks around them.

    import weir

    result = weir.run("incast.yaml", set={"switch.policy.alpha": 2})   # a simulation, run to its end
    result["query.qct.p99"]                                            # a measure, in seconds
    weir.sweep("demo.yaml").means("burst.qct.mean")                    # every run of a sweep, as a table
    weir.MMU(ports=4, buffer=10_000).arrive(port=2, bytes=1500)        # the buffer, packet by packet

Tables are pandas.DataFrames where pandas is installed, else lists of dicts. docs/howto/python.md is a tour.
"""

from ._library import WeirError, version
from ._scenario import ps
from .comparison import compare
from .messages import Event
from .mmu import MMU, Arrival, Departure, Edge, Lost, load_policies
from .mmu import names as policies
from .policy import Flow, FlowTable, Param, Policy, View, register
from .simulation import Curve, Series, Simulation, run
from .sweep import Results, results, sweep

__version__ = version()

__all__ = [
    "MMU",
    "Arrival",
    "Curve",
    "Departure",
    "Edge",
    "Event",
    "Flow",
    "FlowTable",
    "Lost",
    "Param",
    "Policy",
    "Results",
    "Series",
    "Simulation",
    "View",
    "WeirError",
    "compare",
    "load_policies",
    "policies",
    "ps",
    "register",
    "results",
    "run",
    "sweep",
    "version",
]
