"""What the tests of the Python package share."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["WEIR_ROOT"])
EXAMPLES = ROOT / "scenarios" / "examples"

INCAST = {
    "until": "8ms",
    "topology": {"kind": "single", "hosts": 9, "rate": "10Gbps", "delay": "5us"},
    "switch": {"buffer": "100KB", "policy": {"name": "dt", "alpha": 1}},
    "transports": {"dctcp": {"kind": "dctcp", "min_rto": "1ms"}},
    "traffic": [
        {"kind": "incast", "tag": "burst", "transport": "dctcp", "sources": "h1-h8", "destination": "h0",
         "bytes": "400KB", "rounds": 2, "interval": "4ms"}
    ],
    "measure": {"probes": [{"at": "s0", "to": "h0", "interval": "1us"}]},
}


class Folder(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def weir(self, *words):
        made = subprocess.run([os.environ["WEIR"], *map(str, words)], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout

    def start(self, program):
        """Another Python with this program; its output can be read line by line."""
        heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # also where the tests run in the background
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 preexec_fn=heard)
        self.addCleanup(child.communicate)
        return child


def as_rows(table):
    """Rows as dicts, with pandas and without."""
    return table if isinstance(table, list) else table.to_dict("records")
