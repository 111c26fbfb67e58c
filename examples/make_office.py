"""Makes the sample workbook and the sample slides, with the same fictional people as the other documents."""

from collections.abc import Sequence
from pathlib import Path

import openpyxl
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

Person = tuple[str, str, str, str, str]  # Arabic name, Latin name, ID, IBAN, mobile


def workbook(path: Path, people: Sequence[Person], salaries: Sequence[str]) -> None:
    """A payroll: IDs typed as numbers, a formula, a comment, a chart, a hidden sheet, a sheet named after somebody."""
    book = openpyxl.Workbook()
    book.properties.creator = people[0][1]
    sheet = book.active
    sheet.title = "Payroll"
    sheet.append(["الاسم", "Name", "رقم الهوية", "IBAN", "الجوال", "Basic salary"])
    for (arabic, latin, number, iban, mobile), salary in zip(people, salaries, strict=True):
        sheet.append([arabic, latin, int(number), iban, int(mobile), float(salary)])
        sheet.cell(sheet.max_row, 5).number_format = "0000000000"
    sheet.append(["", "Total", "", "", "", f"=SUM(F2:F{len(people) + 1})"])
    sheet["B2"].comment = Comment(f"Call back on {people[0][4]}", people[1][1])
    sheet.add_table(Table(displayName="Salaries", ref=f"A1:F{len(people) + 1}"))
    for column, width in zip("ABCDEF", (22, 28, 14, 34, 14, 14), strict=True):
        sheet.column_dimensions[column].width = width
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=6, min_row=1, max_row=len(people) + 1), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=2, min_row=2, max_row=len(people) + 1))
    sheet.add_chart(chart, "A8")
    letter = book.create_sheet(f"Letter {people[0][1]}")
    letter["A1"] = '="Dear "&Payroll!B2&","'
    hidden = book.create_sheet("Old")
    hidden.append([people[2][1], people[2][2]])
    hidden.sheet_state = "veryHidden"
    book.save(path)


def slides(path: Path, people: Sequence[Person]) -> None:
    """Three slides: text and notes, a table, a chart whose workbook is embedded."""
    presentation = Presentation()
    presentation.core_properties.author = people[0][1]
    first = presentation.slides.add_slide(presentation.slide_layouts[1])
    first.shapes.title.text = "Residence permits: open cases"
    first.placeholders[1].text = f"{people[2][1]}, residence permit {people[2][2]}\nالموظف المسؤول: {people[0][0]}"
    first.notes_slide.notes_text_frame.text = f"Ring {people[0][1]} on {people[0][4]} before the meeting."
    second = presentation.slides.add_slide(presentation.slide_layouts[5])
    second.shapes.title.text = "Who pays"
    table = second.shapes.add_table(len(people) + 1, 3, Inches(0.5), Inches(1.6), Inches(9), Inches(2)).table
    for column, heading in enumerate(("Name", "National ID", "IBAN")):
        table.cell(0, column).text = heading
    for row, (_, latin, number, iban, _mobile) in enumerate(people, 1):
        for column, value in enumerate((latin, number, iban)):
            table.cell(row, column).text = value
            table.cell(row, column).text_frame.paragraphs[0].font.size = Pt(14)
    third = presentation.slides.add_slide(presentation.slide_layouts[5])
    third.shapes.title.text = "Cases by employee"
    data = CategoryChartData()
    data.categories = [latin for _, latin, *_ in people]
    data.add_series("Open cases", tuple(range(3, 3 + len(people))))
    frame = (Inches(1), Inches(1.6), Inches(8), Inches(4.5))
    third.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *frame, data)
    presentation.save(str(path))
