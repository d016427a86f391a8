defmodule ThingTest do # EXPECT: type ThingTest
  use ExUnit.Case, async: true # EXPECT: import ExUnit.Case
  import Ecto.Query # EXPECT: import Ecto.Query
  require Logger # EXPECT: import Logger

  def area(x) when x > 0, do: x # EXPECT: function area
  def name, do: "x" # EXPECT: function name

  test "adds" do # EXPECT: test "adds"
    assert 1 + 1 == 2
  end
end
