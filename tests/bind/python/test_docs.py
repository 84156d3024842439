"""The tutorial, the notebooks, the example and the code of docs/howto/python.md run, with pandas and without."""

import os
import re
import subprocess
import sys
import unittest

from support import ROOT, Folder

# Makes modules look as if they were not installed.
HIDE = "import sys\nfor name in ('numpy', 'pandas', 'matplotlib'):\n    sys.modules[name] = None\n"


class Docs(Folder):
    def run_text(self, text, hidden=False):
        (self.folder / "program.py").write_text((HIDE if hidden else "") + text)
        env = {**os.environ, "MPLBACKEND": "Agg"}
        made = subprocess.run([sys.executable, "program.py"], capture_output=True, text=True, env=env)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout

    def test_tutorial(self):
        text = (ROOT / "docs/examples/tutorial.py").read_text()
        self.assertGreater(text.count("# %%"), 10)
        said = self.run_text(text)
        self.assertIn("(did you mean 'burst.qct.max'?)", said)
        self.assertIn("33 accepted, then: over-threshold", said)
        self.assertEqual(self.run_text(text, hidden=True).splitlines()[0], said.splitlines()[0])

    def test_notebooks(self):
        """Each shows what it says that it shows."""
        try:
            import matplotlib, pandas  # noqa: E401,F401
        except ImportError:
            self.skipTest("matplotlib or pandas is missing")
        notebooks = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
        self.assertEqual(len(notebooks), 5)
        made = subprocess.run([sys.executable, ROOT / "tools/notebook", "--check", *notebooks], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        changed = self.folder / "changed.ipynb"
        changed.write_text(notebooks[0].read_text().replace("over-threshold", "no-room"))
        made = subprocess.run([sys.executable, ROOT / "tools/notebook", "--check", changed], capture_output=True, text=True)
        self.assertEqual((made.returncode, "instead of" in made.stdout), (1, True), made.stdout + made.stderr)

    def test_page(self):
        page = (ROOT / "docs/howto/python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
        self.assertGreater(len(blocks), 4)
        self.run_text("\n".join(blocks))
        self.run_text("\n".join(blocks).replace('"incast.db"', '"other.db"'), hidden=True)

    def test_example(self):
        path = ROOT / "docs/examples/simulate.py"
        self.assertLessEqual(len(path.read_text().splitlines()), 45)
        said = self.run_text(path.read_text())
        self.assertRegex(said, r"(?m)^reserve: \d+ us, \d+ packets lost$")
        self.assertRegex(said, r"(?m)^weir [\d.]+: 33 of 100 packets accepted, the queue has 3300 B$")


if __name__ == "__main__":
    unittest.main()
