"""Greets people, and knows which of two versions is the later one."""

import sys

from packaging.version import Version


def greet(name):
    return f"Hello, {name}!"


def later(a, b):
    return a if Version(a) >= Version(b) else b


def main():
    print(greet(sys.argv[1] if len(sys.argv) > 1 else "World"))
