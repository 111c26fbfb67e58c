"""Commands that run in the process of the tests: the parsers of their documents are loaded once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from api.commands.local_run import opened
from tests.api.serving import settings_for


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All runs of `masker redact-file` in this process use these parsers."""
    settings = settings_for(tmp_path_factory.mktemp("data"))
    with ThreadPoolExecutor() as readers:
        opened(settings, readers).sandbox.warm_parsers()
