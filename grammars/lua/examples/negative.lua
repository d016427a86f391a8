-- require "comment"
--[[ require "block" ]]
local text = [[ require "raw" ]]
local name = require(name)
