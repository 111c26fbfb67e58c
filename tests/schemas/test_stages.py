"""The table of stages: nothing waits behind pages of scans."""

from schemas.stages import AFTER_PARTS, STAGE, STAGES


def test_a_queue_of_pages_holds_nothing_else() -> None:
    for stage in AFTER_PARTS:
        assert [row.stage for row in STAGES if row.queue is STAGE[stage].queue] == [stage]
