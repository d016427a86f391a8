from greeter import greet, later


def test_greet():
    assert greet("Ada") == "Hello, Ada!"


def test_later():
    assert later("1.10", "1.9") == "1.10"
