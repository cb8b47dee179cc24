"""HTTP and sockets on one port."""

import os
import warnings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

from django.core.asgi import get_asgi_application

http = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402  Django must be set up first

from dashboard.bodies import BoundedBodies  # noqa: E402
from dashboard.checks import refuse_unsafe  # noqa: E402
from dashboard.routing import websocket  # noqa: E402

refuse_unsafe()
# Static files are small and read in one go; the log need not say so at each start.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

application = ProtocolTypeRouter({"http": BoundedBodies(http), "websocket": websocket})
