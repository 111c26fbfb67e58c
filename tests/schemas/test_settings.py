"""Settings: what each form of a variable means, and that a wrong one is named without being shown."""

import base64
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.settings import InvalidSettings, SandboxMode, Settings, load_settings, unknown_variables

KEY = base64.b64encode(bytes(range(32))).decode()
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs each test in an empty directory, without the repository's .env."""
    monkeypatch.chdir(tmp_path)


def load(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Settings:
    for name, value in variables.items():
        monkeypatch.setenv(f"MASKER_{name}", value)
    return load_settings()


def test_without_a_variable_everything_is_embedded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    settings = load_settings()
    assert settings.data_dir == tmp_path / "masker"
    assert settings.database_url == f"sqlite:///{tmp_path}/masker/masker.db"
    assert settings.is_sqlite
    assert settings.is_embedded
    assert settings.sandbox_mode is SandboxMode.BEST_EFFORT
    assert settings.s3_bucket is None
    assert settings.free_tokens_per_day == 10000
    assert settings.entity_toggles_since == datetime(2026, 1, 1, tzinfo=UTC)


def test_the_embedded_database_lies_in_the_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load(monkeypatch, DATA_DIR="/var/lib/masker").database_url == "sqlite:////var/lib/masker/masker.db"


def test_production_is_strict_and_needs_a_master_key(monkeypatch: pytest.MonkeyPatch) -> None:
    production = {"DATABASE_URL": "postgresql+psycopg://u:hunter2@h/d", "REDIS_URL": "redis://r:6379/0"}
    with pytest.raises(InvalidSettings, match=r"MASKER_MASTER_KEY is required") as refused:
        load(monkeypatch, **production)
    assert "hunter2" not in str(refused.value)
    settings = load(monkeypatch, MASTER_KEY=KEY)
    assert not settings.is_embedded
    assert settings.sandbox_mode is SandboxMode.STRICT


def test_lists_booleans_and_empty_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load(
        monkeypatch,
        GEO_COUNTRIES="SA, AE ,,KW",
        CORS_ORIGINS="",
        JUDGE_MODELS="small,large",
        OPEN_REGISTRATION="false",
        REDIS_URL="",
        MASTER_KEY="",
        PREVIOUS_MASTER_KEYS=f"{KEY}, {KEY}",
        ENTITY_TOGGLES_SINCE="2026-03-01T00:00:00",
    )
    assert settings.geo_countries == ("SA", "AE", "KW")
    assert settings.cors_origins == ()
    assert settings.judge_models == ("small", "large")
    assert settings.open_registration is False
    assert settings.redis_url is None
    assert settings.master_key is None
    assert len(settings.previous_master_keys) == 2
    assert settings.entity_toggles_since == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MASTER_KEY", "bm90LTMyLWJ5dGVz"),
        ("MASTER_KEY", "***secret***"),
        ("PREVIOUS_MASTER_KEYS", f"{KEY},c2hvcnQ="),
        ("FREE_TOKENS_PER_DAY", "-1"),
        ("FREE_TOKENS_PER_DAY", "many"),
        ("RATE_LIMIT_PER_MINUTE", "0"),
        ("LEASE_SECONDS", "0"),
        ("LEASE_SECONDS", "nan"),
        ("LEASE_SECONDS", "1e300"),
        ("FILE_TTL_SECONDS", "99999999999999"),
        ("SWEEP_INTERVAL_SECONDS", "99999999999999"),
        ("EXPIRED_ROW_RETENTION_DAYS", "99999999999999"),
        ("S3_BUCKET", "a bucket"),
        ("LEASE_SECONDS", "infinity"),
        ("JUDGE_TIMEOUT_SECONDS", "infinity"),
        ("JUDGE_BASE_URL", "judge.example/v1"),
        ("JUDGE_BASE_URL", "file:///etc/passwd"),
        ("JUDGE_BASE_URL", "http:///v1"),
        ("JUDGE_BASE_URL", "http://judge:secret@judge.example/v1"),
        ("JUDGE_BASE_URL", "http://judge.example/v1?key=secret"),
        ("JUDGE_BASE_URL", "http://judge.example:port/v1"),
        ("JUDGE_BASE_URL", "http://judge .example/v1"),
        ("JUDGE_API_KEY", "two words"),
        ("JUDGE_API_KEY", "key\r\nHost: elsewhere"),
        ("JUDGE_API_KEY", "ключ"),
        ("DASHBOARD_URL", "masker.example.sa"),
        ("DASHBOARD_URL", "masker.example.sa:443"),
        ("DASHBOARD_URL", "ftp://masker.example.sa"),
        ("DASHBOARD_URL", "https:///app"),
        ("DASHBOARD_URL", "https://user:secret@masker.example.sa"),
        ("DASHBOARD_URL", "https://masker.example.sa:port"),
        ("DASHBOARD_URL", "https://[::1"),
        ("DASHBOARD_URL", "https://masker..sa"),
        ("DASHBOARD_URL", "https://masker example.sa"),
        ("DASHBOARD_URL", "*"),
        ("DASHBOARD_URL", "https://straße.example"),
        ("DASHBOARD_URL", "https://βόλος.example"),
        ("DASHBOARD_URL", "https://ａ.example"),
        ("OPEN_REGISTRATION", "perhaps"),
        ("ENTITY_TOGGLES_SINCE", "yesterday"),
        ("SANDBOX", "off-please"),
    ],
)
def test_an_invalid_variable_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    with pytest.raises(InvalidSettings, match=f"MASKER_{name}") as refused:
        load(monkeypatch, **{name: value})
    assert value == "0" or value not in str(refused.value)  # 0 is also the bound that the sentence names
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://masker.example.sa", "https://masker.example.sa"),
        (" HTTPS://Masker.Example.SA:443/app/?a=b#c ", "https://masker.example.sa"),
        ("http://masker.example.sa:80", "http://masker.example.sa"),
        ("http://masker.example.sa:443/", "http://masker.example.sa:443"),
        ("http://10.0.0.1:8000", "http://10.0.0.1:8000"),
        ("http://[0:0::1]:8000", "http://[::1]:8000"),
        ("https://مثال.example", "https://xn--mgbh0fb.example"),
        ("https://xn--strae-oqa.example", "https://xn--strae-oqa.example"),
    ],
)
def test_an_address_has_the_origin_that_browsers_write(
    monkeypatch: pytest.MonkeyPatch, address: str, origin: str
) -> None:
    """RFC 6454, section 6.1."""
    assert load(monkeypatch, DASHBOARD_URL=address).dashboard_origin == origin


@pytest.mark.parametrize(
    ("variables", "secure"),
    [
        ({}, False),
        ({"DASHBOARD_URL": "http://masker.example.sa"}, False),
        ({"DASHBOARD_URL": "https://masker.example.sa"}, True),
        ({"DASHBOARD_URL": "https://masker.example.sa", "COOKIE_SECURE": "false"}, False),
        ({"COOKIE_SECURE": "true"}, True),
    ],
)
def test_when_the_session_cookie_is_secure(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], secure: bool
) -> None:
    assert load(monkeypatch, **variables).session_cookie_secure is secure


def test_secrets_do_not_print(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load(monkeypatch, MASTER_KEY=KEY, S3_SECRET_ACCESS_KEY="hunter2", JUDGE_API_KEY="hunter2")
    assert KEY not in repr(settings) + str(settings.model_dump())
    assert "hunter2" not in repr(settings) + settings.model_dump_json()


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().free_tokens_per_day = 1


def test_spelling_mistakes_are_found(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MASKER_REDIS_ULR=redis://x\nOTHER=1\nMASKER_S3_BUCKET=b\n")
    assert unknown_variables({"MASKER_DATA_DIRR": "x", "PATH": "/bin"}) == ["MASKER_DATA_DIRR", "MASKER_REDIS_ULR"]


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"MASKER_S3_BUCKET=\xff\n")
    for read in (load_settings, unknown_variables):
        with pytest.raises(InvalidSettings, match=r"^\.env "):
            read()


def test_the_environment_comes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("MASKER_FREE_TOKENS_PER_DAY=5\nMASKER_DAILY_UPLOADS=7\n")
    settings = load(monkeypatch, FREE_TOKENS_PER_DAY="6")
    assert (settings.free_tokens_per_day, settings.daily_uploads) == (6, 7)


def test_schemas_import_no_other_package_of_ours() -> None:
    code = "import schemas.settings, schemas.text, sys; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"api", "workers", "pipeline", "storage", "sqlalchemy", "fastapi"} & set(done.stdout.split())
