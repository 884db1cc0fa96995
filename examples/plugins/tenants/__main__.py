"""The plugin's main."""

from assignkit_plugin import serve
from tenants import Tenants

serve(Tenants)
