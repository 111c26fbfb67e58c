"""The networks of PP-OCRv6 (Apache-2.0), from the files of the package `rapidocr`, whose code is never imported."""

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from pipeline.networks.onnx_session import Session, session
from schemas.errors import ErrorCode, StageFailed

READER = "PP-OCRv6 small"
DETECTOR = "PP-OCRv6_det_small.onnx"
RECOGNIZER = "PP-OCRv6_rec_small.onnx"
_SHA256 = {
    DETECTOR: "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    RECOGNIZER: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
}


def pretrained(name: str) -> Session:
    """The network in a file of the package. StageFailed(image_redact_failed) if it is missing or another one."""
    package = find_spec("rapidocr")
    if package is None or package.origin is None:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    try:
        content = Path(package.origin).with_name("models").joinpath(name).read_bytes()
    except OSError:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED) from None
    if sha256(content).hexdigest() != _SHA256[name]:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return session(content)
