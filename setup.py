"""What pre-commit installs for the hook `planner-validate`: nothing but the wheel of this version.

pre-commit runs `pip install .` in a checkout of this repository. The wheel itself is built from
packaging/wheel, so that installing the hook needs no Rust toolchain.
"""

import re
from pathlib import Path

from setuptools import setup

manifest = Path(__file__).with_name("Cargo.toml").read_text(encoding="utf-8")
version = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE).group(1)

setup(
    name="site-planner-hook",
    version=version,
    packages=[],
    py_modules=[],
    install_requires=[f"site-planner=={version}"],
)
