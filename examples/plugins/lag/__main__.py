"""The plugin's main."""

from assignkit_plugin import serve
from lag import ByLag

serve(ByLag)
