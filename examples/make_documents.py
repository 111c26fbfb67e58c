"""Makes the sample documents of examples/documents: fictional people, valid check digits, both languages.

The letter is written as DOCX and printed to PDF by LibreOffice. The residence permit form is written as DOCX, rendered,
and degraded like a scan (slight rotation, blur, noise): as PNG, as an image-only PDF, and as a black-and-white fax
(TIFF). The workbook and the slides come from `make_office`. `planted.json` lists the values of each document that must
not survive redaction.
"""

import csv
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import cv2
import numpy as np
import pymupdf
import pypdfium2
from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from docx.text.paragraph import Paragraph
from PIL import Image

from examples.make_office import slides, workbook

PLACE = Path(__file__).parent / "documents"

# Names of the form "the Example", "the Experimental", "the Hypothetical": nobody's.
CUSTOMER = {
    "name_en": "Noura Salem Almithali",
    "name_ar": "نورة سالم المثالي",
    "phone": "+966 50 123 4567",
    "phone_ar": "٠٥٠١٢٣٤٥٦٧",
    "email": "noura.almithali@example.com",
}


def luhn(body: str) -> str:
    """`body` and its check digit (position-doubling Luhn over all digits)."""
    total = sum(
        sum(divmod(int(digit) * (2 if index % 2 == 0 else 1), 10)) for index, digit in enumerate(reversed(body))
    )
    return body + str(-total % 10)


def iban(account: str) -> str:
    """A Saudi IBAN (ISO 13616) for a 20-digit bank and account number, in printed groups of four."""
    check = 98 - int(account + "281000") % 97  # S=28, A=10, 00
    whole = f"SA{check:02d}{account}"
    return " ".join(whole[i : i + 4] for i in range(0, 24, 4))


def eastern(text: str) -> str:
    """ASCII digits as Eastern-Arabic ones."""
    return text.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))


NATIONAL_ID = luhn("105837492")
RESIDENT_ID = luhn("240917365")
LETTER_IBAN = iban("80000000608010167519")
PAYROLL = [
    ("فهد عمر التجريبي", "Fahad Omar Altajribi", luhn("107264518"), iban("10000011122233344455"), "0551234567"),
    ("ريم خالد الافتراضي", "Reem Khalid Aliftiradi", luhn("103948572"), iban("20000001234567891234"), "0569876543"),
    ("يوسف حسن النموذجي", "Yousef Hassan Alnamothaji", luhn("218374652"), iban("05000068203120987000"), "0541112223"),
]
SALARIES = ("14250.00", "11800.50", "9600.00")


def say(document: object, text: str, *, rtl: bool = False, bold: bool = False) -> Paragraph:
    """Adds a paragraph; right-to-left ones carry the marks that Word sets itself."""
    paragraph = document.add_paragraph()  # type: ignore[attr-defined]
    run = paragraph.add_run(text)
    run.bold = bold
    run.font.name = "DejaVu Sans" if not rtl else "Noto Naskh Arabic"
    run.font.size = Pt(11)
    if rtl:
        fonts = run._element.get_or_add_rPr().get_or_add_rFonts()
        fonts.set(qn("w:cs"), "Noto Naskh Arabic")
        size = OxmlElement("w:szCs")  # complex scripts have a size of their own, in half points
        size.set(qn("w:val"), "28")
        run._element.get_or_add_rPr().extend([size, OxmlElement("w:rtl")])
        paragraph._element.get_or_add_pPr().append(OxmlElement("w:bidi"))
        paragraph.alignment = WD_ALIGN_PARAGRAPH.LEFT  # in a bidi paragraph "left" is the leading edge
    return paragraph


def letter(path: Path) -> None:
    """The bilingual customer letter."""
    document = Document()
    document.core_properties.author = CUSTOMER["name_en"]
    document.core_properties.title = "Change of address"
    document.sections[0].header.paragraphs[0].text = "Example Trading Establishment"
    document.sections[0].footer.paragraphs[0].text = f"Contact: {CUSTOMER['email']}"
    say(document, "Change of address", bold=True)
    say(document, f"Dear Ms. {CUSTOMER['name_en']},")
    say(
        document,
        f"We have received your request of 12 March 2025. Your national ID {NATIONAL_ID} and your mobile number "
        f"{CUSTOMER['phone']} are confirmed. The refund will be paid to IBAN {LETTER_IBAN}.",
    )
    split = say(document, "Questions? Write to ")
    # One address in three runs, as Word leaves it after editing.
    for part in ("noura.al", "mithali@exam", "ple.com"):
        split.add_run(part).bold = part.startswith("m")
    split.add_run(" quoting your customer number.")
    say(document, "تغيير العنوان", rtl=True, bold=True)
    say(document, f"الأستاذة {CUSTOMER['name_ar']} المحترمة،", rtl=True)
    say(
        document,
        f"تم تحديث رقم الجوال {CUSTOMER['phone_ar']} والهوية الوطنية رقم {eastern(NATIONAL_ID)} في سجلاتنا.",
        rtl=True,
    )
    table = document.add_table(rows=1, cols=2)
    table.style = "Table Grid"
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Field", "Value"
    for label, value in (
        ("Name", CUSTOMER["name_en"]),
        ("National ID", NATIONAL_ID),
        ("E-mail", CUSTOMER["email"]),
        ("Address", "7421 King Fahd Road, Al Olaya District, Riyadh 12214"),
    ):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = label, value
    document.save(str(path))


def payroll(path: Path) -> None:
    """The payroll table, as a spreadsheet program exports it for Arabic readers."""
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["الاسم", "Name", "رقم الهوية", "IBAN", "الجوال", "Basic salary", "Department"])
        for row, salary in zip(PAYROLL, SALARIES, strict=True):
            writer.writerow([*row, salary, "Operations"])
        writer.writerow(["", "", "", "", "", "", 'Total, "basic"\nfor the month'])


def form(path: Path) -> None:
    """The residence permit form, before it is printed and scanned."""
    document = Document()
    say(document, "RESIDENCE PERMIT APPLICATION", bold=True)
    table = document.add_table(rows=0, cols=2)
    table.style = "Table Grid"
    for label, value in (
        ("Full name", "Yousef Hassan Alnamothaji"),
        ("Residence permit no.", RESIDENT_ID),
        ("Passport no.", "K48201937"),
        ("Mobile", "0541112223"),
        ("E-mail", "y.alnamothaji@example.com"),
        ("Date of birth", "14/08/1989"),
        ("Nationality", "Example"),
    ):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = label, value
        for cell in cells:
            cell.paragraphs[0].runs[0].font.size = Pt(14)
            cell.paragraphs[0].runs[0].font.name = "DejaVu Sans"
    say(document, "")
    say(document, "اسم صاحب العمل: فهد عمر التجريبي", rtl=True)
    say(document, f"Employer's national ID: {PAYROLL[0][2]}")
    say(document, "I confirm that the details above are correct.")
    document.save(str(path))


def to_pdf(source: Path, folder: Path) -> Path:
    """LibreOffice's PDF of a DOCX."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--convert-to", "pdf", "--outdir",
             str(folder), str(source)], check=True, capture_output=True, timeout=180,
        )  # fmt: skip
    return folder / source.with_suffix(".pdf").name


def scan(pdf: Path) -> np.ndarray:
    """The first page at 200 dpi in grey, turned by a third of a degree, slightly blurred, with the sensor's noise."""
    page = pypdfium2.PdfDocument(str(pdf))[0].render(scale=200 / 72).to_numpy()
    grey = cv2.cvtColor(page, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 0.3, 1)
    grey = cv2.warpAffine(grey, turn, (width, height), borderValue=255, flags=cv2.INTER_CUBIC)
    grey = cv2.GaussianBlur(grey, (3, 3), 0.6)
    noise = np.random.default_rng(7).normal(0, 3, grey.shape)
    worn = np.clip(grey.astype(float) * 0.94 + 8 + noise, 0, 255).astype(np.uint8)
    return (worn // 24 * 24 + 12).astype(np.uint8)  # few grey levels, as cheap scanners keep


def image_only_pdf(pixels: np.ndarray, path: Path) -> None:
    """A PDF whose page is the scan, as a scanner makes it."""
    ok, jpeg = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 75])
    assert ok
    document = pymupdf.open()
    page = document.new_page(width=pixels.shape[1] * 72 / 200, height=pixels.shape[0] * 72 / 200)
    page.insert_image(page.rect, stream=jpeg.tobytes())
    document.save(str(path), garbage=4, deflate=True)


def fax(pixels: np.ndarray, path: Path) -> None:
    """The scan as two pages of a fax: 1 bit a pixel, packed as ITU-T T.6 has it; the second one is a covering note."""
    note = np.full((300, pixels.shape[1]), 255, np.uint8)
    cv2.putText(note, f"To: {PAYROLL[0][1]}", (80, 150), cv2.FONT_HERSHEY_SIMPLEX, 1.4, 0, 2, cv2.LINE_AA)
    first, second = (Image.fromarray(page).point(lambda level: 255 * (level > 140), "1") for page in (pixels, note))
    first.save(path, "TIFF", compression="group4", dpi=(200, 200), save_all=True, append_images=[second],
               description=PAYROLL[0][1])  # fmt: skip


def main() -> None:
    """Writes every document and the list of what is planted in it."""
    PLACE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        letter(PLACE / "customer-letter.docx")
        shutil.copy(to_pdf(PLACE / "customer-letter.docx", Path(work)), PLACE / "customer-letter.pdf")
        payroll(PLACE / "payroll.csv")
        form(Path(work) / "form.docx")
        pixels = scan(to_pdf(Path(work) / "form.docx", Path(work)))
    cv2.imwrite(str(PLACE / "residence-permit-form.png"), pixels)
    image_only_pdf(pixels, PLACE / "residence-permit-form.pdf")
    fax(pixels, PLACE / "residence-permit-form.tiff")
    workbook(PLACE / "payroll.xlsx", PAYROLL, SALARIES)
    slides(PLACE / "open-cases.pptx", PAYROLL)
    of_letter = [NATIONAL_ID, LETTER_IBAN, CUSTOMER["name_en"], CUSTOMER["name_ar"], CUSTOMER["phone"],
                 CUSTOMER["phone_ar"], eastern(NATIONAL_ID), CUSTOMER["email"], "King Fahd Road"]  # fmt: skip
    of_form = ["Yousef Hassan Alnamothaji", RESIDENT_ID, "K48201937", "0541112223", "y.alnamothaji@example.com",
               "14/08/1989", PAYROLL[0][2], PAYROLL[0][0]]  # fmt: skip
    planted = {
        "customer-letter.docx": of_letter,
        "customer-letter.pdf": of_letter,
        "payroll.csv": [cell for row in PAYROLL for cell in row],
        "payroll.xlsx": [cell for row in PAYROLL for cell in row],
        "open-cases.pptx": [PAYROLL[0][0], PAYROLL[0][4], *(cell for row in PAYROLL for cell in row[1:4])],
        "residence-permit-form.png": of_form,
        "residence-permit-form.tiff": [*of_form, PAYROLL[0][1]],
        "residence-permit-form.pdf": of_form,
    }
    (PLACE / "planted.json").write_text(json.dumps(planted, ensure_ascii=False, indent=1) + "\n")
    for path in sorted(PLACE.iterdir()):
        print(f"{path.name:32}{path.stat().st_size:>9} bytes")


if __name__ == "__main__":
    main()
