#!/usr/bin/env python3
"""check_layers.py must find each kind of offence, or it could pass on anything."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "check_layers.py"


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


class CheckLayers(unittest.TestCase):
    def test_downward_includes_pass(self):
        code, out = run({"gui/a.cpp": '#include "engine/engine.h"\n#include <QWidget>\n', "kernels/b.h": '#include "base/result.h"\n'})
        self.assertEqual(code, 0, out)

    def test_upward_include_is_named_with_its_line(self):
        code, out = run({"kernels/a.cpp": '\n#include "engine/engine.h"\n'})
        self.assertEqual(code, 1)
        self.assertIn("kernels/a.cpp:2: kernels/ must not include engine/", out)

    def test_qt_below_gui_is_found(self):
        self.assertEqual(run({"engine/a.h": "#include <QString>\n"})[0], 1)

    def test_socket_in_engine_is_found_but_allowed_in_its_server(self):
        self.assertEqual(run({"engine/a.cpp": "#include <sys/socket.h>\n"})[0], 1)
        self.assertEqual(run({"engine/server/a.cpp": "#include <httplib.h>\n"})[0], 0)

    def test_cuda_header_in_gui_is_found(self):
        self.assertEqual(run({"gui/a.cpp": "#include <cuda_runtime.h>\n"})[0], 1)

    def test_test_code_in_a_layer_is_found(self):
        self.assertEqual(run({"engine/a.cpp": '#include "tests/support/x.h"\n'})[0], 1)

    def test_empty_tree_fails(self):
        self.assertNotEqual(run({"readme.txt": ""})[0], 0)


if __name__ == "__main__":
    unittest.main()
