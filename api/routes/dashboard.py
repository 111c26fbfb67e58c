"""The dashboard's pages at `/`, their static files at `/static`, and previews of documents."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from api.account.profile import get_profile
from api.auth.bearer import by_cookie, session_token
from api.dashboard.assets import assets
from api.dashboard.languages import chosen
from api.dashboard.pages import PAGES, THEMES, Page, Visitor, render
from api.dependencies import CookieCallerDep, ServicesDep
from api.files import previews
from api.files.previews import PreviewPages
from api.services.container import Services
from pipeline.codec import MAX_PAGES
from schemas.clock import utc_now
from schemas.errors import NotFound, Unauthenticated

router = APIRouter(include_in_schema=False)

_HEADERS = {
    # Scripts and styles from here alone. `blob:` is for pages that a preview answered.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Vary": "Cookie, Accept-Language",
    "X-Content-Type-Options": "nosniff",
}


@router.get("/static/{name}")
async def static_file(name: str, request: Request) -> Response:
    """A style sheet, script or picture."""
    found = assets().get(name)
    if found is None:
        raise NotFound
    return found.answer(request)


@router.post("/preview")
async def preview(
    request: Request,
    caller: CookieCallerDep,
    services: ServicesDep,
    first: Annotated[int, Query(ge=0, le=MAX_PAGES)] = 0,
) -> PreviewPages:
    """Pages of the document that is the body."""
    return await previews.preview(request, services, first)


def _shown(page: Page) -> Callable[[Request, Services], Awaitable[Response]]:
    async def show(request: Request, services: ServicesDep) -> Response:
        email = await _signed_in(request, services)
        if (email is None) != page.is_open:
            return RedirectResponse("/sign-in" if email is None else "/", 303, {"Cache-Control": "no-store"})
        theme = request.cookies.get("masker_theme", "")
        visitor = Visitor(
            chosen(request.cookies.get("masker_language"), request.headers.get("accept-language", "")),
            theme if theme in THEMES else THEMES[0],
            email,
        )
        facts = {
            "is_registration_open": services.settings.open_registration,
            "concurrent_jobs": services.settings.concurrent_jobs,
            "max_upload_bytes": services.settings.max_upload_bytes,
        }
        return HTMLResponse(render(page, visitor, facts), headers=_HEADERS)

    return show


for _page in PAGES:
    router.add_api_route(_page.path, _shown(_page), methods=["GET"], name=f"dashboard_{_page.name}")


async def _signed_in(request: Request, services: Services) -> str | None:
    """The address of the account whose session the browser has; None without a valid one."""
    if session_token(request) is None:
        return None
    try:
        authenticated = await by_cookie(request, services)
        profile = await to_thread.run_sync(get_profile, services, authenticated.caller, utc_now())
    except Unauthenticated:
        return None
    return profile.email
