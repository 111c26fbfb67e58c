"""When a text call is judged: asked for, allowed to its key, and short enough; and what the judge changes then."""

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
DESCRIBED = {
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


def with_header(headers: Headers, body: Body) -> Body:
    """The body with the wish of `X-Use-Judge`, which wins. Anything but `true`, said without contradiction, is no."""
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
    """The model to ask about this call; None when it is not to be judged, which nobody is told."""
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
    """The detection of `text` after the judge's verdict; as it was when the judge is not heard in time.

    No place at detection is held while the judge thinks. Errors as for any detection.
    """
    reasoned = replace(options, explain=True)
    detection = await services.detection.detect(text, reasoned, caller=caller, disconnected=disconnected)
    question = question_of(detection, options)
    verdict = await services.judge.ask(question, model) if services.judge else None
    if verdict is not None:
        detection = await to_thread.run_sync(judged, detection, question, verdict, options)
        detection = detection._replace(judge_model=model)
    return detection if options.explain else detection._replace(why=None)
