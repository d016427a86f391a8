# require "comment"
name = "x"
require name
require "a#{name}"
object.require "method"
text = <<~END
  require "raw"
END
visit "not a test"
