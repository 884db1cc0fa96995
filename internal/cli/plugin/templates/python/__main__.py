"""The plugin's main."""

from assignkit_plugin import serve
from assignor import Assignor

serve(Assignor)
