"""One workbook per hiding place; each holds its values there and nowhere else."""

from collections.abc import Callable, Mapping

from schemas.files import Format
from tests.hiding_places.office_build import KEPT, KEPT_ARABIC
from tests.hiding_places.proof.running import Place
from tests.hiding_places.xlsx.cells import CELLS
from tests.hiding_places.xlsx.concatenated import GLUED
from tests.hiding_places.xlsx.drawings import DRAWN
from tests.hiding_places.xlsx.names import NAMED
from tests.hiding_places.xlsx.parts import PARTS
from tests.hiding_places.xlsx.references import GIVEN
from tests.hiding_places.xlsx.sheets import SHEETS


def _places(table: Mapping[str, tuple[Callable[[], bytes], tuple[str, ...]]]) -> tuple[Place, ...]:
    return tuple(
        Place(name, Format.XLSX, build, planted, kept=(KEPT, KEPT_ARABIC)) for name, (build, planted) in table.items()
    )


PLACES: tuple[Place, ...] = tuple(
    place for table in (CELLS, GLUED, GIVEN, NAMED, SHEETS, DRAWN, PARTS) for place in _places(table)
)
