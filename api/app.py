"""Creates the application: services, error handlers, routes and middlewares."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from api.access_rules import AccessRules
from api.http import errors
from api.http.call_route import operation_id
from api.http.middleware import CatchUnexpected, FailureCounter, RequestFrame
from api.routes import auth, dashboard, entities, files, glossaries, health, keys, me, proxy, reference, reports, text
from api.services.container import Services
from schemas.settings import Settings
from schemas.version import VERSION
from storage.opening import Storage


def create_app(settings: Settings, storage: Storage | None = None, rules: AccessRules | None = None) -> FastAPI:
    """The API on `storage` and with the access `rules`, both made from the settings when left out.

    Storage that is opened here is closed when the application ends. Nothing is connected to yet. InvalidSettings and
    MasterKeyInvalid as for `Storage.open`.
    """
    rules = rules or AccessRules.of(settings)
    opened = storage or Storage.open(settings)
    services = Services.build(settings, opened)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # Created now, because loading certificates would delay the first calls that need them.
        judge, upstream = services.judge, services.upstream
        background = {
            asyncio.create_task(services.usage_log.keep_writing()),
            asyncio.create_task(services.refunds.keep_settling()),
            asyncio.create_task(services.abandoned_charges.keep_looking()),
        }
        renewing = asyncio.create_task(services.open_charges.keep_renewing())
        yield
        for tasks in (background, {renewing}):  # the lease is closed after the last refund
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        services.detection.close()
        await services.limiter.close()
        for each in {upstream, app.state.services.upstream}:  # tests replace the services
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
        openapi_url=None,  # the document is at /docs/openapi.json; other paths that the interface does not name are 404
        generate_unique_id_function=operation_id,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # spans would contain paths and exceptions
    )
    app.state.services = services
    errors.install(app)
    # Paths are matched in this order: routers whose calls take milliseconds come first. Their routes belong to the
    # application itself, because an included router is searched twice for each call.
    for hot in (text, proxy):
        app.router.routes.extend(hot.router.routes)
    for routes in (reports, files, glossaries, entities, auth, me, keys, health, reference, dashboard):
        app.include_router(routes.router)
    app.state.failures, app.state.access_rules = FailureCounter(), rules
    app.add_middleware(CatchUnexpected, failures=app.state.failures)  # the last one added is the outermost
    rules.install(app)
    app.add_middleware(RequestFrame)
    return app
