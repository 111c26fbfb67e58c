"""Every page in both languages, both themes and two widths: complete, accessible, and from this server alone."""

from collections.abc import Callable
from itertools import product

import pytest
from playwright.sync_api import expect

from api.dashboard.languages import LANGUAGES, chosen, sentences
from api.dashboard.pages import PAGES
from schemas.entities import EntityType
from schemas.stages import Stage
from tests.contract.dashboard import accessibility
from tests.contract.dashboard.conftest import Visit

WIDTHS = {"desktop": (1280, 800), "phone": (390, 844)}
THEMES = ("light", "dark")
MOST_BYTES = 150_000
LOOKS = list(product(LANGUAGES, THEMES, WIDTHS))


def look(visit: Visit, language: str, theme: str, width: str) -> None:
    visit.page.context.add_cookies(
        [
            {"name": f"masker_{name}", "value": value, "url": visit.url}
            for name, value in (("language", language), ("theme", theme))
        ]
    )
    visit.page.set_viewport_size(dict(zip(("width", "height"), WIDTHS[width], strict=True)))  # type: ignore[arg-type]


def check(visit: Visit, path: str, name: str) -> None:
    visit.open(path)
    accessibility.check(visit.page)
    overflow = visit.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0, f"{name} is wider than the window by {overflow} pixels"
    visit.shot(name)


@pytest.mark.clause("DASH-11")
@pytest.mark.parametrize(
    ("page", "number"),
    [pytest.param(page, number, marks=[pytest.mark.slow] if number % 3 else []) for number, page in enumerate(PAGES)],
    ids=lambda each: getattr(each, "name", None),
)
def test_each_page_in_one_of_its_looks(visitor: Callable[..., Visit], page: object, number: int) -> None:
    looks(visitor, page, [LOOKS[number * 3 % len(LOOKS)]])


@pytest.mark.clause("DASH-11")
@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_page_in_all_of_its_looks(visitor: Callable[..., Visit], page: object) -> None:
    looks(visitor, page, LOOKS)


def looks(visitor: Callable[..., Visit], page: object, wanted: list[tuple[str, str, str]]) -> None:
    visit = visitor()
    if not page.is_open:
        visit.enter()
        if page.name == "glossaries":
            visit.page.request.post(
                f"{visit.url}/v1/glossaries",
                data={"name": "Projects", "entries": [{"term": "Falcon"}]},
                headers={"Origin": visit.url},
            )
        if page.name == "keys":
            visit.page.request.post(f"{visit.url}/v1/keys", data={"name": "batch"}, headers={"Origin": visit.url})
    for each in wanted:
        look(visit, *each)
        check(visit, page.path, "-".join((page.name, *each)))


@pytest.mark.clause("DASH-11")
@pytest.mark.parametrize("language", ["ar", pytest.param("en", marks=pytest.mark.slow)])
def test_results_are_accessible_too(visit: Visit, language: str) -> None:
    look(visit, language, "dark", "desktop")
    visit.open("/")
    visit.page.click("#sample")
    expect(visit.page.locator("#results")).to_be_visible()
    for name in ("#toggles summary", "#byok summary", "#byok-key", "#byok-mask"):
        visit.page.click(name)
    visit.page.click("#byok-open")
    expect(visit.page.locator("#byok-mapping")).to_be_visible()
    accessibility.check(visit.page)
    visit.shot(f"try-results-{language}")


@pytest.mark.clause("DASH-11")
def test_a_page_that_few_can_use_has_a_low_score(visit: Visit) -> None:
    visit.page.set_content("<html><body><img src='x'><input><button></button><a href='/'></a></body></html>")
    with pytest.raises(AssertionError):
        accessibility.check(visit.page)
    visit.page.set_content("<html lang='en'><title>t</title><body><main><h1>One</h1><p>text</p></main></body></html>")
    assert accessibility.check(visit.page) == 100
    visit.problems.clear()  # the picture that is not there


@pytest.mark.clause("DASH-12", "DASH-13")
def test_the_first_load_is_small(visitor: Callable[..., Visit]) -> None:
    visit, sizes = visitor(), []
    visit.enter()
    visit.page.on("requestfinished", lambda request: sizes.append(request.sizes()))
    visit.open("/")
    transferred = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
    assert len(sizes) > 4
    assert transferred < MOST_BYTES


@pytest.mark.clause("DASH-11")
def test_both_languages_say_everything() -> None:
    english, arabic = (sentences(language) for language in LANGUAGES)
    assert english.keys() == arabic.keys()
    assert all(english.values())
    needed = {f"type.{type_}" for type_ in EntityType} | {f"stage.{stage}" for stage in Stage}
    needed |= {f"{part}.{page.name}" for page in PAGES for part in ("title", "lead")}
    assert needed <= english.keys()


@pytest.mark.clause("DASH-10")
@pytest.mark.parametrize(
    ("cookie", "accepted", "language"),
    [
        (None, "", "en"), (None, "ar-SA,ar;q=0.9,en;q=0.8", "ar"), (None, "fr-FR, en;q=0.5", "en"), ("ar", "en", "ar"),
        ("en", "ar", "en"), ("<script>", "ar", "ar"), (None, "arc,en", "en"), (None, "," * 100_000, "en"),
    ],
)  # fmt: skip
def test_the_language_is_the_cookies_then_the_browsers(cookie: str | None, accepted: str, language: str) -> None:
    assert chosen(cookie, accepted) == language
