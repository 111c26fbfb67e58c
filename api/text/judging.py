"""Decides whether a text call is judged, and applies the judge's verdict to its detection."""

from collections.abc import Hashable
from dataclasses import replace
from typing import TypeVar

from anyio import to_thread
from starlette.datastructures import Headers

from api.engine.fair_queue import Disconnected
from api.services.container import Services
from pipeline.detect.judge.prompt import LONGEST_TEXT, judged, question_of
from schemas.errors import UnknownJudgeModel
from schemas.settings import Settings
from schemas.spans import Detection, DetectOptions
from schemas.text import TextRequest
from storage.accounts.keys import Caller

Body = TypeVar("Body", bound=TextRequest)
_HEADER = "X-Use-Judge"
JUDGE_PARAMETER = {
    "parameters": [
        {
            "name": _HEADER,
            "in": "header",
            "description": "Asks for the judge or declines it, whatever the body says; anything but `true` declines.",
            "schema": {"type": "string"},
            "example": "true",
        }
    ]
}


def with_judge_header(headers: Headers, body: Body) -> Body:
    """The body with `use_judge` as the header `X-Use-Judge` says, if it is there. Every value of it must be `true`."""
    values = headers.getlist(_HEADER)
    if not values:
        return body
    wish = all(value.strip().lower() == "true" for value in values)
    return body.model_copy(update={"use_judge": wish})


def check_judge_model(settings: Settings, judge_model: str | None) -> None:
    """UnknownJudgeModel when a judge is configured and the model is not on its list."""
    if settings.judge_base_url and judge_model is not None and judge_model not in settings.judge_models:
        raise UnknownJudgeModel


def model_in_effect(services: Services, caller: Caller, body: TextRequest) -> str | None:
    """The model that judges this call; None when judging is not asked for or not allowed, or the text is too long."""
    asked = body.use_judge and caller.judge_allowed and len(body.text) <= LONGEST_TEXT
    if services.judge is None or not asked:
        return None
    return body.judge_model or services.settings.judge_models[0]


async def judged_detection(
    services: Services,
    text: str,
    options: DetectOptions,
    model: str,
    *,
    caller: Hashable = None,
    disconnected: Disconnected | None = None,
) -> Detection:
    """The detection of `text` with the judge's verdict applied; unchanged when there is no verdict in time.

    The call holds no slot of the detection while it waits for the judge. Errors as for any detection.
    """
    explained = replace(options, explain=True)
    detection = await services.detection.detect(text, explained, caller=caller, disconnected=disconnected)
    question = question_of(detection, options)
    verdict = await services.judge.ask(question, model) if services.judge else None
    if verdict is not None:
        detection = await to_thread.run_sync(judged, detection, question, verdict, options)
        detection = detection._replace(judge_model=model)
    return detection if options.explain else detection._replace(why=None)
