"""HTTP and sockets on one port."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

from django.core.asgi import get_asgi_application

http = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402  Django must be set up first

from dashboard.bodies import BoundedBodies  # noqa: E402
from dashboard.checks import refuse_unsafe  # noqa: E402
from dashboard.routing import websocket  # noqa: E402

refuse_unsafe()

application = ProtocolTypeRouter({"http": BoundedBodies(http), "websocket": websocket})
