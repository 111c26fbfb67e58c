"""Measurements run seldom: each finds at least the names that it takes from the code, however that has changed."""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages

import pytest

import benchmarks

_MODULES = [module.name for module in walk_packages(benchmarks.__path__, "benchmarks.")]


@pytest.mark.parametrize("name", _MODULES)
def test_it_can_be_loaded(name: str) -> None:
    try:
        import_module(name)
    except ModuleNotFoundError as missing:
        package = str(missing.name).partition(".")[0]
        if find_spec(package) is not None:
            raise
        pytest.skip(f"measuring needs {package}, which the tests do not install")
