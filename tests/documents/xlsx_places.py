"""One workbook per hiding place; each holds its values there and nowhere else."""

from collections.abc import Callable, Mapping

from schemas.files import Format
from tests.documents.office_build import KEPT, KEPT_ARABIC
from tests.documents.running import Place
from tests.documents.xlsx_places_cells import CELLS
from tests.documents.xlsx_places_drawn import DRAWN
from tests.documents.xlsx_places_given import GIVEN
from tests.documents.xlsx_places_glued import GLUED
from tests.documents.xlsx_places_named import NAMED
from tests.documents.xlsx_places_parts import PARTS
from tests.documents.xlsx_places_sheets import SHEETS


def _places(table: Mapping[str, tuple[Callable[[], bytes], tuple[str, ...]]]) -> tuple[Place, ...]:
    return tuple(
        Place(name, Format.XLSX, build, planted, kept=(KEPT, KEPT_ARABIC)) for name, (build, planted) in table.items()
    )


PLACES: tuple[Place, ...] = tuple(
    place for table in (CELLS, GLUED, GIVEN, NAMED, SHEETS, DRAWN, PARTS) for place in _places(table)
)
