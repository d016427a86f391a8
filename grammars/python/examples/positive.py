from __future__ import annotations
import os, numpy.linalg as la  # EXPECT: import os ;; import numpy.linalg
from requests.adapters import (  # EXPECT: import requests.adapters
    HTTPAdapter,
)
from . import sibling  # EXPECT: local .
from ..up.mod import x  # EXPECT: local ..up.mod
try:
    import simplejson as json  # EXPECT: import simplejson [try]
except ImportError:
    import json  # EXPECT: import json [except]
try:
    import must  # EXPECT: import must
except ValueError:
    pass
if TYPE_CHECKING:
    import typed  # EXPECT: import typed [if TYPE_CHECKING]
elif sys.version_info < (3, 11):
    import tomli  # EXPECT: import tomli [if sys.version_info < (3, 11)]


def lazy():  # EXPECT: function lazy
    import pandas  # EXPECT: import pandas [def lazy]
    importlib.import_module("plugin.a")  # EXPECT: import plugin.a [def lazy]


def testing():  # EXPECT: function testing
    pass


hyp = pytest.importorskip("hypothesis")  # EXPECT: import hypothesis [importorskip]


class TestThings:  # EXPECT: type TestThings
    def test_one(self):  # EXPECT: test test_one ;; function test_one
        pass


if __name__ == "__main__":  # EXPECT: main ;; script
    lazy()
