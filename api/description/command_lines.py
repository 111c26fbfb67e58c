"""Each operation as curl command lines that work as they are copied, once the variables that they name are set.

`$BASE` is the server's address, `$KEY` a bearer key, `$SESSION` the value of a session's cookie.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

Object = Mapping[str, Any]
_HEADER = {"bearer": "Authorization: Bearer $KEY", "session": "Cookie: masker_session=$SESSION"}
_DOCUMENT = "-F 'file=@letter.pdf;type=application/pdf'"


def command_lines(method: str, path: str, operation: Object) -> str:
    """The command lines as Markdown; empty where an id in the path would have to be known."""
    if "{" in path:
        return ""
    blocks = [_line(method, path, _headers(operation), sent) for sent in _bodies(operation)]
    return "\n\n".join(f"```sh\n{block}\n```" for block in blocks)


def _line(method: str, path: str, headers: list[str], sent: list[str]) -> str:
    first = f"curl -s{'' if method == 'GET' else f' -X {method}'} $BASE{path}"
    return " \\\n  ".join([first, *(f'-H "{header}"' for header in headers), *sent])


def _headers(operation: Object) -> list[str]:
    """What has to be sent: credentials, the page's origin beside a cookie, and required headers."""
    kinds = [name for wanted in operation.get("security", ()) for name in wanted][:1]
    headers = [_HEADER[kind] for kind in kinds]
    if kinds == ["session"]:
        headers.append("Origin: $BASE")
    parameters = operation.get("parameters", ())
    required = [item["name"] for item in parameters if item["in"] == "header" and item.get("required")]
    return headers + [f"{name}: ${name.removeprefix('X-').upper().replace('-', '_')}" for name in required]


def _bodies(operation: Object) -> Iterator[list[str]]:
    """The arguments that make each body; none for an operation without one."""
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        yield []
    if "multipart/form-data" in content:
        yield [_DOCUMENT]
    for example in content.get("application/json", {}).get("examples", {}).values():
        data = shlex.quote(json.dumps(example["value"], ensure_ascii=False))
        yield ["-H 'Content-Type: application/json'", f"-d {data}"]
