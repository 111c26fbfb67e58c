"""The application: `create_app` puts the front together and reads as its table of contents."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from api.edge import Edge
from api.http import errors
from api.http.middleware import AccessLog, Contain, Failures, RequestIds
from api.routes import auth, entities, files, glossaries, health, keys, me, proxy, reference, reports, text
from api.services.container import Services
from schemas.settings import Settings
from schemas.version import VERSION
from storage.opening import Storage


def create_app(settings: Settings, storage: Storage | None = None, edge: Edge | None = None) -> FastAPI:
    """The API over `storage` (opened from the settings when left out, and then closed with the application) behind
    `edge` (made from the settings when left out).

    Connects to nothing yet. InvalidSettings and MasterKeyInvalid as for `Storage.open`.
    """
    edge = edge or Edge.of(settings)
    opened = storage or Storage.open(settings)
    services = Services.build(settings, opened)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # Made now: the first calls that ask for them shall not wait for certificates.
        judge, upstream = services.judge, services.upstream
        writing = asyncio.create_task(services.usage_log.keep_writing())
        yield
        writing.cancel()
        await asyncio.wait({writing})
        services.detection.close()
        await services.limiter.close()
        for each in {upstream, app.state.services.upstream}:  # services may have been replaced
            await each.close()
        if judge is not None:
            await judge.close()
        if storage is None:
            opened.close()

    app = FastAPI(
        title="Masker",
        version=VERSION,
        lifespan=lifespan,
        redirect_slashes=False,
        openapi_url=None,  # the description is at /docs/openapi.json: a path that the interface does not name is 404
        generate_unique_id_function=lambda route: route.name,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # spans would carry paths and exceptions
    )
    app.state.services = services
    errors.install(app)
    # In this order they are asked who takes a path: first those whose calls wait for milliseconds.
    for routes in (text, proxy, reports, files, glossaries, entities, auth, me, keys, health, reference):
        app.include_router(routes.router)
    app.state.failures, app.state.edge = Failures(), edge
    app.add_middleware(Contain, failures=app.state.failures)  # the last one added is the outermost
    edge.surround(app)
    app.add_middleware(AccessLog)
    app.add_middleware(RequestIds)
    return app
