# use Comment.A
text = """
use Raw.A
test "x" do
"""
alias Own.Thing
