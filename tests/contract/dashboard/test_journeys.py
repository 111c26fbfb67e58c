"""What people do in the dashboard, from the first page on."""

import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from examples.demo import DOCUMENTS
from examples.server import Server
from tests.contract import papers
from tests.contract.dashboard import accessibility
from tests.contract.dashboard.conftest import PASSWORD, Visit

# Rasters of few words, because every word costs time.
SMALL = {"line.png": papers.picture(*papers.LINES), "lines.tiff": papers.frames(papers.LINES, papers.LINES)}


@pytest.mark.clause("DASH-01")
def test_an_account_is_made_left_and_entered_again(visitor: Callable[..., Visit]) -> None:
    visit = visitor()
    page = visit.page
    visit.open("/files")  # nobody is signed in
    assert page.url == f"{visit.url}/sign-in"
    visit.sign_up()
    expect(page.locator(".account")).to_have_text(visit.email)
    visit.open("/sign-up")
    assert page.url == f"{visit.url}/"
    page.click("#sign-out")
    page.wait_for_url(f"{visit.url}/sign-in")
    page.fill("[name=email]", visit.email)
    page.fill("[name=password]", "wrong password")
    page.click("button[type=submit]")
    expect(page.locator(".problem")).to_have_text("Address or password is wrong.")
    page.fill("[name=password]", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url(f"{visit.url}/")
    assert [cookie["httpOnly"] for cookie in page.context.cookies() if cookie["name"] == "masker_session"] == [True]


@pytest.mark.clause("DASH-02", "DASH-03", "DASH-04")
def test_a_text_is_masked_redacted_explained_and_restored(visit: Visit) -> None:
    page = visit.page
    page.fill("#text", "Reem Alharbi, national ID 1012345672")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#count")).to_have_text("2")
    expect(page.locator("#original mark")).to_have_text(["Reem Alharbi", "1012345672"])
    expect(page.locator("#masked")).to_have_text(
        re.compile(r"^<MASKED_PERSON_\w{8}>, national ID <MASKED_NATIONAL_ID_\w{8}>$")
    )
    expect(page.locator("#redacted")).to_have_text("PERSON_NAME_01, national ID NATIONAL_ID_01")
    page.check("#synthetic")
    expect(page.locator("#redacted mark")).to_have_count(2)
    expect(page.locator("#redacted")).to_have_text(re.compile(r"^[A-Z][\w' -]+, national ID 1\d{9}$"))
    page.uncheck("#synthetic")
    expect(page.locator("#redacted")).to_have_text("PERSON_NAME_01, national ID NATIONAL_ID_01")
    page.locator("#original mark").nth(1).focus()
    expect(page.locator("#detail")).to_contain_text("National ID · score")
    expect(page.locator("#detail")).to_contain_text("luhn")
    visit.shot("try")  # the picture in docs/dashboard.md
    # A switched-off type acts at once.
    page.click("#toggles summary")
    page.uncheck("#chips input[value=PERSON]")
    expect(page.locator("#count")).to_have_text("1")
    # A key of the caller's own.
    page.click("#byok summary")
    page.click("#byok-key")
    page.click("#byok-mask")
    page.click("#byok-open")
    expect(page.locator("#byok-mapping bdi")).to_have_text(["1012345672"])
    page.click("#byok-restore")
    expect(page.locator("#byok-restored")).to_contain_text("1012345672")


@pytest.mark.clause("DASH-02")
@pytest.mark.slow
def test_offsets_behind_emoji_and_arabic_stay_right(visit: Visit) -> None:
    page = visit.page
    page.fill("#text", "🚀🚀 رقم الهوية ١٠١٢٣٤٥٦٧٢ انتهى")
    page.click("#try button[type=submit]")
    expect(page.locator("#original mark")).to_have_text(["١٠١٢٣٤٥٦٧٢"])


@pytest.mark.clause("DASH-05")
@pytest.mark.slow
def test_a_file_that_is_chosen_before_the_script_is_there_is_taken(visit: Visit, tmp_path: Path) -> None:
    page, held = visit.page, []
    document = tmp_path / "early.csv"
    document.write_text("name\nReem Alharbi\n")
    page.route("**/static/files.js*", lambda route: held.append(route))
    page.goto(f"{visit.url}/files", wait_until="commit")
    page.set_input_files("#choose", document)
    assert held
    held[0].continue_()
    expect(page.locator(".state[data-state=ready]")).to_have_count(1, timeout=60_000)


@pytest.mark.clause("DASH-05")
def test_files_are_queued_followed_previewed_checked_pinned_and_deleted(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    visit.open("/files")
    third = tmp_path / "third.csv"
    third.write_text("name,phone\nReem Alharbi,0501234567\n")
    page.set_input_files("#choose", [DOCUMENTS / "payroll.csv", DOCUMENTS / "customer-letter.docx", third])
    ready = page.locator(".state[data-state=ready]")
    expect(ready).to_have_count(3, timeout=60_000)
    card = page.locator(".file", has_text="third.csv")
    expect(card.locator(".counts mark")).to_have_text(["Name of a person 1", "Phone number 1"])
    with page.expect_download() as download:
        card.get_by_text("Download").click()
    assert download.value.path().read_text() == "name,phone\nPERSON_NAME_01,PHONE_01\n"
    card.get_by_role("button", name="Before and after").click()
    expect(page.locator("dialog .written p").nth(3)).to_have_text("phone: 0501234567")
    expect(page.locator("dialog .written p").nth(7)).to_have_text("phone: PHONE_01")
    page.locator("dialog").get_by_role("button", name="Close").click()
    card.get_by_role("button", name="Report").click()
    page.get_by_role("button", name="Check the report").click()
    expect(page.locator("dialog [role=status]")).to_have_text(re.compile("The signature is valid|cannot check Ed25519"))
    page.locator("dialog").get_by_role("button", name="Close").click()
    card.get_by_role("button", name="Pin").click()
    expect(card).to_contain_text("pinned")
    visit.shot("files")
    visit.open("/files")  # the same after a fresh start
    expect(ready).to_have_count(3)
    card.get_by_role("button", name="Delete").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    expect(ready).to_have_count(2)


@pytest.mark.clause("DASH-05")
@pytest.mark.parametrize(
    "document",
    [
        pytest.param("customer-letter.pdf", marks=pytest.mark.slow),
        pytest.param("open-cases.pptx", marks=pytest.mark.slow),
        pytest.param("line.png", marks=pytest.mark.slow),
        pytest.param("lines.tiff", marks=pytest.mark.slow),
        pytest.param("residence-permit-form.png", marks=pytest.mark.slow),  # the picture in README.md
    ],
)
def test_pages_of_every_format_are_shown_before_and_after(visit: Visit, tmp_path: Path, document: str) -> None:
    page, path = visit.page, DOCUMENTS / document
    if document in SMALL:
        path = tmp_path / document
        path.write_bytes(SMALL[document])
    visit.open("/files")
    page.set_input_files("#choose", [path])
    button = page.get_by_role("button", name="Before and after")
    expect(button).to_be_visible(timeout=120_000)
    button.click()
    shown = page.locator("dialog .preview > div")
    expect(shown.get_by_role("heading")).to_have_text(["Before", "After"])
    if document.endswith("pptx"):
        expect(shown.nth(0)).to_contain_text("2183746524")
        expect(shown.nth(1)).to_contain_text("PERSON_NAME_01")
        assert "2183746524" not in shown.nth(1).inner_text()
    else:
        pictures = page.locator("dialog .preview img")
        expect(pictures.first).to_have_attribute("alt", re.compile(r"^Before: page 1 of \d$"))
        expect(pictures.last).to_have_attribute("alt", re.compile(r"^After: page (\d) of \1$"))
        sizes = pictures.evaluate_all("all => all.map(one => [one.naturalWidth, one.naturalHeight].join())")
        half = len(sizes) // 2
        assert sizes[:half] == sizes[half:] and "0,0" not in sizes
    accessibility.check(page)
    visit.shot(f"before-and-after-{document.replace('.', '-')}")


@pytest.mark.clause("DASH-05")
@pytest.mark.slow
def test_the_pages_of_a_long_document_are_fetched_as_they_are_wanted(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    visit.open("/files")
    long = tmp_path / "long.csv"
    long.write_text("number\n" + "".join(f"row {row}\n" for row in range(400)))
    page.set_input_files("#choose", [long])
    button = page.get_by_role("button", name="Before and after")
    expect(button).to_be_visible(timeout=60_000)
    button.click()
    before = page.locator("dialog .preview > div").nth(0)
    expect(before.locator(".written")).to_have_count(5)
    before.get_by_role("button", name="More pages").click()
    expect(before.locator(".written")).to_have_count(7)
    expect(before.locator(".written p").last).to_have_text("number: row 399")
    expect(before.get_by_role("button", name="More pages")).to_be_hidden()


def planted(visit: Visit, *failures: str) -> None:
    """The browser complained about the planted failures, and about nothing else."""
    assert [any(failure in problem for failure in failures) for problem in visit.problems] == [True] * len(failures)
    visit.problems.clear()


@pytest.mark.clause("DASH-06")
@pytest.mark.slow
def test_a_preview_that_fails_says_why(visit: Visit) -> None:
    page = visit.page
    visit.open("/files")
    page.set_input_files("#choose", DOCUMENTS / "payroll.csv")
    button = page.locator("button", has_text="Before and after")
    expect(button).to_be_visible(timeout=60_000)
    page.route("**/download", lambda route: route.fulfill(status=503, json={"detail": "masker_unavailable"}))
    button.click()
    expect(page.locator("#notices")).to_contain_text("The service is busy.")
    page.route("**/download", lambda route: route.fulfill(status=410, json={"detail": "expired"}))
    button.click()
    expect(page.locator("#notices")).to_contain_text("The file was destroyed.")
    planted(visit, "503", "410")


@pytest.mark.clause("DASH-06")
@pytest.mark.slow
def test_types_that_cannot_be_loaded_are_said(visit: Visit) -> None:
    page = visit.page
    page.route("**/me/entities", lambda route: route.abort())
    page.reload()
    expect(page.locator("#try .problem")).to_have_text("The server does not answer. Try again.")
    planted(visit, "ERR_FAILED")


@pytest.mark.clause("DASH-06")
@pytest.mark.slow
def test_a_file_of_another_kind_is_refused_in_words(visit: Visit, tmp_path: Path) -> None:
    visit.open("/files")
    wrong = tmp_path / "letter.pdf"
    wrong.write_bytes(b"this is no PDF")
    visit.page.set_input_files("#choose", [wrong])
    expect(visit.page.locator("#waiting .state")).to_have_text(
        "This file is of no supported format, damaged or locked."
    )
    visit.problems.clear()  # the browser notes the refused upload


@pytest.mark.clause("DASH-07")
def test_a_key_is_shown_once_works_and_is_revoked(visit: Visit, server: Server) -> None:
    page = visit.page
    visit.open("/keys")
    page.fill("#mint [name=name]", "batch")
    page.click("#mint button")
    expect(page.locator("#minted")).to_be_visible()
    secret = page.locator("#secret").text_content() or ""
    assert secret.startswith("mk_live_")

    def call() -> httpx.Response:
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.post(f"{server.url}/api/v1/redact", json={"text": "Reem Alharbi 1012345672"}, headers=headers)

    assert call().json()["redacted_text"] == "PERSON_NAME_01 NATIONAL_ID_01"
    visit.open("/keys")
    assert secret not in page.content()
    row = page.locator("#keys tr")
    row.get_by_role("button", name="Types").click()
    page.locator("dialog").get_by_text("As the account").click()
    page.locator("dialog").get_by_text("Name of a person").click()
    page.locator("dialog").get_by_role("button", name="Save").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator("#notices p")).to_have_count(1)
    assert call().json()["redacted_text"] == "Reem Alharbi NATIONAL_ID_01"
    row.locator("input").fill("nightly batch")
    row.get_by_role("button", name="Rename").click()
    expect(page.locator("#notices p")).to_have_count(2)
    visit.open("/keys")
    expect(row.locator("input")).to_have_value("nightly batch")
    row.get_by_role("button", name="Revoke").click()
    page.locator("dialog").get_by_role("button", name="Revoke").click()
    expect(page.locator("#empty")).to_be_visible()
    assert call().status_code == 401


@pytest.mark.clause("DASH-03")
def test_types_are_switched_and_stay_so(visit: Visit) -> None:
    page = visit.page
    visit.open("/types")
    expect(page.locator("#default")).to_be_visible()
    page.check("input[value=ORGANIZATION]")
    expect(page.locator("#default")).to_be_hidden()
    page.locator("[name=score]").fill("0.5")
    expect(page.locator("#score-shown")).to_have_text("0.5")
    expect(page.locator("#notices p")).to_have_count(2)
    visit.open("/types")
    expect(page.locator("input[value=ORGANIZATION]")).to_be_checked()
    expect(page.locator("[name=score]")).to_have_value("0.5")


@pytest.mark.clause("DASH-08")
def test_a_glossary_is_written_tried_exported_and_read_back(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    visit.open("/glossaries")
    page.fill("#create [name=name]", "Projects")
    page.click("#create button")
    card = page.locator("section.card")
    card.locator("summary").click()
    for term in ("Falcon", "=SUM(A1)", "مشروع نيوم"):
        card.get_by_role("button", name="Add a term").click()
        card.locator("[name=term]").last.fill(term)
    card.get_by_role("button", name="Save").click()
    expect(page.locator("#notices")).to_contain_text("Saved.")
    card.get_by_role("button", name="Try on a text").click()
    page.locator("dialog textarea").fill("The Falcon budget")
    page.locator("dialog button[type=submit]").click()
    expect(page.locator("dialog mark")).to_have_text(["Falcon"])
    page.locator("dialog").get_by_role("button", name="Close").click()
    with page.expect_download() as download:
        card.get_by_role("button", name="Export CSV").click()
    path = tmp_path / "terms.csv"
    download.value.save_as(path)
    assert "'=SUM(A1)" in path.read_text("utf-8-sig")  # a spreadsheet would compute it
    visit.open("/glossaries")
    card.locator("input[type=file]").set_input_files(path)
    expect(card.locator(".badge")).to_have_text("6 terms")
    assert card.locator("[name=term]").nth(4).input_value() == "=SUM(A1)"
    path.write_text("term,match_mode\nFalcon,sideways\n")
    card.locator("input[type=file]").set_input_files(path)
    expect(card.locator(".problem")).to_have_text("Line 2 is no term: sideways")


@pytest.mark.clause("DASH-09")
@pytest.mark.slow
def test_use_shows_in_charts_and_ledger(visit: Visit) -> None:
    page = visit.page
    page.fill("#text", "Reem Alharbi 1012345672")
    page.click("#try button[type=submit]")
    expect(page.locator("#count")).to_have_text("2")
    visit.open("/usage")
    expect(page.locator("#month")).to_have_text("6")
    expect(page.locator("#ledger tr")).to_have_count(2)
    expect(page.locator("#words rect")).to_have_count(30)
    expect(page.locator("#by-type mark")).to_have_count(2)
    visit.open("/proxy")
    expect(page.locator("#providers")).to_contain_text("anthropic")
    expect(page.locator("#snippets pre").first).to_contain_text(f"{visit.url}/api/v1/proxy/openai")
    visit.open("/billing")
    expect(page.locator("#free")).to_have_text("9,994")


@pytest.mark.clause("DASH-10")
@pytest.mark.slow
def test_language_and_theme_are_remembered(visit: Visit) -> None:
    page = visit.page
    page.click("#language")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.fill("#text", "الهوية 1012345672")
    page.click("#try button[type=submit]")
    expect(page.locator("#count")).to_have_text("١")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    visit.open("/types")
    expect(page.locator("h1")).to_have_text("الأنواع")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
